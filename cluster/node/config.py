"""What one node is told about itself and its cluster, and how it gets at its logs."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from cluster.model.identifiers import NodeId, Offset, TopicPartition
from cluster.model.log_view import LogView
from cluster.model.settings import Settings

CONTROLLER_ROLE = "controller"
BROKER_ROLE = "broker"
INCARNATION_SHIFT = 40


class NodeConfig(Struct, frozen=True, kw_only=True):
    """One node's place in the cluster. Source: Kafka process.roles, node.id, controller.quorum.voters."""

    node_id: NodeId
    roles: tuple[str, ...]
    """controller, broker or both."""
    controllers: tuple[NodeId, ...]
    """The voters of the quorum."""
    brokers: tuple[NodeId, ...]
    """Every broker of the run."""
    settings: Settings
    incarnation_id: str
    """Random per process start."""
    incarnation: int = 0
    """Which start of the node this is, from 0."""

    @property
    def first_correlation(self) -> int:
        """Where the numbers of its requests begin: those of another start never come again.

        An answer that was long in coming would else be taken for the answer to the next start's request of that number.
        """
        return self.incarnation << INCARNATION_SHIFT

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

    def found(self) -> tuple[TopicPartition, ...]:
        """Partitions that have a log, the metadata log included."""

    def remove(self, topic_partition: TopicPartition) -> None:
        """Drop a log with all its records; nothing happens when there is none."""

    def size_bytes(self, topic_partition: TopicPartition) -> int:
        """Of all that an open log holds."""
