"""What the active controller is asked to do about topics: make, grow and delete them, elect leaders, move replicas."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages.configs import ToldConfig
from cluster.model.positional import Positional


class CreateTopicRequest(Positional, kw_only=True):
    """Create it. Source: API key 19."""

    wire_number: ClassVar[int] = 14
    topic: str
    partitions: int
    replication_factor: int
    min_insync_replicas: int = 1
    """Least ISR size for acks=all."""
    assignments: tuple[tuple[NodeId, ...], ...] = ()
    """Replicas of each partition in order; empty lets the controller place them."""
    configs: tuple[tuple[str, str], ...] = ()
    """(setting, value) each, by Kafka's names; they go before min_insync_replicas."""
    validate_only: bool = False
    """Only say whether it could be done."""


class CreateTopicResponse(Positional, kw_only=True):
    """Done, or why not."""

    wire_number: ClassVar[int] = 15
    error: ErrorCode = ErrorCode.NONE
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
    reason: str = ""
    """In words; empty without an error."""
    topic_id: int = 0
    """Of the new topic."""
    configs: tuple[ToldConfig, ...] = ()
    """What it has now."""


class CreatePartitionsRequest(Positional, kw_only=True):
    """Have it have this many. Source: KIP-195, API key 37."""

    wire_number: ClassVar[int] = 30
    topic: str
    count: int
    """Partitions it is to have, those it has included."""
    assignments: tuple[tuple[NodeId, ...], ...] = ()
    """Replicas of each new partition, in order; empty lets the controller place them."""
    validate_only: bool = False
    """Only say whether it could be done."""


class CreatePartitionsResponse(Positional, kw_only=True):
    """Done, or why not."""

    wire_number: ClassVar[int] = 31
    error: ErrorCode = ErrorCode.NONE
    reason: str = ""
    """In words; empty without an error."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""


class DeleteTopicRequest(Positional, kw_only=True):
    """Remove it. Source: API key 20, KIP-516."""

    wire_number: ClassVar[int] = 40
    topic: str


class DeleteTopicResponse(Positional, kw_only=True):
    """Decided and committed, or why not; brokers drop their logs when they have read of it."""

    wire_number: ClassVar[int] = 41
    error: ErrorCode = ErrorCode.NONE
    reason: str = ""
    """In words; empty without an error."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""


class ElectLeadersRequest(Positional, kw_only=True):
    """Elect. Source: KIP-183, KIP-460, API key 43."""

    wire_number: ClassVar[int] = 16
    topic: str
    partition: int
    unclean: bool
    """False elects the preferred leader; true allows loss."""


class ElectLeadersResponse(Positional, kw_only=True):
    """Done, or why not."""

    wire_number: ClassVar[int] = 17
    error: ErrorCode = ErrorCode.NONE
    leader_id: NodeId = NO_NODE
    """Active controller as known."""


class ReassignPartitionRequest(Positional, kw_only=True):
    """Move one partition to other brokers. Source: KIP-455, API key 45 (AlterPartitionReassignments)."""

    wire_number: ClassVar[int] = 118
    topic: str
    partition: int
    replicas: tuple[NodeId, ...] | None
    """All that it is to have, the preferred leader first; None cancels what goes on."""
    may_change_factor: bool = True
    """Whether it may have more or fewer replicas then (KIP-860)."""


class ReassignPartitionResponse(Positional, kw_only=True):
    """Begun, which is not done; or why not."""

    wire_number: ClassVar[int] = 119
    error: ErrorCode = ErrorCode.NONE
    reason: str = ""
    """In words; empty without an error."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""


TopicMessage: TypeAlias = (
    CreateTopicRequest
    | CreateTopicResponse
    | CreatePartitionsRequest
    | CreatePartitionsResponse
    | DeleteTopicRequest
    | DeleteTopicResponse
    | ElectLeadersRequest
    | ElectLeadersResponse
    | ReassignPartitionRequest
    | ReassignPartitionResponse
)
