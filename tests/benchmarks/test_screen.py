from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.screen import BROKERS, EVENTS_PER_RECORD, beginning, measured, of_record
from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState

ORDERS = TopicPartition("orders", 0)


def test_the_synthetic_cluster_is_a_sane_one() -> None:
    state, checker = ClusterState(), Checker()
    seqs: Counter[int] = Counter()
    for place, (node, event) in enumerate([*beginning(), *of_record(0), *of_record(1)]):
        entry = Entry("bench", node, 0, seqs[node], place, place, place, None, "bench", None, event)
        seqs[node] += 1
        state.apply(entry)
        checker.feed(entry)
    broken = [verdict.info.id for verdict in checker.finish() if verdict.verdict is Verdict.VIOLATED]
    assert not broken, "a checker that tells of violations all the time is slower than one that watches a cluster"
    assert state.leader_of(ORDERS) == 1
    assert {log.log_end_offset for log in state.replica_logs(ORDERS).values()} == {2}
    assert len(state.replica_logs(ORDERS)) == len(BROKERS)
    assert len(of_record(0)) == EVENTS_PER_RECORD


def test_a_measurement_that_saw_no_event_fails_instead_of_telling_nan() -> None:
    nothing = {"p50_ms": float("nan"), "p99_ms": float("nan"), "cpu_percent": 1.0, "frames_per_second": 0.0, "seen": 0}
    with pytest.raises(RuntimeError, match="no event came to the screen within 6 s"):
        measured(nothing)
    assert measured(nothing | {"seen": 1})["seen"] == 1
