"""Members and groups of consumers: the classic protocol, and the newer one of KIP-848."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class FindCoordinatorRequest(Positional, kw_only=True):
    """Who coordinates this group, or this transactional id? Source: API key 10."""

    wire_number: ClassVar[int] = 44
    group: str
    """Its name, or the key that is asked about; untrusted text."""
    of_transaction: bool = False
    """The key is a transactional id, not a group."""


class FindCoordinatorResponse(Positional, kw_only=True):
    """The leader of the key's partition of __consumer_offsets or __transaction_state."""

    wire_number: ClassVar[int] = 45
    error: ErrorCode = ErrorCode.NONE
    group: str
    coordinator: NodeId = NO_NODE
    """The broker; -1 with an error."""


class JoinGroupRequest(Positional, kw_only=True):
    """Let me in. Source: KIP-62, KIP-345, KIP-394, API key 11."""

    wire_number: ClassVar[int] = 46
    group: str
    """Untrusted text, as all text below."""
    member_id: str = ""
    """Empty for a member that has none yet."""
    instance_id: str = ""
    """group.instance.id of a static member; empty for a dynamic one."""
    client_id: str
    """Who the client says it is."""
    client_host: str = ""
    """Where it connects from."""
    session_timeout_ms: int
    """Silence after which the member is out."""
    rebalance_timeout_ms: int
    """How long a rebalance waits for the member."""
    protocol_type: str
    """consumer for consumers."""
    protocols: tuple[tuple[str, bytes], ...]
    """(assignor, subscription) in the member's order of preference."""
    needs_member_id: bool = True
    """A new dynamic member is first given an id and has to come again with it (version 4 and later)."""
    can_skip_assignment: bool = True
    """A returning static leader may be told to keep the assignment (version 9 and later)."""


class JoinGroupResponse(Positional, kw_only=True):
    """The generation; its leader also learns all subscriptions."""

    wire_number: ClassVar[int] = 47
    error: ErrorCode = ErrorCode.NONE
    generation: int = -1
    """Counts the rebalances of the group."""
    protocol_type: str = ""
    """As the members said."""
    protocol: str = ""
    """The assignor that was chosen."""
    leader: str = ""
    """Member id of the group's leader, who computes the assignment."""
    skip_assignment: bool = False
    """The leader keeps the assignment there is."""
    member_id: str = ""
    """The member's own id."""
    members: tuple[tuple[str, str, bytes], ...] = ()
    """(member id, instance id, subscription) of all; for the leader only."""


class SyncGroupRequest(Positional, kw_only=True):
    """Give me my part; the leader sends those of all. Source: API key 14."""

    wire_number: ClassVar[int] = 48
    group: str
    """Untrusted text, as all text below."""
    generation: int
    member_id: str
    """As given by JoinGroup."""
    instance_id: str = ""
    """group.instance.id of a static member; empty for a dynamic one."""
    protocol_type: str = ""
    """Must be the group's unless empty."""
    protocol: str = ""
    """Must be the chosen assignor unless empty."""
    assignments: tuple[tuple[str, bytes], ...] = ()
    """(member id, its part); from the leader only."""


class SyncGroupResponse(Positional, kw_only=True):
    """The member's part."""

    wire_number: ClassVar[int] = 49
    error: ErrorCode = ErrorCode.NONE
    protocol_type: str = ""
    protocol: str = ""
    assignment: bytes = b""
    """As the leader wrote it."""


class HeartbeatRequest(Positional, kw_only=True):
    """I am still here. Source: API key 12."""

    wire_number: ClassVar[int] = 50
    group: str
    """Untrusted text."""
    generation: int
    member_id: str
    """As given by JoinGroup."""
    instance_id: str = ""
    """group.instance.id of a static member; empty for a dynamic one."""


class HeartbeatResponse(Positional, kw_only=True):
    """Go on, or join again."""

    wire_number: ClassVar[int] = 51
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode; REBALANCE_IN_PROGRESS asks the member to join again."""


class LeaveGroupRequest(Positional, kw_only=True):
    """Remove these members. Source: KIP-345, API key 13."""

    wire_number: ClassVar[int] = 52
    group: str
    """Untrusted text."""
    members: tuple[tuple[str, str], ...]
    """(member id, instance id) each; an empty member id names a static member by its instance id."""


class LeaveGroupResponse(Positional, kw_only=True):
    """What became of each."""

    wire_number: ClassVar[int] = 53
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode; when it is not NONE, nothing was done."""
    members: tuple[tuple[str, str, int], ...] = ()
    """(member id, instance id, ErrorCode) in the order of the request."""


