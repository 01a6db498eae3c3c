"""Who coordinates a group, and how the offsets topic comes to be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgspec import structs

from cluster.controller.image import BrokerState, MetadataImage, TopicState
from cluster.model.effects import Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, OFFSETS_TOPIC, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import (
    CreateTopicRequest,
    CreateTopicResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    HeartbeatRequest,
    HeartbeatResponse,
)
from cluster.model.partition_state import PartitionState
from cluster.model.settings import kafka_timing
from cluster.node.config import BROKER_ROLE, NodeConfig
from cluster.node.coordinators_part import CoordinatorsPart

CLIENT, CONTROLLER = 1001, 101
STATE = PartitionState(
    topic_id=7, replicas=(1, 2, 3), isr=(1, 2, 3), leader=2, leader_epoch=0, partition_epoch=0, min_insync_replicas=1
)


class NoReplicas:
    """This broker leads nothing."""

    def replica(self, topic_partition: TopicPartition) -> Any:
        raise AssertionError(f"{topic_partition} is not led here")


def part(brokers: tuple[int, ...] = (1, 2, 3)) -> tuple[CoordinatorsPart, MetadataImage]:
    """A broker's part, and the image that it reads."""
    image = MetadataImage()
    for node in brokers:
        image.brokers[node] = BrokerState(
            broker_epoch=1, incarnation_id=f"i{node}", fenced=False, registration_offset=1
        )
    config = NodeConfig(
        node_id=1, roles=(BROKER_ROLE,), controllers=(CONTROLLER,), brokers=brokers,
        settings=replace(kafka_timing(), offsets_topic_partitions=2), incarnation_id="i1",
    )  # fmt: skip
    return CoordinatorsPart(config, image, NoReplicas()), image


def with_topic(image: MetadataImage) -> None:
    """The offsets topic is made; broker 2 leads both partitions."""
    image.topics[OFFSETS_TOPIC] = TopicState(topic_id=7, min_insync_replicas=1)
    for index in range(2):
        image.partitions[TopicPartition(OFFSETS_TOPIC, index)] = STATE


def ask(asked: CoordinatorsPart, now_ms: int = 0, controller: int = CONTROLLER) -> list[Any]:
    """What follows from one FindCoordinator: messages, in order."""
    request = Received(sender=CLIENT, correlation=9, message=FindCoordinatorRequest(group="g1"))
    return [effect.message for effect in asked.handle_groups(request, controller, now_ms) if isinstance(effect, Send)]


def test_the_first_to_ask_has_the_topic_made_and_has_to_come_again() -> None:
    groups, _ = part()
    created, answer = ask(groups)
    assert created == CreateTopicRequest(topic=OFFSETS_TOPIC, partitions=2, replication_factor=3, min_insync_replicas=1)
    assert answer.error == ErrorCode.COORDINATOR_NOT_AVAILABLE


def test_a_run_of_two_brokers_has_two_replicas() -> None:
    groups, _ = part((1, 2))
    assert ask(groups)[0].replication_factor == 2


def test_the_topic_is_asked_for_once_until_the_controller_answers_or_is_silent_for_long() -> None:
    groups, _ = part()
    ask(groups)
    assert [type(message) for message in ask(groups, 10)] == [FindCoordinatorResponse]
    refused = CreateTopicResponse(error=ErrorCode.NOT_CONTROLLER)
    groups.handle_groups(Received(sender=CONTROLLER, correlation=1, message=refused), CONTROLLER, 20)
    assert isinstance(ask(groups, 30)[0], CreateTopicRequest)
    assert isinstance(ask(groups, 30 + 30_000)[0], CreateTopicRequest)


def test_without_a_controller_nothing_is_asked() -> None:
    groups, _ = part()
    assert [type(message) for message in ask(groups, controller=NO_NODE)] == [FindCoordinatorResponse]


def test_the_coordinator_is_the_leader_of_the_group_s_partition_when_it_is_in_service() -> None:
    groups, image = part()
    with_topic(image)
    groups.follow_topics(0)
    (answer,) = ask(groups)
    assert (answer.error, answer.coordinator) == (ErrorCode.NONE, 2)
    image.brokers[2] = structs.replace(image.brokers[2], fenced=True)
    (answer,) = ask(groups)
    assert (answer.error, answer.coordinator) == (ErrorCode.COORDINATOR_NOT_AVAILABLE, NO_NODE)


def test_a_deleted_offsets_topic_is_made_anew() -> None:
    groups, image = part()
    with_topic(image)
    groups.follow_topics(0)
    image.topics.clear()
    image.partitions.clear()
    groups.follow_topics(1)
    assert isinstance(ask(groups)[0], CreateTopicRequest)


def test_a_broker_that_does_not_lead_the_partition_is_no_coordinator() -> None:
    groups, image = part()
    with_topic(image)
    groups.follow_topics(0)
    beat = HeartbeatRequest(group="g1", generation=1, member_id="m")
    (effect,) = groups.handle_groups(Received(sender=CLIENT, correlation=9, message=beat), CONTROLLER, 0)
    assert isinstance(effect, Send) and effect.message == HeartbeatResponse(error=ErrorCode.NOT_COORDINATOR)
