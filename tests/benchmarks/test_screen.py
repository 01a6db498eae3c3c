from __future__ import annotations

from benchmarks.screen import BROKERS, EVENTS_PER_RECORD, _beginning, _record
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from cluster.trace.cluster_state import ClusterState

ORDERS = TopicPartition("orders", 0)


def test_the_synthetic_cluster_is_a_sane_one() -> None:
    state = ClusterState()
    said = [*_beginning(), *_record(0), *_record(1)]
    for place, (node, event) in enumerate(said):
        state.apply(Entry("bench", node, 0, place, place, place, 0, None, "", None, event))
    assert state.leader_of(ORDERS) == 1
    assert {log.log_end_offset for log in state.replica_logs(ORDERS).values()} == {2}
    assert len(state.replica_logs(ORDERS)) == len(BROKERS)
    assert len(_record(0)) == EVENTS_PER_RECORD
