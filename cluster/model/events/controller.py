"""Events of the active controller and of broker life cycles."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import Epoch, NodeId, Offset
from cluster.model.positional import Positional

UNTOLD = -1


class ControllerActivated(Positional, kw_only=True):
    """A quorum leader became the active controller; in zookeeper mode a broker that has won the race."""

    name: ClassVar[str] = "ctl.activated"
    epoch: Epoch
    """Of the quorum, or the controller epoch."""


class ControllerDeactivated(Positional, kw_only=True):
    """The active controller lost leadership."""

    name: ClassVar[str] = "ctl.deactivated"
    epoch: Epoch
    """New quorum epoch; in zookeeper mode the controller epoch that it had."""
    why: str = ""
    """Told in zookeeper mode only."""


class BrokerRegistered(Positional, kw_only=True):
    """The controller took a registration."""

    name: ClassVar[str] = "ctl.broker_registered"
    broker_id: NodeId
    incarnation_id: str
    broker_epoch: int


class RegistrationRefused(Positional, kw_only=True):
    """The controller refused a registration."""

    name: ClassVar[str] = "ctl.registration_refused"
    broker_id: NodeId
    error: int


class BrokerFenced(Positional, kw_only=True):
    """The controller took a broker out of service."""

    name: ClassVar[str] = "ctl.broker_fenced"
    broker_id: NodeId
    broker_epoch: int
    why: str
    """session expired, asked, restarted."""
    asked_epoch: int = UNTOLD
    """Broker epoch in the heartbeat that led to it; -1 when none did, or in older traces."""


class BrokerUnfenced(Positional, kw_only=True):
    """The controller put a broker in service."""

    name: ClassVar[str] = "ctl.broker_unfenced"
    broker_id: NodeId
    broker_epoch: int
    asked_epoch: int = UNTOLD
    """Broker epoch in the heartbeat that led to it; -1 in older traces."""


class ControlledShutdownBegun(Positional, kw_only=True):
    """The controller began to move leaderships off a broker."""

    name: ClassVar[str] = "ctl.shutdown_begun"
    broker_id: NodeId
    asked_epoch: int = UNTOLD
    """Broker epoch in the heartbeat that led to it; -1 in older traces."""


class TopicCreated(Positional, kw_only=True):
    """The controller decided a new topic."""

    name: ClassVar[str] = "ctl.topic_created"
    topic: str
    topic_id: int
    """Unique."""
    partitions: int
    min_insync_replicas: int


class TopicDeleted(Positional, kw_only=True):
    """The controller decided that a topic goes."""

    name: ClassVar[str] = "ctl.topic_deleted"
    topic: str
    topic_id: int
    partitions: int
    """How many go with it."""


class TopicConfigChanged(Positional, kw_only=True):
    """The controller decided another value of a topic's setting."""

    name: ClassVar[str] = "ctl.topic_config_changed"
    topic: str
    config: str
    """Kafka's name of the setting."""
    value: str
    """New; empty for the default."""
    is_default: bool
    """Whether the default holds again."""


class PartitionDecided(Positional, kw_only=True):
    """The active controller decided a new partition state (not committed yet)."""

    name: ClassVar[str] = "ctl.partition_changed"
    topic: str
    partition: int
    leader: NodeId
    """-1 leaderless."""
    leader_epoch: Epoch
    """After the change."""
    partition_epoch: int
    """After the change."""
    isr: tuple[NodeId, ...]
    """After the change."""
    elr: tuple[NodeId, ...]
    """After the change."""
    replicas: tuple[NodeId, ...]
    """In assignment order."""
    min_insync_replicas: int
    """Effective."""
    why: str
    unclean: bool
    """True when the election may lose data."""
    leader_recovery_state: str = ""
    """recovering from an unclean election until the leader reports, else recovered; empty in older traces."""
    asked_epochs: tuple[int, ...] = ()
    """Broker, broker epoch, leader epoch and partition epoch in the AlterPartition that led to it; else empty."""
    adding_replicas: tuple[NodeId, ...] = ()
    """Of the replicas: those that a reassignment brings in."""
    removing_replicas: tuple[NodeId, ...] = ()
    """Of the replicas: those that leave when it is completed."""


class ReassignmentBegun(Positional, kw_only=True):
    """The active controller decided that replicas of a partition move; one that was under way has another target."""

    name: ClassVar[str] = "ctl.reassignment_begun"
    topic: str
    partition: int
    replicas: tuple[NodeId, ...]
    """Asked for, the preferred leader first."""
    adding_replicas: tuple[NodeId, ...]
    """Those that get a copy first."""
    removing_replicas: tuple[NodeId, ...]
    """Those that leave when all others are in sync."""


class ReassignmentEnded(Positional, kw_only=True):
    """The active controller decided that nothing of a partition moves any more."""

    name: ClassVar[str] = "ctl.reassignment_ended"
    topic: str
    partition: int
    how: str
    """completed, or cancelled: back to the replicas before."""
    replicas: tuple[NodeId, ...]
    """All that it has now."""
    left: tuple[NodeId, ...]
    """Those that lose their copy."""


class AlterPartitionRefused(Positional, kw_only=True):
    """The controller refused an ISR proposal."""

    name: ClassVar[str] = "ctl.alter_partition_refused"
    topic: str
    partition: int
    broker_id: NodeId
    error: int


class LogEndHeard(Positional, kw_only=True):
    """The active controller heard where a replica's log ends: the partition goes by majority and has no leader."""

    name: ClassVar[str] = "ctl.log_end_heard"
    topic: str
    partition: int
    broker_id: NodeId
    leader_epoch: Epoch
    """The one without a leader."""
    adopted_epoch: Epoch
    """Newest leader epoch with whose beginning that log is whole; -1 for none."""
    log_end_offset: Offset


class PartitionApplied(Positional, kw_only=True):
    """A broker applied committed partition metadata."""

    name: ClassVar[str] = "meta.partition_applied"
    topic: str
    partition: int
    leader: NodeId
    """-1 leaderless."""
    leader_epoch: Epoch
    """After the change."""
    partition_epoch: int
    """After the change."""
    isr: tuple[NodeId, ...]
    """After the change."""
    elr: tuple[NodeId, ...]
    """After the change."""
    replicas: tuple[NodeId, ...]
    """In assignment order."""
    min_insync_replicas: int
    """Effective."""
    metadata_offset: Offset = -1
    """One past the last metadata record applied with it; -1 not told."""
    adding_replicas: tuple[NodeId, ...] = ()
    """Of the replicas: those that a reassignment brings in."""
    removing_replicas: tuple[NodeId, ...] = ()
    """Of the replicas: those that leave when it is completed."""


class BrokerStateChanged(Positional, kw_only=True):
    """A broker moved in its own life cycle."""

    name: ClassVar[str] = "broker.state_changed"
    state: str
    """starting, recovery, running, pending_controlled_shutdown, shutting_down."""
    broker_epoch: int
    """-1 before registration."""


ControllerEvent: TypeAlias = (
    ControllerActivated
    | ControllerDeactivated
    | BrokerRegistered
    | RegistrationRefused
    | BrokerFenced
    | BrokerUnfenced
    | ControlledShutdownBegun
    | TopicCreated
    | TopicDeleted
    | TopicConfigChanged
    | PartitionDecided
    | ReassignmentBegun
    | ReassignmentEnded
    | AlterPartitionRefused
    | LogEndHeard
    | PartitionApplied
    | BrokerStateChanged
)
