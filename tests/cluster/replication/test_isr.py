"""ISR proposals of a leader, one message at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from node_world import MemoryLog

from cluster.model.effects import Send
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import Input, PartitionChanged, QuorumStatus, Received
from cluster.model.messages import AlterPartitionRequest, AlterPartitionResponse, FetchRequest
from cluster.model.partition_state import PartitionState
from cluster.model.settings import classroom_timing
from cluster.replication.replica_manager import ReplicaManager

ORDERS = TopicPartition("orders", 0)
CONTROLLER, LEADER, FOLLOWER = 101, 1, 2
EPOCHS = {LEADER: 11, FOLLOWER: 12}
UNCLEAN = PartitionState(
    topic_id=1, replicas=(1, 2), isr=(1,), leader=LEADER, leader_epoch=3, partition_epoch=7, recovering=True,
    min_insync_replicas=1,
)  # fmt: skip


class Leader:
    """A replica manager that was made leader uncleanly, and what it asked of the controller."""

    def __init__(self) -> None:
        self.manager = ReplicaManager(LEADER, classroom_timing())
        self.manager.broker_epoch = EPOCHS[LEADER]
        self.manager.open(ORDERS, MemoryLog(), 0)
        self.asked: list[tuple[int, AlterPartitionRequest]] = []
        self.tell(QuorumStatus(leader_id=CONTROLLER, epoch=1))
        self.tell(PartitionChanged(topic_partition=ORDERS, state=UNCLEAN, broker_epochs=EPOCHS))

    def tell(self, happened: Input) -> None:
        for effect in self.manager.handle(happened, 1_000):
            if isinstance(effect, Send) and isinstance(effect.message, AlterPartitionRequest):
                self.asked.append((effect.correlation, effect.message))

    def hear(self, sender: int, correlation: int, message: Any) -> None:
        self.tell(Received(sender=sender, correlation=correlation, message=message))


def test_a_recovered_leader_does_not_recover_again_before_the_metadata_reaches_it() -> None:
    leader = Leader()
    correlation, recovered = leader.asked[0]
    assert (recovered.new_isr, recovered.recovering) == (((LEADER, 11),), False)
    answer = AlterPartitionResponse(
        topic="orders", partition=0, leader_id=LEADER, leader_epoch=3, isr=(1,), partition_epoch=8
    )
    leader.hear(CONTROLLER, correlation, answer)
    fetch = FetchRequest(
        replica_id=FOLLOWER, broker_epoch=12, topic="orders", partition=0, current_leader_epoch=3, fetch_offset=0
    )
    leader.hear(FOLLOWER, 3, fetch)
    _, expansion = leader.asked[1]
    assert expansion.new_isr == ((LEADER, 11), (FOLLOWER, 12))
    assert (expansion.partition_epoch, expansion.recovering) == (8, False)


def test_metadata_that_says_recovered_settles_the_proposal() -> None:
    leader = Leader()
    committed = replace(UNCLEAN, recovering=False, partition_epoch=8)
    leader.tell(PartitionChanged(topic_partition=ORDERS, state=committed, broker_epochs=EPOCHS))
    fetch = FetchRequest(
        replica_id=FOLLOWER, broker_epoch=12, topic="orders", partition=0, current_leader_epoch=3, fetch_offset=0
    )
    leader.hear(FOLLOWER, 3, fetch)
    assert [request.recovering for _, request in leader.asked] == [False, False]
