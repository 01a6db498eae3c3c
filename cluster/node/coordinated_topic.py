"""A topic whose partitions' leaders are coordinators: made when it is first asked for, and who coordinates a key.

Source: Kafka KafkaApis.handleFindCoordinatorRequest, AutoTopicCreationManager, BrokerMetadataPublisher.
"""

from __future__ import annotations

from typing import Protocol

from cluster.controller.image import MetadataImage
from cluster.coordination.led_partition import CoordinatorReplica
from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import CreateTopicRequest, FindCoordinatorRequest, FindCoordinatorResponse
from cluster.model.offsets_topic import partition_for
from cluster.model.partition_state import PartitionState
from cluster.node.config import NodeConfig


class CoordinatorReplicas(Protocol):
    """The replicas of this broker."""

    def replica(self, topic_partition: TopicPartition) -> CoordinatorReplica:
        """One that is open."""


class Coordinator(Protocol):
    """Who coordinates what stands in the partitions that this broker leads."""

    partition_count: int
    """Of its topic; 0 while there is none."""

    def lead(self, partition: int, leader_epoch: Epoch, replica: CoordinatorReplica, now_ms: int) -> list[Effect]:
        """This broker leads a partition in a new epoch."""

    def resign(self, partition: int, now_ms: int) -> list[Effect]:
        """This broker leads it no more."""


class CoordinatedTopic:
    """One such topic, as the metadata tells of it."""

    __slots__ = ("_asked_ms", "_config", "_coordinator", "_creation", "_image", "_led", "_replicas", "name")

    def __init__(
        self,
        config: NodeConfig,
        image: MetadataImage,
        replicas: CoordinatorReplicas,
        coordinator: Coordinator,
        creation: CreateTopicRequest,
    ) -> None:
        """`creation`: how it is made; a run with fewer brokers takes as many replicas as it has."""
        self._config, self._image, self._replicas, self._coordinator = config, image, replicas, coordinator
        self._creation, self.name = creation, creation.topic
        self._led: dict[int, int] = {}
        self._asked_ms: int | None = None

    def follow(self, gone: set[str], now_ms: int) -> list[Effect]:
        """It may have come to be, have grown, or be gone."""
        coordinator = self._coordinator
        effects: list[Effect] = []
        if self.name in gone:
            coordinator.partition_count = 0
            effects += [effect for index in sorted(self._led) for effect in coordinator.resign(index, now_ms)]
            self._led.clear()
        while TopicPartition(self.name, coordinator.partition_count) in self._image.partitions:
            coordinator.partition_count += 1
        return effects

    def publish(self, topic_partition: TopicPartition, state: PartitionState, now_ms: int) -> list[Effect]:
        """Committed metadata of a partition that this broker keeps, when its replica knows it already."""
        if topic_partition.topic != self.name:
            return []
        partition = topic_partition.partition
        if state.leader != self._config.node_id:
            was_led = self._led.pop(partition, None) is not None
            return self._coordinator.resign(partition, now_ms) if was_led else []
        if self._led.get(partition) == state.leader_epoch:
            return []
        self._led[partition] = state.leader_epoch
        replica = self._replicas.replica(topic_partition)
        return self._coordinator.lead(partition, state.leader_epoch, replica, now_ms)

    def coordinator_of(self, key: str) -> NodeId:
        """The leader of the key's partition when it is in service; -1 for none."""
        count = self._coordinator.partition_count
        if not count:
            return NO_NODE
        leader = self._image.partitions[TopicPartition(self.name, partition_for(key, count))].leader
        return leader if leader in self._image.unfenced_brokers() else NO_NODE

    def on_find(
        self, asked: Received, request: FindCoordinatorRequest, controller_id: NodeId, now_ms: int
    ) -> list[Effect]:
        """Tell who it is. Who asks first has the topic made, and has to ask again."""
        effects = [] if self._coordinator.partition_count else self._create(controller_id, now_ms)
        coordinator = self.coordinator_of(request.group)
        error = ErrorCode.COORDINATOR_NOT_AVAILABLE if coordinator == NO_NODE else ErrorCode.NONE
        answer = FindCoordinatorResponse(error=error, group=request.group, coordinator=coordinator)
        return [*effects, Send(asked.sender, answer, asked.correlation)]

    def on_created(self) -> None:
        """The controller has answered: who still misses the topic may ask again at once."""
        self._asked_ms = None

    def _create(self, controller_id: NodeId, now_ms: int) -> list[Effect]:
        settings = self._config.settings
        is_waiting = self._asked_ms is not None and now_ms - self._asked_ms < settings.request_timeout_ms
        if is_waiting or controller_id == NO_NODE:
            return []
        self._asked_ms = now_ms
        return [Send(controller_id, self._creation, now_ms)]
