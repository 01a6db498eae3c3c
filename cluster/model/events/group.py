"""Events of consumer groups, told by their coordinators."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import Epoch, Offset
from cluster.model.positional import Positional

LOADED_TOLD_MAX = 2_000
"""So many groups and offsets stand in one event at most."""


class CoordinatorLoaded(Positional, kw_only=True):
    """A broker has read a partition of __consumer_offsets and serves its groups from now on."""

    name: ClassVar[str] = "group.coordinator_loaded"
    partition: int
    leader_epoch: Epoch
    """In which it leads the partition."""
    end_offset: Offset
    """Read up to here (exclusive)."""
    groups: tuple[tuple[str, int], ...]
    """(group, generation) each, as read; the first 2000 by name."""
    offsets: tuple[tuple[str, str, int, Offset], ...]
    """(group, topic, partition, committed offset) each, as read; the first 2000 by name."""


class CoordinatorResigned(Positional, kw_only=True):
    """A broker leads a partition of __consumer_offsets no more and has forgotten its groups."""

    name: ClassVar[str] = "group.coordinator_resigned"
    partition: int
    leader_epoch: Epoch
    """In which it led."""
    groups: int
    """How many it served."""


class GroupMemberJoined(Positional, kw_only=True):
    """A member is new in a group."""

    name: ClassVar[str] = "group.member_joined"
    group: str
    """Which group; untrusted text, as all text below."""
    member_id: str
    """As given to it."""
    instance_id: str
    """Of a static member; empty for a dynamic one."""
    client_id: str
    """Who the client says it is."""
    client_host: str
    """Where it connects from."""
    generation: int
    """Of the group when it came."""
    session_timeout_ms: int
    """Silence after which it is out."""
    rebalance_timeout_ms: int
    """How long a rebalance waits for it."""


class GroupMemberLeft(Positional, kw_only=True):
    """A member is out of a group."""

    name: ClassVar[str] = "group.member_left"
    group: str
    member_id: str
    instance_id: str
    """Of a static member; empty for a dynamic one."""
    generation: int
    """Of the group when it left."""
    why: str
    """left, session_expired, join_expired, not_rejoined, not_synced, replaced; newer protocol: rebalance_expired."""
    silent_ms: int
    """Since its last sign of life."""


class GroupStateChanged(Positional, kw_only=True):
    """A group goes from one state to another."""

    name: ClassVar[str] = "group.state_changed"
    group: str
    before: str
    """Empty, Stable, Dead; PreparingRebalance, CompletingRebalance; in the newer protocol Assigning, Reconciling."""
    state: str
    generation: int
    members: tuple[str, ...]
    why: str


class GroupGenerationBegan(Positional, kw_only=True):
    """All that are to be in a generation have joined; its leader computes the assignment."""

    name: ClassVar[str] = "group.generation_began"
    group: str
    generation: int
    """From 1."""
    protocol: str
    leader: str
    members: tuple[str, ...]
    subscriptions: tuple[tuple[str, str], ...]
    """(member id, topic) each, as far as the subscriptions can be read."""


class GroupAssigned(Positional, kw_only=True):
    """The assignment of a generation is committed to the offsets topic; members may have it."""

    name: ClassVar[str] = "group.assigned"
    group: str
    generation: int
    protocol: str
    """The assignor that made it."""
    offset: Offset
    """Where it stands in the group's partition of __consumer_offsets."""
    assignments: tuple[tuple[str, str, int], ...]
    """(member id, topic, partition) each, as far as the assignment can be read."""


class GroupRequestRefused(Positional, kw_only=True):
    """A coordinator says no to a member."""

    name: ClassVar[str] = "group.request_refused"
    function: str
    """join, sync, heartbeat, leave; consumer heartbeat of the newer protocol."""
    group: str
    member_id: str
    """Who asked; empty for nobody yet."""
    generation: int
    """As the member said; -1 for none."""
    error: int
    group_generation: int
    """The group's own; -1 when there is no such group."""
    state: str
    """The group's; empty when there is no such group."""


