"""The partitions of one broker, and the one place where it is told who leads: by its metadata log, or by a controller.

Source: Kafka ReplicaManager.applyDelta, becomeLeaderOrFollower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from cluster.controller.image import MetadataImage
from cluster.coordination.led_partition import CoordinatorReplica
from cluster.model.effects import Effect, Emit
from cluster.model.events import PartitionApplied
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, NodeId, Offset, TopicPartition
from cluster.model.inputs import BrokersChanged, Input, PartitionChanged
from cluster.model.log_view import LogView
from cluster.model.partition_state import PartitionState
from cluster.node.config import LogStore, NodeConfig
from cluster.node.coordinators_part import CoordinatorsPart


class Replicas(Protocol):
    """The partitions of one broker: what the node needs of its replica manager."""

    broker_epoch: int

    def is_open(self, topic_partition: TopicPartition) -> bool:
        """Whether the log was given."""

    def open(self, topic_partition: TopicPartition, log: LogView, high_watermark: Offset) -> None:
        """Take a log and its checkpointed high watermark (exclusive)."""

    def replica(self, topic_partition: TopicPartition) -> CoordinatorReplica:
        """One whose log was given."""

    def configure(self, topic_partition: TopicPartition, own: Mapping[str, str]) -> list[Effect]:
        """Follow the settings of its topic, by Kafka's names; what is not among them is the run's."""

    def close(self, topic_partition: TopicPartition) -> list[Effect]:
        """Leave a partition that is deleted: who waits for it is refused, its timers are cancelled."""

    def find_coordinator(self, coordinator_of: Callable[[str], NodeId]) -> None:
        """How to find who coordinates a transactional id; -1 for nobody in service."""

    def find_partitions(self, exists: Callable[[TopicPartition], bool]) -> None:
        """How to know a partition that has no replica here from one that is nowhere."""

    def begin_step(self) -> None:
        """Inputs from here to end_step belong to one step: no effect of an earlier one is done before a later one."""

    def end_step(self) -> list[Effect]:
        """The effects of the step are done before the next input; these are the last of them."""

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""


class HostedPartitions:
    """Replicas and coordinators, as they are told of leaders."""

    __slots__ = ("_eligible", "_image", "_known", "_logs", "_own", "coordinators", "replicas")

    def __init__(self, config: NodeConfig, logs: LogStore, image: MetadataImage, replicas: Replicas) -> None:
        self._image, self._logs = image, logs
        self._eligible: dict[NodeId, int] = {}
        self._known: dict[TopicPartition, PartitionState] = {}
        self._own: dict[str, Mapping[str, str]] = {}
        self.replicas = replicas
        """Leads and follows partitions."""
        self.coordinators = CoordinatorsPart(config, image, replicas)
        replicas.find_coordinator(self.coordinators.coordinator_of_transaction)
        replicas.find_partitions(lambda where: where in image.partitions)

    def state(self, where: TopicPartition) -> PartitionState | None:
        """As it was told last."""
        return self._known.get(where)

    def known(self) -> dict[TopicPartition, PartitionState]:
        """All that it keeps; for looking only."""
        return self._known

    def tell_brokers(self, broker_epochs: dict[NodeId, int], now_ms: int) -> list[Effect]:
        """Who may join an ISR, with their broker epochs."""
        if broker_epochs == self._eligible:
            return []
        self._eligible = broker_epochs
        return self.replicas.handle(BrokersChanged(broker_epochs=dict(broker_epochs)), now_ms)

    def tell(
        self, where: TopicPartition, state: PartitionState, now_ms: int, metadata_offset: Offset = UNKNOWN_OFFSET
    ) -> list[Effect]:
        """Lead or follow as the controller decided.

        Args:
            metadata_offset: one past the last metadata record applied with it; -1 without a metadata log.
        """
        self._known[where] = state
        replicas = self.replicas
        if not replicas.is_open(where):
            log, high_watermark = self._logs.open(where, state.topic_id)
            replicas.open(where, log, high_watermark)
        applied = PartitionApplied(
            topic=where.topic,
            partition=where.partition,
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            partition_epoch=state.partition_epoch,
            isr=state.isr,
            elr=state.elr,
            replicas=state.replicas,
            min_insync_replicas=state.min_insync_replicas,
            metadata_offset=metadata_offset,
            adding_replicas=state.adding_replicas,
            removing_replicas=state.removing_replicas,
        )
        topic = self._image.topics.get(where.topic)
        effects = [Emit(applied), *self._configure(where, {} if topic is None else topic.own)]
        changed = PartitionChanged(topic_partition=where, state=state, broker_epochs=dict(self._eligible))
        effects += replicas.handle(changed, now_ms)
        return [*effects, *self.coordinators.publish(where, state, now_ms)]

    def _configure(self, where: TopicPartition, own: Mapping[str, str]) -> list[Effect]:
        self._logs.configure(where, own)
        return self.replicas.configure(where, own)

    def leave(self, where: TopicPartition) -> list[Effect]:
        """Neither lead nor follow; the log stays."""
        self._known.pop(where, None)
        return self.replicas.close(where)

    def drop(self, where: TopicPartition) -> list[Effect]:
        """Leave a partition that is deleted, and remove its log."""
        effects = self.leave(where)
        self._logs.remove(where)
        return effects

    def move_away(self, where: TopicPartition, state: PartitionState, now_ms: int) -> list[Effect]:
        """Leave a partition that others replicate now, and remove its log; who coordinates by it resigns first.

        Args:
            state: without this broker among the replicas.
        """
        return [*self.coordinators.publish(where, state, now_ms), *self.drop(where)]

    def follow_topics(self, now_ms: int) -> list[Effect]:
        """Topics may have come, gone, or have other settings than at the last look."""
        return self.follow_settings() + self.coordinators.follow_topics(now_ms)

    def follow_settings(self) -> list[Effect]:
        """Partitions of topics whose settings are others than at the last look."""
        own = {name: topic.own for name, topic in self._image.topics.items() if topic.own}
        effects: list[Effect] = []
        if own == self._own:
            return effects
        for where in self._known:
            if own.get(where.topic) != self._own.get(where.topic):
                effects += self._configure(where, own.get(where.topic, {}))
        self._own = own
        return effects

    def leaderless(self) -> set[TopicPartition]:
        """Its partitions that have no leader."""
        return {where for where, state in self._known.items() if state.leader == NO_NODE}

    def log_sizes(self) -> dict[TopicPartition, tuple[int, int]]:
        """Bytes in each log, and records in it that are not known to be committed."""
        sizes = {}
        for where in self._known:
            replica = self.replicas.replica(where)
            sizes[where] = self._logs.size_bytes(where), replica.log.log_end_offset - replica.high_watermark
        return sizes