class ConsumerGroupHeartbeatRequest(Positional, kw_only=True):
    """I am here, I want this, I own that. What is None has not changed since the member last said it.

    Source: KIP-848, API key 68.
    """

    wire_number: ClassVar[int] = 66
    group: str
    """Untrusted text, as all text below."""
    member_id: str = ""
    """Made by the member; empty when an old one asks the coordinator for an id."""
    member_epoch: int
    """As last told; 0 joins, -1 leaves, -2 leaves for a while and keeps its place (static members only)."""
    instance_id: str | None = None
    """group.instance.id of a static member."""
    rack_id: str | None = None
    """client.rack."""
    rebalance_timeout_ms: int = -1
    """How long the member may take to give partitions up; -1 unchanged."""
    topics: tuple[str, ...] | None = None
    """Topics it subscribes to."""
    pattern: str | None = None
    """Pattern of topics it subscribes to."""
    assignor: str | None = None
    """The assignor of the coordinator that it would like; empty for whichever."""
    owned: tuple[tuple[int, int], ...] | None = None
    """(topic id, partition) of all it owns now."""
    client_id: str = ""
    """Who the client says it is."""
    client_host: str = ""
    """Where it connects from."""
    makes_member_id: bool = True
    """Version 1 or newer: a member brings its own id."""


class ConsumerGroupHeartbeatResponse(Positional, kw_only=True):
    """What the member is to own."""

    wire_number: ClassVar[int] = 67
    error: ErrorCode = ErrorCode.NONE
    message: str = ""
    """Why it is refused, for people."""
    member_id: str = ""
    member_epoch: int = 0
    """The member's, from now on."""
    heartbeat_interval_ms: int = 0
    """When to come again."""
    assignment: tuple[tuple[int, int], ...] | None = None
    """(topic id, partition) of all it is to own; None leaves it as it was."""


class ConsumerGroupDescribeRequest(Positional, kw_only=True):
    """What does the coordinator know of these groups? Source: KIP-848, API key 69."""

    wire_number: ClassVar[int] = 68
    groups: tuple[str, ...]
    """Untrusted text."""


class ConsumerGroupDescribeResponse(Positional, kw_only=True):
    """One entry for each group asked for, in that order."""

    wire_number: ClassVar[int] = 69
    groups: tuple[tuple[int, str, str, int, int, str], ...] = ()
    """(ErrorCode, group, state, group epoch, target epoch, assignor) each."""
    members: tuple[tuple[str, str, str, str, int, str, str, tuple[str, ...], str], ...] = ()
    """(group, member id, instance id, rack id, member epoch, client id, host, subscribed topics, pattern) each."""
    current: tuple[tuple[str, str, int, str, int], ...] = ()
    """(group, member id, topic id, topic, partition) that members own or may own."""
    target: tuple[tuple[str, str, int, str, int], ...] = ()
    """The same for what they are to own in the end."""


class DescribeGroupsRequest(Positional, kw_only=True):
    """What does the coordinator know of these groups? Source: API key 15."""

    wire_number: ClassVar[int] = 58
    groups: tuple[str, ...]
    """Untrusted text."""


class DescribeGroupsResponse(Positional, kw_only=True):
    """One entry for each group asked for, in that order."""

    wire_number: ClassVar[int] = 59
    groups: tuple[tuple[int, str, str, str, str], ...] = ()
    """(ErrorCode, group, state, protocol type, chosen assignor) each; a group that is not known is Dead."""
    members: tuple[tuple[str, str, str, str, str, bytes, bytes], ...] = ()
    """(group, member id, instance id, client id, host, subscription, assignment) each."""


class ListGroupsRequest(Positional, kw_only=True):
    """Which groups are there? Source: KIP-518, KIP-848, API key 16."""

    wire_number: ClassVar[int] = 60
    states: tuple[str, ...] = ()
    """Only groups in these states; empty for all."""
    types: tuple[str, ...] = ()
    """Only groups of these types (classic, consumer), in any case; empty for all."""


class ListGroupsResponse(Positional, kw_only=True):
    """Names and states."""

    wire_number: ClassVar[int] = 61
    error: ErrorCode = ErrorCode.NONE
    groups: tuple[tuple[str, str, str, str], ...] = ()
    """(group, protocol type, state, type) each."""


class DeleteGroupsRequest(Positional, kw_only=True):
    """Forget these groups. Source: KIP-229, API key 42."""

    wire_number: ClassVar[int] = 62
    groups: tuple[str, ...]
    """Untrusted text."""


class DeleteGroupsResponse(Positional, kw_only=True):
    """What became of each."""

    wire_number: ClassVar[int] = 63
    groups: tuple[tuple[str, int], ...] = ()
    """(group, ErrorCode) in the order of the request."""


GroupMessage: TypeAlias = (
    FindCoordinatorRequest
    | FindCoordinatorResponse
    | JoinGroupRequest
    | JoinGroupResponse
    | SyncGroupRequest
    | SyncGroupResponse
    | HeartbeatRequest
    | HeartbeatResponse
    | LeaveGroupRequest
    | LeaveGroupResponse
    | ConsumerGroupHeartbeatRequest
    | ConsumerGroupHeartbeatResponse
    | ConsumerGroupDescribeRequest
    | ConsumerGroupDescribeResponse
    | DescribeGroupsRequest
    | DescribeGroupsResponse
    | ListGroupsRequest
    | ListGroupsResponse
    | DeleteGroupsRequest
    | DeleteGroupsResponse
)
