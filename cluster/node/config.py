"""What one node is told about itself and its cluster, and how it gets at its logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from cluster.model.identifiers import NodeId, Offset, TopicPartition
from cluster.model.log_view import LogView
from cluster.model.settings import Settings
from cluster.model.voters import NO_DIRECTORY, Voter, VoterSet, directory_id_of

CONTROLLER_ROLE = "controller"
BROKER_ROLE = "broker"
COORDINATOR_ROLE = "zookeeper"
INCARNATION_SHIFT = 40


class NodeConfig(Struct, frozen=True, kw_only=True):
    """One node's place in the cluster. Source: Kafka process.roles, node.id, controller.quorum.voters."""

    node_id: NodeId
    roles: tuple[str, ...]
    """controller, broker or both; with control=zookeeper, zookeeper or broker."""
    controllers: tuple[NodeId, ...]
    """All: controller.quorum.voters of a static quorum, controller.quorum.bootstrap.servers of a dynamic one; with
    control=zookeeper, the one coordinator."""
    brokers: tuple[NodeId, ...]
    """Every broker of the run."""
    settings: Settings
    incarnation_id: str
    """Random per process start."""
    incarnation: int = 0
    """Which start of the node this is, from 0."""
    run: str = ""
    """Its id; the disks of a dynamic quorum have theirs from it."""

    @property
    def first_correlation(self) -> int:
        """Where the numbers of its requests begin: those of another start never come again.

        An answer that was long in coming would else be taken for the answer to the next start's request of that number.
        """
        return self.incarnation << INCARNATION_SHIFT

    @property
    def first_voters(self) -> VoterSet:
        """What a dynamic quorum begins with. Source: kafka-storage format --initial-controllers."""
        last = len(self.controllers) - min(self.settings.spare_controllers, len(self.controllers) - 1)
        has_disks = self.settings.voter_directories
        return tuple(
            Voter(node, directory_id_of(self.run, node, 0) if has_disks else NO_DIRECTORY)
            for node in self.controllers[:last]
        )

    @property
    def is_controller(self) -> bool:
        """Whether it votes and may decide."""
        return CONTROLLER_ROLE in self.roles

    @property
    def is_broker(self) -> bool:
        """Whether it keeps data partitions."""
        return BROKER_ROLE in self.roles


class LogStore(Protocol):
    """Where a node finds its logs."""

    def open(self, topic_partition: TopicPartition, topic_id: int = -1) -> tuple[LogView, Offset]:
        """The log and its checkpointed high watermark (exclusive); an absent log is made.

        A log that was made for a topic of another id is dropped first; -1 takes it as it is.
        """

    def configure(self, topic_partition: TopicPartition, own: Mapping[str, str]) -> None:
        """Follow the settings of an open log's topic, by Kafka's names."""

    def found(self) -> tuple[TopicPartition, ...]:
        """Partitions that have a log, the metadata log included."""

    def remove(self, topic_partition: TopicPartition) -> None:
        """Drop a log with all its records; nothing happens when there is none."""

    def size_bytes(self, topic_partition: TopicPartition) -> int:
        """Of all that an open log holds."""
