"""The metadata image: what all records up to an offset add up to."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from cluster.model.identifiers import UNKNOWN_OFFSET, NodeId, Offset, TopicPartition
from cluster.model.metadata_records import (
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    KRaftVersionRecord,
    LeaderChangeRecord,
    MetadataRecord,
    NoOpRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RemoveTopicRecord,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    TopicRecord,
    VotersRecord,
)
from cluster.model.partition_state import PartitionState
from cluster.model.topic_settings import MIN_ISR, UNCLEAN


class UnfitRecordError(Exception):
    """A record does not fit what was committed before it: the quorum has forgotten something. One clause says what.

    Source: Kafka ClusterDelta.getBrokerOrThrow, whose exception the fault handler of the metadata loader gets.
    """


class BrokerState(Struct, frozen=True, kw_only=True):
    """One registered broker. Source: Kafka BrokerRegistration."""

    broker_epoch: int
    incarnation_id: str
    """Random per process start."""
    fenced: bool
    in_controlled_shutdown: bool = False
    """Its leaderships are being moved off."""
    registration_offset: Offset
    """Offset of its newest registration record (inclusive); it is caught up from here on."""

    @property
    def eligible(self) -> bool:
        """May lead and may be in an ISR: unfenced and not leaving. Source: Kafka ClusterControlManager.isActive."""
        return not self.fenced and not self.in_controlled_shutdown


class TopicState(Struct, frozen=True, kw_only=True):
    """What the metadata says of a topic as a whole; its partitions are told one by one."""

    topic_id: int
    """Unique."""
    min_insync_replicas: int
    unclean_leader_election: bool | None = None
    """unclean.leader.election.enable of the topic; None leaves it to the setting of the run."""
    own: Mapping[str, str] = field(default_factory=dict)
    """All settings that were made for it, by Kafka's names."""


class MetadataImage:
    """State of the cluster after a prefix of the metadata log. Source: Kafka MetadataImage."""

    __slots__ = ("brokers", "deleted_topics", "next_producer_id", "offset", "partitions", "topics")

    def __init__(self) -> None:
        self.offset: Offset = UNKNOWN_OFFSET
        """Last applied record (inclusive); -1 for none."""
        self.brokers: dict[NodeId, BrokerState] = {}
        self.topics: dict[str, TopicState] = {}
        self.partitions: dict[TopicPartition, PartitionState] = {}
        """Every partition of every topic."""
        self.deleted_topics: set[str] = set()
        """Names of topics that were deleted; some may be in use again."""
        self.next_producer_id = 0
        """First id of the next block."""

    def apply(self, record: MetadataRecord, offset: Offset) -> None:
        """Take in the record written at offset."""
        match record:
            case RegisterBrokerRecord():
                self._register(record, offset)
            case BrokerRegistrationChangeRecord():
                self._change_registration(record)
            case TopicRecord():
                self.topics[record.topic] = TopicState(
                    topic_id=record.topic_id, min_insync_replicas=record.min_insync_replicas
                )
            case PartitionRecord():
                self.partitions[TopicPartition(record.topic, record.partition)] = record.state
            case RemoveTopicRecord():
                self._remove(record.topic)
            case ConfigRecord():
                self._configure(record)
            case ProducerIdsRecord():
                self.next_producer_id = record.next_producer_id
            case LeaderChangeRecord() | NoOpRecord() | SnapshotHeaderRecord() | SnapshotFooterRecord():
                pass  # of the log itself
            case KRaftVersionRecord() | VotersRecord():
                pass  # of the quorum
        self.offset = offset

    def become(self, other: MetadataImage) -> None:
        """Say what another one says; the states in it are immutable and shared."""
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))

    def copy(self) -> MetadataImage:
        """An image that changes on its own; the states in it are immutable and shared."""
        image = MetadataImage()
        image.offset = self.offset
        image.brokers = dict(self.brokers)
        image.topics = dict(self.topics)
        image.partitions = dict(self.partitions)
        image.next_producer_id = self.next_producer_id
        image.deleted_topics = set(self.deleted_topics)
        return image

    def eligible_brokers(self) -> dict[NodeId, int]:
        """Unfenced brokers that are not shutting down, with their broker epochs."""
        return {node: broker.broker_epoch for node, broker in sorted(self.brokers.items()) if broker.eligible}

    def unfenced_brokers(self) -> tuple[NodeId, ...]:
        """Brokers in service, shutting down or not, in order."""
        return tuple(node for node, broker in sorted(self.brokers.items()) if not broker.fenced)

    def partitions_led_by(self, broker_id: NodeId) -> int:
        """How many partitions a broker leads."""
        return sum(1 for state in self.partitions.values() if state.leader == broker_id)

    def partition_count(self, topic: str) -> int:
        """How many partitions a topic has."""
        return sum(1 for topic_partition in self.partitions if topic_partition.topic == topic)

    def _remove(self, topic: str) -> None:
        self.topics.pop(topic, None)  # a snapshot names topics that were deleted before it
        self.deleted_topics.add(topic)
        for topic_partition in [each for each in self.partitions if each.topic == topic]:
            del self.partitions[topic_partition]

    def _configure(self, record: ConfigRecord) -> None:
        topic, value = self.topics[record.topic], record.value
        own = {name: own_value for name, own_value in topic.own.items() if name != record.config}
        if value is not None:
            own[record.config] = value
        topic = replace(topic, own=own)
        if record.config == MIN_ISR:
            topic = replace(topic, min_insync_replicas=1 if value is None else int(value))
            for where, state in self.partitions.items():
                if where.topic == record.topic:
                    least = min(topic.min_insync_replicas, len(state.replicas))
                    self.partitions[where] = replace(state, min_insync_replicas=least)
        elif record.config == UNCLEAN:
            topic = replace(topic, unclean_leader_election=None if value is None else value == "true")
        self.topics[record.topic] = topic

    def _register(self, record: RegisterBrokerRecord, offset: Offset) -> None:
        broker = self.brokers.get(record.broker_id)
        same = broker is not None and broker.incarnation_id == record.incarnation_id
        self.brokers[record.broker_id] = BrokerState(
            broker_epoch=record.broker_epoch,
            incarnation_id=record.incarnation_id,
            fenced=record.fenced,
            in_controlled_shutdown=same and broker is not None and broker.in_controlled_shutdown,
            registration_offset=offset,
        )

    def _change_registration(self, record: BrokerRegistrationChangeRecord) -> None:
        broker = self.brokers.get(record.broker_id)
        if broker is None:
            raise UnfitRecordError(f"broker {record.broker_id} changes but never registered")
        if broker.broker_epoch != record.broker_epoch:
            raise UnfitRecordError(f"broker {record.broker_id} changes under an older epoch")
        fenced = broker.fenced if record.fenced == 0 else record.fenced > 0
        leaving = broker.in_controlled_shutdown or record.controlled_shutdown > 0
        self.brokers[record.broker_id] = replace(broker, fenced=fenced, in_controlled_shutdown=leaving)
