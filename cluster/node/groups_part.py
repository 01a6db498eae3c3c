"""The coordinator of groups on one broker: where it leads the offsets topic, and who coordinates which group.

Source: Kafka KafkaApis.handleFindCoordinatorRequest, AutoTopicCreationManager, BrokerMetadataPublisher.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, assert_never

from cluster.controller.image import MetadataImage
from cluster.groups.consumer.state import NOTHING, Parts
from cluster.groups.coordinator import GroupCoordinator
from cluster.groups.state import OffsetsReplica
from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, OFFSETS_TOPIC, NodeId, TopicPartition
from cluster.model.inputs import Received, TimerFired
from cluster.model.messages import (
    CreateTopicRequest,
    CreateTopicResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from cluster.model.offsets_topic import partition_for
from cluster.model.partition_state import PartitionState
from cluster.node.config import NodeConfig


class OffsetsReplicas(Protocol):
    """The replicas of this broker."""

    def replica(self, topic_partition: TopicPartition) -> OffsetsReplica:
        """One that is open."""


class ImageTopics:
    """Topics as the metadata knows them."""

    __slots__ = ("_image",)

    def __init__(self, image: MetadataImage) -> None:
        self._image = image

    def exists(self, where: TopicPartition) -> bool:
        """Whether the cluster has a partition."""
        return where in self._image.partitions

    def parts(self, topic: str) -> Parts:
        """(topic id, partition) of all partitions of a topic; none when there is no such topic."""
        known, partitions, count = self._image.topics.get(topic), self._image.partitions, 0
        if known is None:
            return NOTHING
        while TopicPartition(topic, count) in partitions:
            count += 1
        return frozenset((known.topic_id, index) for index in range(count))

    def name(self, topic_id: int) -> str:
        """Of the topic with this id; empty when there is none."""
        return next((name for name, topic in self._image.topics.items() if topic.topic_id == topic_id), "")

    def names(self) -> Iterable[str]:
        """Of all topics; those that the cluster keeps for itself match a pattern, too, as in Kafka."""
        return self._image.topics


class GroupsPart:
    """One broker's coordinator and its tie to the metadata."""

    __slots__ = ("_asked_ms", "_config", "_image", "_led", "_replicas", "_topics", "coordinator")

    def __init__(self, config: NodeConfig, image: MetadataImage, replicas: OffsetsReplicas) -> None:
        self._config, self._image, self._replicas = config, image, replicas
        self._led: dict[int, int] = {}
        self._topics: dict[str, int] = {}
        self._asked_ms: int | None = None
        self.coordinator = GroupCoordinator(config.node_id, config.incarnation_id, config.settings, ImageTopics(image))
        """Of all partitions of the offsets topic that this broker leads."""

    def follow_topics(self, now_ms: int) -> list[Effect]:
        """The offsets topic may have come to be, have grown, or be gone; offsets in topics that are gone are void."""
        topics = {name: topic.topic_id for name, topic in self._image.topics.items()}
        gone = {name for name, topic_id in self._topics.items() if topics.get(name) != topic_id}
        self._topics = topics
        effects: list[Effect] = []
        if OFFSETS_TOPIC in gone:
            self.coordinator.partition_count = 0
            effects += [effect for index in sorted(self._led) for effect in self.coordinator.resign(index, now_ms)]
            self._led.clear()
        while TopicPartition(OFFSETS_TOPIC, self.coordinator.partition_count) in self._image.partitions:
            self.coordinator.partition_count += 1
        return [*effects, *(self.coordinator.forget_topics(gone) if gone else [])]

    def publish(self, topic_partition: TopicPartition, state: PartitionState, now_ms: int) -> list[Effect]:
        """Committed metadata of a partition that this broker keeps, when its replica knows it already."""
        if topic_partition.topic != OFFSETS_TOPIC:
            return []
        partition = topic_partition.partition
        if state.leader != self._config.node_id:
            was_led = self._led.pop(partition, None) is not None
            return self.coordinator.resign(partition, now_ms) if was_led else []
        if self._led.get(partition) == state.leader_epoch:
            return []
        self._led[partition] = state.leader_epoch
        replica = self._replicas.replica(topic_partition)
        return self.coordinator.lead(partition, state.leader_epoch, replica, now_ms)

    def settle(self, now_ms: int) -> list[Effect]:
        """The high watermark may have passed what was read."""
        return self.coordinator.look(now_ms) if self.coordinator.is_loading else []

    def handle(self, happened: Received | TimerFired, controller_id: NodeId, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        match happened:
            case Received(message=FindCoordinatorRequest(group=group)) as asked:
                return self._on_find(asked, group, controller_id, now_ms)
            case Received(message=CreateTopicResponse()):
                self._asked_ms = None
                return []
            case Received() | TimerFired():
                return self.coordinator.handle(happened, now_ms)
            case _:
                assert_never(happened)

    def _on_find(self, asked: Received, group: str, controller_id: NodeId, now_ms: int) -> list[Effect]:
        """The leader of the group's partition. Who asks first has the topic made, and has to ask again."""
        count = self.coordinator.partition_count
        effects: list[Effect] = []
        answer = FindCoordinatorResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE, group=group)
        if not count:
            effects += self._create(controller_id, now_ms)
        else:
            state = self._image.partitions[TopicPartition(OFFSETS_TOPIC, partition_for(group, count))]
            if state.leader in self._image.unfenced_brokers():
                answer = FindCoordinatorResponse(group=group, coordinator=state.leader)
        return [*effects, Send(asked.sender, answer, asked.correlation)]

    def _create(self, controller_id: NodeId, now_ms: int) -> list[Effect]:
        settings = self._config.settings
        is_waiting = self._asked_ms is not None and now_ms - self._asked_ms < settings.request_timeout_ms
        if is_waiting or controller_id == NO_NODE:
            return []
        self._asked_ms = now_ms
        replicas = min(settings.offsets_topic_replicas, len(self._config.brokers))
        request = CreateTopicRequest(
            topic=OFFSETS_TOPIC,
            partitions=settings.offsets_topic_partitions,
            replication_factor=replicas,
            min_insync_replicas=min(settings.offsets_topic_min_isr, replicas),
        )
        return [Send(controller_id, request, now_ms)]
