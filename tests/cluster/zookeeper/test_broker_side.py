"""What a broker does with pushes: it obeys the newest controller that it has heard of, and never asks."""

from __future__ import annotations

from cluster.controller.image import MetadataImage
from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import PushObeyed, PushRefused
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import LeaderAndIsrRequest, StopReplicaRequest, UpdateMetadataRequest
from cluster.model.partition_state import PartitionState
from cluster.zookeeper.broker_side import BrokerSide
from cluster.zookeeper.channels import Push
from tests.support.worlds.znodes import told

WHERE = TopicPartition("orders", 0)


class Kept:
    """Notes what is done with partitions."""

    def __init__(self) -> None:
        self.states: dict[TopicPartition, PartitionState] = {}
        self.done: list[str] = []

    def tell(self, where: TopicPartition, state: PartitionState, _now_ms: int) -> list[Effect]:
        self.states[where] = state
        self.done.append(f"tell e{state.leader_epoch}")
        return []

    def tell_brokers(self, broker_epochs: dict[NodeId, int], _now_ms: int) -> list[Effect]:
        self.done.append(f"brokers {sorted(broker_epochs)}")
        return []

    def follow_topics(self, _now_ms: int) -> list[Effect]:
        return []

    def leave(self, _where: TopicPartition) -> list[Effect]:
        self.done.append("leave")
        return []

    def drop(self, where: TopicPartition) -> list[Effect]:
        self.states.pop(where, None)
        self.done.append("drop")
        return []

    def state(self, where: TopicPartition) -> PartitionState | None:
        return self.states.get(where)


class Broker:
    """Broker 2 in the life of broker epoch 40."""

    def __init__(self) -> None:
        self.kept, self.out = Kept(), list[Effect]()
        self.side = BrokerSide(MetadataImage(), self.kept, self.out)
        self.side.broker_epoch = 40

    def hear(self, push: Push) -> int:
        """The error that it answers."""
        before = len(self.out)
        self.side.handle(Received(sender=push.controller_id, message=push, correlation=9), 0)
        answers = [effect for effect in self.out[before:] if isinstance(effect, Send)]
        assert [(answer.target, answer.correlation) for answer in answers] == [(push.controller_id, 9)]
        return answers[0].message.error  # type: ignore[union-attr]


def lead(epoch: int, leader_epoch: int = 0, broker_epoch: int = 40, topic_id: int = 1) -> LeaderAndIsrRequest:
    state = PartitionState(
        topic_id=topic_id, replicas=(1, 2), isr=(1, 2), leader=1, leader_epoch=leader_epoch, partition_epoch=0,
        min_insync_replicas=1,
    )  # fmt: skip
    return LeaderAndIsrRequest(
        controller_id=1, controller_epoch=epoch, broker_epoch=broker_epoch, partitions=((*WHERE, state),)
    )


def test_a_lower_controller_epoch_than_was_heard_is_refused() -> None:
    broker = Broker()
    assert broker.hear(lead(3)) == ErrorCode.NONE
    assert broker.hear(lead(2, leader_epoch=9)) == ErrorCode.STALE_CONTROLLER_EPOCH
    assert broker.kept.done == ["tell e0"] and broker.side.controller_epoch == 3
    obeyed, refused = told(broker.out)
    assert isinstance(obeyed, PushObeyed) and isinstance(refused, PushRefused)


def test_who_has_heard_of_no_newer_controller_obeys_a_zombie() -> None:
    broker = Broker()
    assert broker.hear(lead(2)) == ErrorCode.NONE and broker.kept.done == ["tell e0"]


def test_what_is_meant_for_an_earlier_life_is_refused_since_2_2() -> None:
    broker = Broker()
    assert broker.hear(lead(1, broker_epoch=39)) == ErrorCode.STALE_BROKER_EPOCH
    assert broker.hear(lead(1, broker_epoch=-1)) == ErrorCode.NONE, "before KIP-380 nobody could say"


def test_a_partition_changes_only_with_a_higher_leader_epoch() -> None:
    broker = Broker()
    for leader_epoch in (1, 1, 0, 2):
        assert broker.hear(lead(1, leader_epoch)) == ErrorCode.NONE
    assert broker.kept.done == ["tell e1", "tell e2"]


def test_another_topic_of_that_name_takes_the_old_ones_place() -> None:
    broker = Broker()
    broker.hear(lead(1, leader_epoch=5))
    broker.hear(lead(1, leader_epoch=0, topic_id=2))
    assert broker.kept.done == ["tell e5", "drop", "tell e0"]


def test_what_clients_are_told_comes_with_another_push_than_what_is_led() -> None:
    broker = Broker()
    broker.hear(lead(1))
    assert WHERE not in broker.side.image.partitions, "LeaderAndIsr alone tells clients nothing"
    state = broker.kept.states[WHERE]
    update = UpdateMetadataRequest(
        controller_id=1, controller_epoch=1, broker_epoch=40, live_brokers=((1, 39), (2, 40)),
        partitions=((*WHERE, state),), topics=(("orders", 1, (("min.insync.replicas", "2"),)),),
    )  # fmt: skip
    assert broker.hear(update) == ErrorCode.NONE
    image = broker.side.image
    assert image.partitions[WHERE].leader == 1 and image.topics["orders"].min_insync_replicas == 2
    gone = UpdateMetadataRequest(
        controller_id=1, controller_epoch=1, broker_epoch=40, live_brokers=(), partitions=(), topics=(),
        deleted=("orders",),
    )  # fmt: skip
    broker.hear(gone)
    assert not image.partitions and not image.topics and not image.brokers


def test_who_only_stops_to_follow_keeps_its_log() -> None:
    broker = Broker()
    for delete in (False, True):
        broker.hear(
            StopReplicaRequest(controller_id=1, controller_epoch=1, broker_epoch=40, partitions=(WHERE,), delete=delete)
        )
    assert broker.kept.done == ["leave", "drop"]
