"""A leader writes its ISR into ZooKeeper itself, on the version that it knows, and tells the controller afterwards."""

from __future__ import annotations

from typing import Any

from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import IsrChangesTold, StateWriteRefused
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import AllocateProducerIdsRequest, AlterPartitionRequest
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings
from cluster.zookeeper.flows import Flows, create, put
from cluster.zookeeper.isr_writer import BLOCK_COUNT, IsrWriter
from cluster.zookeeper.paths import encode_assignment, encode_state, partition_path, state_path, topic_path
from tests.support.worlds.znodes import Znodes, told

WHERE = TopicPartition("orders", 0)
STATE = PartitionState(
    topic_id=1, replicas=(1, 2), isr=(1, 2), leader=1, leader_epoch=3, partition_epoch=0, min_insync_replicas=1
)


class Known:
    """What broker 1 was told."""

    controller_epoch = 4

    def __init__(self) -> None:
        self.states = {WHERE: STATE}

    def known(self, where: TopicPartition) -> PartitionState | None:
        return self.states.get(where)

    def wrote(self, where: TopicPartition, state: PartitionState) -> None:
        self.states[where] = state


class Leader:
    """Broker 1 leads orders-0 in epoch 3."""

    def __init__(self) -> None:
        self.znodes, self.known, self.out = Znodes(), Known(), list[Effect]()
        self.flows = Flows(self.znodes)  # type: ignore[arg-type]
        self.writer = IsrWriter(1, Settings(), self.flows, self.known, self.out)
        path = topic_path("orders")
        for made in (create(path, encode_assignment({0: (1, 2)})), create(f"{path}/partitions"),
                     create(partition_path(WHERE)), create(state_path(WHERE), encode_state(STATE, 4))):  # fmt: skip
            self.znodes.do(*made)

    def ask(self, isr: tuple[int, ...], partition_epoch: int, leader_epoch: int = 3, now_ms: int = 0) -> None:
        request = AlterPartitionRequest(
            broker_id=1, topic="orders", partition=0, leader_epoch=leader_epoch, partition_epoch=partition_epoch,
            broker_epoch=1, new_isr=tuple((node, 1) for node in isr), topic_id=1,
        )  # fmt: skip
        self.writer.handle(Received(sender=1, message=request, correlation=5), now_ms)
        self.znodes.answer_all(self.flows)

    def look(self, now_ms: int) -> list[str]:
        """It is time to look; partitions that were told of."""
        before = len(self.out)
        self.writer.on_timer(now_ms)
        self.znodes.answer_all(self.flows)
        events = [event for event in told(self.out[before:]) if isinstance(event, IsrChangesTold)]
        return [name for event in events for name in event.partitions]

    def errors(self) -> list[int]:
        return [_error(effect.message) for effect in self.out if isinstance(effect, Send)]


def _error(message: Any) -> int:
    return int(message.error)


def test_the_isr_is_written_without_asking_any_controller() -> None:
    leader = Leader()
    leader.ask((1,), 0)
    node = leader.znodes.tree.nodes[state_path(WHERE)]
    assert '"isr":[1]' in node.data and '"controller_epoch":4' in node.data and node.version == 1
    assert (leader.known.states[WHERE].isr, leader.known.states[WHERE].partition_epoch) == ((1,), 1)
    assert leader.errors() == []


def test_a_version_that_somebody_else_counted_up_refuses_the_write() -> None:
    leader = Leader()
    leader.znodes.do(*put(state_path(WHERE), encode_state(STATE, 5), 0))
    leader.ask((1,), 0)
    refused = [event for event in told(leader.out) if isinstance(event, StateWriteRefused)]
    assert [(event.version, event.controller_epoch) for event in refused] == [(0, -1)]
    assert leader.errors() == [ErrorCode.INVALID_UPDATE_VERSION] and leader.known.states[WHERE] == STATE


def test_its_own_write_that_came_twice_is_no_refusal() -> None:
    leader = Leader()
    leader.ask((1,), 0)
    leader.known.states[WHERE] = STATE
    leader.ask((1,), 0)
    assert leader.errors() == [] and leader.known.states[WHERE].partition_epoch == 1


def test_who_was_told_of_another_leader_epoch_writes_nothing() -> None:
    leader = Leader()
    leader.ask((1,), 0, leader_epoch=2)
    assert leader.errors() == [ErrorCode.FENCED_LEADER_EPOCH]
    assert leader.znodes.tree.nodes[state_path(WHERE)].version == 0


def test_the_controller_is_told_once_the_isrs_are_quiet_or_after_a_minute() -> None:
    leader = Leader()
    leader.ask((1,), 0, now_ms=1_000)
    assert leader.look(2_500) == [], "the last change is not two intervals old"
    assert leader.look(6_000) == ["orders-0"]
    assert leader.look(12_000) == [], "once"
    for second in range(13, 66):
        leader.ask((1, 2) if second % 2 else (1,), leader.known.states[WHERE].partition_epoch, now_ms=second * 1_000)
    assert leader.look(65_900) == []
    assert leader.look(66_100) == ["orders-0"], "24 intervals after what was told last"


def test_blocks_of_producer_ids_follow_one_another() -> None:
    leader = Leader()
    for _ in range(2):
        request = AllocateProducerIdsRequest(broker_id=2, broker_epoch=1)
        leader.writer.handle(Received(sender=2, message=request, correlation=8), 0)
        leader.znodes.answer_all(leader.flows)
    sent: list[Any] = [effect.message for effect in leader.out if isinstance(effect, Send)]
    assert [message.producer_id_start for message in sent] == [0, BLOCK_COUNT]
