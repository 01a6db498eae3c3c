"""What a broker tells of its cluster by itself."""

from __future__ import annotations

from cluster.fetch_sessions.session_cache import no_sessions
from cluster.model.uuids import uuid_of
from cluster.runtime.kafka.view import Views
from tests.support.worlds.replica_world import ReplicaWorld


def test_all_brokers_name_the_same_cluster_and_where_each_listens() -> None:
    world = ReplicaWorld()
    ports = {node: 19_090 + node for node in (1, 2, 3)}
    views = [Views(world.nodes[node], "20261122-125142-00000", ports, "/data", no_sessions()).now() for node in (1, 2)]
    assert {view.cluster_id for view in views} == {uuid_of("20261122-125142-00000")}
    assert {node: place.port for node, place in views[0].brokers.items()} == ports
