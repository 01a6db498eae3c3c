"""What a broker tells of its cluster by itself."""

from __future__ import annotations

import re

from cluster.runtime.kafka.view import cluster_id_of


def test_each_run_is_a_cluster_of_its_own_with_an_id_as_kafka_makes_them() -> None:
    ids = [cluster_id_of(f"20261122-125142-{number:05x}") for number in range(500)]
    assert len(set(ids)) == 500
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{21}", each) for each in ids)
    assert cluster_id_of("20261122-125142-00000") == ids[0], "the same on every node and in every life of the run"
