"""A topic of coordinators as the metadata tells of it: who leads, who leads no more, and who has it made."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.controller.image import BrokerState, MetadataImage
from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionCoordinatorResigned
from cluster.model.identifiers import NO_NODE, TRANSACTIONS_TOPIC, TopicPartition
from cluster.model.inputs import Received, TimerFired
from cluster.model.messages import CreateTopicRequest, FindCoordinatorRequest, FindCoordinatorResponse
from cluster.model.partition_state import PartitionState
from cluster.node.config import BROKER_ROLE, NodeConfig
from cluster.node.coordinated_topic import CoordinatedTopic
from cluster.transactions.coordinator import TransactionCoordinator
from tests.support.worlds.coordinated import BROKER, Coordinated, Log

CONTROLLER, CLIENT = 101, 1001
CREATION = CreateTopicRequest(topic=TRANSACTIONS_TOPIC, partitions=2, replication_factor=3, min_insync_replicas=2)
LED_HERE = PartitionState(
    topic_id=7, replicas=(1, 2, 3), isr=(1, 2, 3), leader=BROKER, leader_epoch=4, partition_epoch=0,
    min_insync_replicas=2,
)  # fmt: skip
LED_THERE = replace(LED_HERE, leader=2, leader_epoch=5)


class Broker:
    """Broker 1 and what it knows; a log of its own for each partition."""

    def __init__(self) -> None:
        world, self.image = Coordinated(), MetadataImage()
        for node in (1, 2, 3):
            self.image.brokers[node] = BrokerState(
                broker_epoch=1, incarnation_id=f"i{node}", fenced=False, registration_offset=1
            )
        self.timeout_ms = world.settings.request_timeout_ms
        self.coordinator = TransactionCoordinator(BROKER, world.settings, world)
        config = NodeConfig(
            node_id=BROKER, roles=(BROKER_ROLE,), controllers=(CONTROLLER,), brokers=(1, 2, 3),
            settings=world.settings, incarnation_id="i1",
        )  # fmt: skip
        self.topic = CoordinatedTopic(config, self.image, self, self.coordinator, CREATION)

    def replica(self, topic_partition: TopicPartition) -> Log:
        assert topic_partition.topic == TRANSACTIONS_TOPIC
        return Log()

    def publish(self, partition: int, state: PartitionState, topic: str = TRANSACTIONS_TOPIC) -> list[Effect]:
        return self.topic.publish(TopicPartition(topic, partition), state, 0)

    def load(self, partition: int) -> None:
        """It leads it, and has read all of it."""
        self.publish(partition, LED_HERE)
        while self.coordinator.is_loading:
            self.coordinator.handle(TimerFired(name=f"transactions.load.{partition}"), 0)

    def made(self, count: int) -> None:
        """The topic has so many partitions now, all led by broker 2."""
        for index in range(count):
            self.image.partitions[TopicPartition(TRANSACTIONS_TOPIC, index)] = LED_THERE
        self.topic.follow(set(), 0)

    def find(self, now_ms: int, controller: int = CONTROLLER) -> list[Any]:
        """The messages that follow from one question."""
        asked = FindCoordinatorRequest(group="t", of_transaction=True)
        received = Received(sender=CLIENT, correlation=9, message=asked)
        effects = self.topic.on_find(received, asked, controller, now_ms)
        return [effect.message for effect in effects if isinstance(effect, Send)]


def resigned(effects: list[Effect]) -> list[int]:
    """Partitions that it coordinates no more."""
    events = [effect.event for effect in effects if isinstance(effect, Emit)]
    return [event.partition for event in events if isinstance(event, TransactionCoordinatorResigned)]


def test_a_leader_begins_to_load_once_in_each_epoch() -> None:
    broker = Broker()
    assert broker.publish(0, LED_HERE)
    assert broker.publish(0, replace(LED_HERE, isr=(1, 2), partition_epoch=1)) == []
    assert broker.publish(0, replace(LED_HERE, leader_epoch=6, partition_epoch=2))


def test_only_who_led_resigns_and_only_once() -> None:
    broker = Broker()
    assert broker.publish(0, LED_THERE) == []
    broker.load(1)
    assert resigned(broker.publish(1, LED_THERE)) == [1]
    assert broker.publish(1, LED_THERE) == []


def test_partitions_of_other_topics_have_no_coordinator_here() -> None:
    broker = Broker()
    assert broker.publish(0, LED_HERE, "orders") == []
    assert not broker.coordinator.is_loading


def test_a_topic_that_is_gone_has_no_partitions_and_its_leader_resigns_from_each() -> None:
    broker = Broker()
    broker.made(2)
    for index in (1, 0):
        broker.load(index)
    broker.image.partitions.clear()
    assert resigned(broker.topic.follow({TRANSACTIONS_TOPIC}, 0)) == [0, 1]
    assert broker.coordinator.partition_count == 0
    assert broker.publish(0, LED_HERE), "made anew, it is led anew, also in the same epoch"


def test_a_topic_that_grew_is_counted_to_its_new_end() -> None:
    broker = Broker()
    broker.made(1)
    assert broker.coordinator.partition_count == 1
    broker.made(3)
    assert broker.coordinator.partition_count == 3


def test_a_key_has_no_coordinator_before_the_topic_is_there_or_while_the_leader_is_fenced() -> None:
    broker = Broker()
    assert broker.topic.coordinator_of("t") == NO_NODE
    broker.made(2)
    assert broker.topic.coordinator_of("t") == 2
    broker.image.brokers[2] = replace(broker.image.brokers[2], fenced=True)
    assert broker.topic.coordinator_of("t") == NO_NODE


def test_a_controller_that_is_silent_is_asked_again_when_a_request_is_given_up() -> None:
    broker = Broker()
    assert broker.find(0)[0] == CREATION
    assert CREATION not in broker.find(broker.timeout_ms - 1)
    assert broker.find(broker.timeout_ms)[0] == CREATION
    broker.topic.on_created()
    assert broker.find(broker.timeout_ms + 1)[0] == CREATION


def test_who_finds_no_coordinator_is_told_to_come_again_and_no_controller_is_asked_when_none_is_known() -> None:
    not_yet = FindCoordinatorResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE, group="t", coordinator=NO_NODE)
    broker = Broker()
    assert broker.find(0, NO_NODE) == [not_yet]
    assert broker.find(0) == [CREATION, not_yet]
    broker.made(2)
    assert broker.find(1) == [FindCoordinatorResponse(error=ErrorCode.NONE, group="t", coordinator=2)]