class OffsetsCommitted(Positional, kw_only=True):
    """Offsets of a group are committed to the offsets topic."""

    name: ClassVar[str] = "group.offsets_committed"
    group: str
    member_id: str
    """Who; empty for a consumer that belongs to no group."""
    generation: int
    """The member's; -1 for a consumer that belongs to no group."""
    offset: Offset
    """Of the first record, in the group's partition of __consumer_offsets."""
    offsets: tuple[tuple[str, int, Offset], ...]
    """(topic, partition, next offset to read) each."""
    producer_id: int = -1
    """Of the transaction that has committed them; its marker is the record then. -1 for a commit of its own."""


class OffsetCommitRefused(Positional, kw_only=True):
    """Offsets of a group were not taken."""

    name: ClassVar[str] = "group.commit_refused"
    group: str
    member_id: str
    """Who; empty for a consumer that belongs to no group."""
    generation: int
    error: int
    group_generation: int
    """The group's own; -1 when there is no such group."""
    state: str
    """The group's; empty when there is no such group."""
    offsets: tuple[tuple[str, int, Offset], ...]
    """(topic, partition, next offset to read) each."""


class OffsetsForgotten(Positional, kw_only=True):
    """Offsets of a group are taken out of the offsets topic."""

    name: ClassVar[str] = "group.offsets_forgotten"
    group: str
    why: str
    """expired, deleted, group deleted, topic deleted."""
    partitions: tuple[tuple[str, int], ...]
    """(topic, partition) each."""


class ConsumerGroupLoaded(Positional, kw_only=True):
    """What a new coordinator has read of a group of the newer protocol (KIP-848). One for each such group."""

    name: ClassVar[str] = "group.consumer_loaded"
    group: str
    """Which group; untrusted text, as all text below."""
    group_epoch: int
    target_epoch: int
    """Group epoch for which the target assignment was computed."""
    end_offset: Offset
    """Read up to here (exclusive), in the group's partition of __consumer_offsets."""
    members: tuple[tuple[str, str, int], ...]
    """(member id, client id, member epoch) each."""
    held: tuple[tuple[str, str, int], ...]
    """(member id, topic, partition) that a member may have, or has yet to say that it has given up."""


class ConsumerGroupTargeted(Positional, kw_only=True):
    """The target assignment of a group epoch is committed: what each member of the newer protocol is to have."""

    name: ClassVar[str] = "group.target_assigned"
    group: str
    group_epoch: int
    """Of the group, and now of its target assignment."""
    assignor: str
    """The coordinator's assignor that made it."""
    offset: Offset
    """Of the first record, in the group's partition of __consumer_offsets."""
    members: tuple[str, ...]
    subscriptions: tuple[tuple[str, str], ...]
    """(member id, topic) each."""
    assignments: tuple[tuple[str, str, int], ...]
    """(member id, topic, partition) each."""


class ConsumerMemberReconciled(Positional, kw_only=True):
    """A member of the newer protocol has come one step closer to its target assignment; it is committed."""

    name: ClassVar[str] = "group.member_reconciled"
    group: str
    member_id: str
    member_epoch: int
    """From now on; -2 for a static member that is away for a while."""
    target_epoch: int
    """The epoch that it is to come to."""
    state: str
    """stable, unrevoked_partitions, unreleased_partitions."""
    offset: Offset
    """Of the first record, in the group's partition of __consumer_offsets."""
    assigned: tuple[tuple[str, int], ...]
    """(topic, partition) that it may have."""
    revoking: tuple[tuple[str, int], ...]
    """(topic, partition) that it has to give up, and may still have."""


GroupEvent: TypeAlias = (
    CoordinatorLoaded
    | CoordinatorResigned
    | GroupMemberJoined
    | GroupMemberLeft
    | GroupStateChanged
    | GroupGenerationBegan
    | GroupAssigned
    | GroupRequestRefused
    | OffsetsCommitted
    | OffsetCommitRefused
    | OffsetsForgotten
    | ConsumerGroupLoaded
    | ConsumerGroupTargeted
    | ConsumerMemberReconciled
)
