"""BrokerRegistration, BrokerHeartbeat, Metadata: a broker joins, says that it is alive, and tells who leads what."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.partition_state import PartitionState
from cluster.model.positional import Positional


class BrokerRegistrationRequest(Positional, kw_only=True):
    """Register me. Source: KIP-631, API key 62."""

    wire_number: ClassVar[int] = 8
    broker_id: NodeId
    incarnation_id: str
    """Random per process start."""
    previous_broker_epoch: int = -1
    """From the clean-shutdown marker; -1 after an unclean stop."""


class BrokerRegistrationResponse(Positional, kw_only=True):
    """Accepted with a broker epoch, or refused."""

    wire_number: ClassVar[int] = 9
    error: ErrorCode = ErrorCode.NONE
    broker_epoch: int = -1
    """Offset of the registration record."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""


class BrokerHeartbeatRequest(Positional, kw_only=True):
    """I am alive. Source: KIP-631, API key 63."""

    wire_number: ClassVar[int] = 10
    broker_id: NodeId
    broker_epoch: int
    metadata_offset: Offset
    """Offset of the last applied metadata record; -1 for none."""
    want_fence: bool
    """Asks to stay or become fenced."""
    want_shut_down: bool
    """Asks for a controlled shutdown."""


class BrokerHeartbeatResponse(Positional, kw_only=True):
    """Whether the controller has the broker fenced, in service or shutting down."""

    wire_number: ClassVar[int] = 11
    error: ErrorCode = ErrorCode.NONE
    is_caught_up: bool = False
    """It has applied its own registration."""
    is_fenced: bool = True
    should_shut_down: bool = False
    """Leaderships are moved: it may go."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""


class MetadataRequest(Positional, kw_only=True):
    """Tell me leaders and brokers. Source: API key 3."""

    wire_number: ClassVar[int] = 20
    topics: tuple[str, ...] = ()
    """Empty for all."""


class MetadataResponse(Positional, kw_only=True):
    """What the answering broker has applied."""

    wire_number: ClassVar[int] = 21
    error: ErrorCode = ErrorCode.NONE
    controller_id: NodeId = NO_NODE
    """Active controller as known, or -1."""
    brokers: tuple[NodeId, ...]
    """Unfenced brokers."""
    partitions: tuple[tuple[str, int, PartitionState], ...]
    """(topic, partition, committed state) each; the state holds topic id, replicas, ISR, leader and leader epoch."""


BrokerMessage: TypeAlias = (
    BrokerRegistrationRequest
    | BrokerRegistrationResponse
    | BrokerHeartbeatRequest
    | BrokerHeartbeatResponse
    | MetadataRequest
    | MetadataResponse
)
