"""The coordinators of one broker, of groups and of transactions, and who coordinates what. Source: BrokerServer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from cluster.controller.image import MetadataImage
from cluster.groups.consumer.state import NOTHING, Parts
from cluster.groups.coordinator import GroupCoordinator
from cluster.model.effects import Effect
from cluster.model.identifiers import OFFSETS_TOPIC, TRANSACTIONS_TOPIC, NodeId, TopicPartition
from cluster.model.inputs import Received, TimerFired
from cluster.model.messages import CreateTopicRequest, CreateTopicResponse, FindCoordinatorRequest
from cluster.model.offsets_topic import partition_for
from cluster.model.partition_state import PartitionState
from cluster.node.config import NodeConfig
from cluster.node.coordinated_topic import CoordinatedTopic, CoordinatorReplicas
from cluster.transactions.coordinator import TransactionCoordinator


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
        topic_state, partitions, count = self._image.topics.get(topic), self._image.partitions, 0
        if topic_state is None:
            return NOTHING
        while TopicPartition(topic, count) in partitions:
            count += 1
        return frozenset((topic_state.topic_id, index) for index in range(count))

    def name(self, topic_id: int) -> str:
        """Of the topic with this id; empty when there is none."""
        return next((name for name, topic in self._image.topics.items() if topic.topic_id == topic_id), "")

    def names(self) -> Iterable[str]:
        """Of all topics; those that the cluster keeps for itself match a pattern, too, as in Kafka."""
        return self._image.topics


class ImageCluster:
    """Leaders as the metadata knows them, and where the offsets of a group are."""

    __slots__ = ("_groups", "_image")

    def __init__(self, image: MetadataImage, groups: GroupCoordinator) -> None:
        self._image, self._groups = image, groups

    def leader_of(self, where: TopicPartition) -> NodeId | None:
        """-1 for a partition without a leader; None for one that does not exist."""
        state = self._image.partitions.get(where)
        return None if state is None else state.leader

    def offsets_partition(self, group: str) -> TopicPartition | None:
        """None while there is no offsets topic."""
        count = self._groups.partition_count
        return TopicPartition(OFFSETS_TOPIC, partition_for(group, count)) if count else None


class CoordinatorsPart:
    """One broker's coordinators, of groups and of transactions, and their tie to the metadata."""

    __slots__ = ("_image", "_offsets_topic", "_topics", "_transactions_topic", "groups", "transactions")

    def __init__(self, config: NodeConfig, image: MetadataImage, replicas: CoordinatorReplicas) -> None:
        self._image = image
        self._topics: dict[str, int] = {}
        settings, brokers = config.settings, len(config.brokers)
        self.groups = GroupCoordinator(config.node_id, config.incarnation_id, settings, ImageTopics(image))
        """Of all partitions of the offsets topic that this broker leads."""
        self.transactions = TransactionCoordinator(config.node_id, settings, ImageCluster(image, self.groups))
        """Of all partitions of __transaction_state that this broker leads."""
        replicas_of_offsets = min(settings.offsets_topic_replicas, brokers)
        offsets = CreateTopicRequest(
            topic=OFFSETS_TOPIC,
            partitions=settings.offsets_topic_partitions,
            replication_factor=replicas_of_offsets,
            min_insync_replicas=min(settings.offsets_topic_min_isr, replicas_of_offsets),
        )
        replicas_of_transactions = min(settings.transaction_state_replicas, brokers)
        transactions = CreateTopicRequest(
            topic=TRANSACTIONS_TOPIC,
            partitions=settings.transaction_state_partitions,
            replication_factor=replicas_of_transactions,
            min_insync_replicas=min(settings.transaction_state_min_isr, replicas_of_transactions),
        )
        self._offsets_topic = CoordinatedTopic(config, image, replicas, self.groups, offsets)
        self._transactions_topic = CoordinatedTopic(config, image, replicas, self.transactions, transactions)

    @property
    def is_loading(self) -> bool:
        """Whether a coordinator reads its partition."""
        return self.groups.is_loading or self.transactions.is_loading

    def coordinator_of_transaction(self, transactional_id: str) -> NodeId:
        """The broker that coordinates it; -1 for none in service."""
        return self._transactions_topic.coordinator_of(transactional_id)

    def follow_topics(self, now_ms: int) -> list[Effect]:
        """Topics may have come to be, have grown, or be gone; offsets in topics that are gone are void."""
        topics = {name: topic.topic_id for name, topic in self._image.topics.items()}
        gone = {name for name, topic_id in self._topics.items() if topics.get(name) != topic_id}
        self._topics = topics
        effects = self._offsets_topic.follow(gone, now_ms) + self._transactions_topic.follow(gone, now_ms)
        return [*effects, *(self.groups.forget_topics(gone) if gone else [])]

    def publish(self, topic_partition: TopicPartition, state: PartitionState, now_ms: int) -> list[Effect]:
        """Committed metadata of a partition that this broker keeps, when its replica knows it already."""
        followed = self._offsets_topic.publish(topic_partition, state, now_ms)
        return followed + self._transactions_topic.publish(topic_partition, state, now_ms)

    def settle(self, now_ms: int) -> list[Effect]:
        """The high watermark may have passed what was read."""
        groups = self.groups.look(now_ms) if self.groups.is_loading else []
        return groups + (self.transactions.look(now_ms) if self.transactions.is_loading else [])

    def handle_groups(self, happened: Received | TimerFired, controller_id: NodeId, now_ms: int) -> list[Effect]:
        """Apply one input for groups, or about who coordinates; return the effects, in the order to do them."""
        match happened:
            case Received(message=FindCoordinatorRequest() as asked):
                topic = self._transactions_topic if asked.of_transaction else self._offsets_topic
                return topic.on_find(happened, asked, controller_id, now_ms)
            case Received(message=CreateTopicResponse()):
                self._offsets_topic.on_created()
                self._transactions_topic.on_created()
                return []
            case Received() | TimerFired():
                return self.groups.handle(happened, now_ms)
            case _:
                assert_never(happened)
