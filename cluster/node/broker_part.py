"""The broker half of a KRaft node: its life cycle, its partitions, and what the committed image means for them.

Source: Kafka BrokerMetadataPublisher, BrokerLifecycleManager.
"""

from __future__ import annotations

from cluster.broker.lifecycle import BrokerLifecycle
from cluster.broker.producer_id_manager import ProducerIdManager
from cluster.controller.image import MetadataImage
from cluster.model.effects import Effect
from cluster.model.identifiers import TopicPartition
from cluster.node.config import LogStore, NodeConfig
from cluster.node.coordinators_part import CoordinatorsPart
from cluster.node.hosted_partitions import HostedPartitions, Replicas


class BrokerPart:
    """Life cycle and replicas of one broker."""

    __slots__ = ("_has_tidied", "_hosted", "_incarnation_id", "_logs", "_node_id", "coordinators", "lifecycle",
                 "producer_ids", "replicas")  # fmt: skip

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
        self._has_tidied = False
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
        self._hosted = None if replicas is None else HostedPartitions(config, logs, image, replicas)
        self.replicas = replicas
        """Leads and follows partitions; None for a broker that keeps none."""
        self.coordinators: CoordinatorsPart | None = None if self._hosted is None else self._hosted.coordinators

    def publish(self, image: MetadataImage, now_ms: int) -> list[Effect]:
        """Tell the machines what is committed now.

        Replicas hear nothing until the own registration is in the image: older records tell of an earlier life, and
        a broker that acted on them would lead in an epoch long over. Source: Kafka BrokerServer.startup.
        """
        registered, hosted = self._is_registered(image), self._hosted
        self.lifecycle.applied(image.offset, registered)
        if not registered or hosted is None:
            return []
        effects = hosted.coordinators.follow_topics(now_ms)
        effects += hosted.tell_brokers(image.eligible_brokers(), now_ms)
        effects += self._drop_lost(hosted, image, now_ms)
        for where, state in sorted(image.partitions.items()):
            if self._node_id in state.replicas and hosted.state(where) != state:
                effects += hosted.tell(where, state, now_ms, image.offset + 1)
        return effects + hosted.follow_settings()

    def _drop_lost(self, hosted: HostedPartitions, image: MetadataImage, now_ms: int) -> list[Effect]:
        """Partitions that are here no more: their topic is gone or is another one of that name, or they were moved.

        Once also what an earlier life left of such. A log of a topic that the metadata never had stays: better to keep
        too much than to follow lost metadata. Source: Kafka TopicDelta.localChanges, LogManager.isStrayReplica.
        """
        effects: list[Effect] = []
        for where, hosted_state in sorted(hosted.known().items()):
            state = image.partitions.get(where)
            if state is None or state.topic_id != hosted_state.topic_id:
                effects += hosted.drop(where)
            elif self._node_id not in state.replicas:
                effects += hosted.move_away(where, state, now_ms)
        if not self._has_tidied:
            self._has_tidied = True
            for where in self._logs.found():
                state = image.partitions.get(where)
                is_deleted = state is None and where.topic in image.deleted_topics
                if is_deleted or (state is not None and self._node_id not in state.replicas):
                    self._logs.remove(where)
        return effects

    def leaderless(self) -> set[TopicPartition]:
        """Its partitions that have no leader."""
        return set() if self._hosted is None else self._hosted.leaderless()

    def log_sizes(self) -> dict[TopicPartition, tuple[int, int]]:
        """Bytes in each log, and records in it that are not known to be committed."""
        return {} if self._hosted is None else self._hosted.log_sizes()

    def note_broker_epoch(self) -> None:
        """The others put the broker epoch of the newest registration in their requests."""
        self.producer_ids.broker_epoch = self.lifecycle.broker_epoch
        if self.replicas is not None:
            self.replicas.broker_epoch = self.lifecycle.broker_epoch

    def _is_registered(self, image: MetadataImage) -> bool:
        registered = image.brokers.get(self._node_id)
        return registered is not None and registered.incarnation_id == self._incarnation_id
