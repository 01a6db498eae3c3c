"""The broker half of a node: its life cycle, its replicas, and what the committed image means for them.

Source: Kafka BrokerMetadataPublisher, BrokerLifecycleManager.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from cluster.broker.lifecycle import BrokerLifecycle
from cluster.broker.producer_id_manager import ProducerIdManager
from cluster.controller.image import MetadataImage
from cluster.groups.state import OffsetsReplica
from cluster.model.effects import Effect, Emit
from cluster.model.events import PartitionApplied
from cluster.model.identifiers import NO_NODE, Offset, TopicPartition
from cluster.model.inputs import BrokersChanged, Input, PartitionChanged
from cluster.model.log_view import LogView
from cluster.model.partition_state import PartitionState
from cluster.node.config import LogStore, NodeConfig
from cluster.node.groups_part import GroupsPart


class Replicas(Protocol):
    """The partitions of one broker: what the node needs of its replica manager."""

    broker_epoch: int

    def is_open(self, topic_partition: TopicPartition) -> bool:
        """Whether the log was given."""

    def open(self, topic_partition: TopicPartition, log: LogView, high_watermark: Offset) -> None:
        """Take a log and its checkpointed high watermark (exclusive)."""

    def replica(self, topic_partition: TopicPartition) -> OffsetsReplica:
        """One whose log was given."""

    def configure(self, topic_partition: TopicPartition, own: Mapping[str, str]) -> None:
        """Follow the settings of its topic, by Kafka's names; what is not among them is the run's."""

    def close(self, topic_partition: TopicPartition) -> list[Effect]:
        """Leave a partition that is deleted: who waits for it is refused, its timers are cancelled."""

    def begin_step(self) -> None:
        """Inputs from here to end_step belong to one step: no effect of an earlier one is done before a later one."""

    def end_step(self) -> None:
        """The effects of the step are done before the next input."""

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""


class BrokerPart:
    """Life cycle and replicas of one broker."""

    __slots__ = ("_eligible", "_has_tidied", "_known", "_logs", "_node_id", "_own", "_incarnation_id", "groups",
                 "lifecycle", "producer_ids", "replicas")  # fmt: skip

    def __init__(
        self,
        config: NodeConfig,
        logs: LogStore,
        image: MetadataImage,
        previous_broker_epoch: int,
        replicas: Replicas | None,
    ) -> None:
        self._node_id = config.node_id
        self._incarnation_id = config.incarnation_id
        self._logs = logs
        self._eligible: dict[int, int] = {}
        self._known: dict[TopicPartition, PartitionState] = {}
        self._has_tidied = False
        self._own: dict[str, Mapping[str, str]] = {}
        self.lifecycle = BrokerLifecycle(
            config.node_id,
            config.controllers,
            config.settings,
            config.incarnation_id,
            previous_broker_epoch,
            config.first_correlation,
        )
        """Talks to the active controller."""
        self.producer_ids = ProducerIdManager(
            config.node_id, config.controllers, config.settings, config.first_correlation
        )
        """Gives ids to idempotent producers."""
        self.replicas = replicas
        """Leads and follows partitions; None for a broker that keeps none."""
        self.groups = None if replicas is None else GroupsPart(config, image, replicas)

    def publish(self, image: MetadataImage, now_ms: int) -> list[Effect]:
        """Tell the machines what is committed now.

        Replicas hear nothing until the own registration is in the image: older records tell of an earlier life, and
        a broker that acted on them would lead in an epoch long over. Source: Kafka BrokerServer.startup.
        """
        registered = self._is_registered(image)
        self.lifecycle.applied(image.offset, registered)
        if not registered or self.replicas is None or self.groups is None:
            return []
        effects = self.groups.follow_topics(now_ms)
        eligible = image.eligible_brokers()
        if eligible != self._eligible:
            self._eligible = eligible
            effects += self.replicas.handle(BrokersChanged(broker_epochs=dict(eligible)), now_ms)
        effects += self._drop_deleted(self.replicas, image)
        for topic_partition, state in sorted(image.partitions.items()):
            if self._node_id in state.replicas and self._known.get(topic_partition) != state:
                self._known[topic_partition] = state
                effects += self._publish_partition(self.replicas, topic_partition, state, image.offset + 1, now_ms)
                self.replicas.configure(topic_partition, image.topics[topic_partition.topic].own)
                effects += self.groups.publish(topic_partition, state, now_ms)
        self._follow_settings(self.replicas, image)
        return effects

    def _follow_settings(self, replicas: Replicas, image: MetadataImage) -> None:
        """Partitions of topics whose settings are others than at the last look."""
        own = {name: topic.own for name, topic in image.topics.items() if topic.own}
        if own == self._own:
            return
        for where in self._known:
            if own.get(where.topic) != self._own.get(where.topic):
                replicas.configure(where, own.get(where.topic, {}))
        self._own = own

    def _drop_deleted(self, replicas: Replicas, image: MetadataImage) -> list[Effect]:
        """Partitions whose topic is gone or is another one of that name; once also what an earlier life left of such.

        A log of a topic that the metadata never had stays: better to keep too much than to follow lost metadata.
        """
        effects: list[Effect] = []
        for topic_partition, known in sorted(self._known.items()):
            state = image.partitions.get(topic_partition)
            if state is None or state.topic_id != known.topic_id:
                del self._known[topic_partition]
                effects += replicas.close(topic_partition)
                self._logs.remove(topic_partition)
        if not self._has_tidied:
            self._has_tidied = True
            for topic_partition in self._logs.found():
                if topic_partition.topic in image.deleted_topics and topic_partition not in image.partitions:
                    self._logs.remove(topic_partition)
        return effects

    def leaderless(self) -> set[TopicPartition]:
        """Its partitions that have no leader."""
        return {where for where, state in self._known.items() if state.leader == NO_NODE}

    def log_sizes(self) -> dict[TopicPartition, tuple[int, int]]:
        """Bytes in each log, and records in it that are not known to be committed."""
        if self.replicas is None:
            return {}
        sizes = {}
        for where in self._known:
            replica = self.replicas.replica(where)
            sizes[where] = self._logs.size_bytes(where), replica.log.log_end_offset - replica.high_watermark
        return sizes

    def note_broker_epoch(self) -> None:
        """The others put the broker epoch of the newest registration in their requests."""
        self.producer_ids.broker_epoch = self.lifecycle.broker_epoch
        if self.replicas is not None:
            self.replicas.broker_epoch = self.lifecycle.broker_epoch

    def _is_registered(self, image: MetadataImage) -> bool:
        known = image.brokers.get(self._node_id)
        return known is not None and known.incarnation_id == self._incarnation_id

    def _publish_partition(
        self,
        replicas: Replicas,
        topic_partition: TopicPartition,
        state: PartitionState,
        metadata_offset: Offset,
        now_ms: int,
    ) -> list[Effect]:
        if not replicas.is_open(topic_partition):
            log, high_watermark = self._logs.open(topic_partition, state.topic_id)
            replicas.open(topic_partition, log, high_watermark)
        applied = PartitionApplied(
            topic=topic_partition.topic,
            partition=topic_partition.partition,
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            partition_epoch=state.partition_epoch,
            isr=state.isr,
            elr=state.elr,
            replicas=state.replicas,
            min_insync_replicas=state.min_insync_replicas,
            metadata_offset=metadata_offset,
        )
        changed = PartitionChanged(topic_partition=topic_partition, state=state, broker_epochs=dict(self._eligible))
        return [Emit(applied), *replicas.handle(changed, now_ms)]
