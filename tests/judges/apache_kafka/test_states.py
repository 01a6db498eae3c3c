"""What is compared of a state."""

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState
from judges.apache_kafka.states import answers_of


def state_of(*events: tuple[int, ev.Event]) -> ClusterState:
    state = ClusterState()
    state.apply_all(Entry("", node, 0, at, 0, 0, 0, None, "", None, event) for at, (node, event) in enumerate(events))
    return state


def applied(topic: str) -> ev.PartitionApplied:
    return ev.PartitionApplied(
        topic=topic, partition=0, leader=-1, leader_epoch=2, partition_epoch=5, isr=(3, 1), elr=(), replicas=(1,),
        min_insync_replicas=1,
    )  # fmt: skip


UP = (
    (0, ev.ProcessStarted(node_id=1, roles=("broker",), incarnation_number=0, pid=1)),
    (0, ev.ProcessReady(node_id=1, port=1)),
)
APPENDED = ev.ReplicaAppended(
    topic="orders", partition=0, base_offset=0, count=2, end_offset=2, leader_epoch=2,
    batches=((0, 1, 0, ""), (1, 1, 2, "")), role="", size_bytes=0,
)  # fmt: skip


def test_a_partition_is_told_with_each_of_its_replicas() -> None:
    found = answers_of(state_of(*UP, (1, applied("orders")), (1, APPENDED)), quorum=False)
    assert found == {
        "leader of orders-0": "none", "leader epoch of orders-0": "2", "partition epoch of orders-0": "5",
        "ISR of orders-0": "1,3", "ELR of orders-0": "none", "log end of orders-0 on 1": "2",
        "high watermark of orders-0 on 1": "0", "epochs of orders-0 on 1": "0@0 2@1",
    }  # fmt: skip


def test_a_node_that_is_down_has_files_and_no_high_watermark() -> None:
    gone = (0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True))
    found = answers_of(state_of(*UP, (1, applied("orders")), (1, APPENDED), gone), quorum=False)
    assert "high watermark of orders-0 on 1" not in found
    assert found["log end of orders-0 on 1"] == "2"


def test_internal_topics_are_nobodys_answer_and_the_quorum_is_told_when_asked() -> None:
    assert answers_of(state_of((1, applied("__consumer_offsets"))), quorum=False) == {}
    assert answers_of(state_of(), quorum=True) == {"voters": "none", "the quorum has a leader": "no"}


def test_who_acknowledged_records_is_an_answer_of_its_own() -> None:
    found = answers_of(state_of(), quorum=False, acknowledged={(TopicPartition("orders", 0), 1): 4})
    assert found == {"records of orders-0 that 1 acknowledged": "4"}
