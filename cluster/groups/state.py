"""What a coordinator knows: groups with their members, committed offsets, records that wait for their replicas.

Source: Kafka GroupMetadata, MemberMetadata, ClassicGroup.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from msgspec import Struct, field

from cluster.coordination.led_partition import Asker, Coordination, LedPartition
from cluster.groups.consumer.state import ConsumerGroup
from cluster.groups.group_state import GroupState
from cluster.model.effects import Effect
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Epoch, Offset, TopicPartition


class Member(Struct, kw_only=True):
    """One member of a group."""

    member_id: str
    """As given to it."""
    instance_id: str
    """Of a static member; empty for a dynamic one."""
    client_id: str
    """Untrusted text, as all text here."""
    client_host: str
    """Where it connects from."""
    session_timeout_ms: int
    """Silence after which it is out."""
    rebalance_timeout_ms: int
    """How long a rebalance waits for it."""
    protocols: tuple[tuple[str, bytes], ...]
    """(assignor, subscription) in its order of preference."""
    timer: str
    """Name of its session timer."""
    assignment: bytes = b""
    """Its part in this generation."""
    is_new: bool = True
    """It has not been in a generation yet."""
    heard_ms: int = 0
    """Its last sign of life."""
    joining: Asker | None = None
    syncing: Asker | None = None

    def subscription(self, protocol: str) -> bytes:
        """What it wants under an assignor; nothing when it does not know it."""
        return dict(self.protocols).get(protocol, b"")


class CommittedOffset(Struct, kw_only=True):
    """How far a group has read one partition."""

    offset: Offset
    """The next to read."""
    leader_epoch: Epoch = -1
    """Of the last record read; -1 unknown."""
    metadata: str = ""
    at_ms: int = 0
    """When it was committed, on the coordinator's clock."""


class PendingOffset(Struct):
    """What a transaction that is open wants to commit."""

    at_offset: Offset
    """Of its record in the offsets topic."""
    committed: CommittedOffset


class Presence(Struct, kw_only=True):
    """Signs of life of one member of a group of the newer protocol; never written down."""

    session_timer: str
    rebalance_timer: str
    """Ends its time to give partitions up."""
    rebalance_epoch: int = -1
    """Member epoch in which that time began; -1 when it is not on."""
    heard_ms: int = 0
    """Its last sign of life."""


class Queued(Struct):
    """A request that waits until the record before it is committed."""

    serve: Callable[[int], list[Effect]]
    """Called with the time when it is its turn."""
    refuse: Callable[[ErrorCode], list[Effect]]
    """Called instead when this broker coordinates the group no more."""


class Group(Struct, kw_only=True):
    """A consumer group as its coordinator keeps it: members of either protocol, and committed offsets."""

    name: str
    """Its id; untrusted text."""
    partition: int
    number: int
    state: GroupState = GroupState.EMPTY
    since_ms: int = 0
    """When it came to that state."""
    generation: int = 0
    protocol_type: str = ""
    """As the members say; empty when it only stores offsets."""
    protocol: str = ""
    leader: str = ""
    """Member id; empty for none."""
    members: dict[str, Member] = field(default_factory=dict)
    """By member id, in the order of their coming."""
    static_ids: dict[str, str] = field(default_factory=dict)
    """Member ids of static members by instance id."""
    pending_members: dict[str, str] = field(default_factory=dict)
    """Ids that were given out and not used yet, with the timer that ends each."""
    pending_sync: set[str] = field(default_factory=set)
    """Members of this generation that have not asked for their part."""
    is_initial: bool = False
    """The join phase is the first after Empty: it waits for more members instead of completing."""
    remaining_ms: int = 0
    """How much longer such a phase may be extended."""
    has_new_member: bool = False
    """Somebody came during such a phase."""
    offsets: dict[TopicPartition, CommittedOffset] = field(default_factory=dict)
    """Committed."""
    pending_offsets: dict[int, dict[TopicPartition, PendingOffset]] = field(default_factory=dict)
    """Of transactions that are open, by producer id."""
    pending_commits: int = 0
    """Offset commits that wait for their replicas."""
    consumer: ConsumerGroup | None = None
    """What its records say when its members speak the newer protocol (KIP-848); None for a classic group."""
    presence: dict[str, Presence] = field(default_factory=dict)
    """By member id, of members that speak the newer protocol."""
    is_writing: bool = False
    """Newer protocol: a change of the group waits for its replicas; who comes meanwhile waits too."""
    queue: list[Queued] = field(default_factory=list)
    """Who waits, in the order of their coming."""

    @property
    def has_members(self) -> bool:
        """Whether anybody is in it, of either protocol."""
        return bool(self.members) or (self.consumer is not None and bool(self.consumer.members))

    @property
    def is_blank(self) -> bool:
        """Whether nothing of it was ever written and nobody waits for that: it was made for a commit that failed."""
        has_record = bool(self.generation or self.protocol_type or self.offsets or self.consumer is not None)
        is_awaited = bool(self.pending_commits or self.pending_offsets or self.pending_members or self.queue)
        return not (has_record or is_awaited or self.has_members)

    @property
    def join_timer(self) -> str:
        """Ends the join phase."""
        return f"groups.join.{self.number}"

    @property
    def sync_timer(self) -> str:
        """Ends the wait for members that do not sync."""
        return f"groups.sync.{self.number}"

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest of its members."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    @property
    def has_all_joined(self) -> bool:
        """Whether nobody is missing from the next generation."""
        return not self.pending_members and all(member.joining for member in self.members.values())

    def subscriptions(self) -> tuple[tuple[str, str, bytes], ...]:
        """(member id, instance id, subscription under the chosen assignor) of all."""
        return tuple(
            (item.member_id, item.instance_id, item.subscription(self.protocol)) for item in self.members.values()
        )


class Shard(LedPartition, kw_only=True):
    """One partition of __consumer_offsets that this broker leads."""

    groups: dict[str, Group] = field(default_factory=dict)


class Shared(Coordination, kw_only=True):
    """What all groups of one broker share."""

    incarnation_id: str
    """Random for each process start: makes member ids unique."""
    timers: dict[str, tuple[str, str]] = field(default_factory=dict)
    """(group, member id or empty) by name of the timer."""

    def member_id(self, prefix: str) -> str:
        """A fresh member id: Kafka appends a random UUID to the client id or the instance id."""
        drawn = sha256(f"{self.incarnation_id}/{self.number()}".encode()).hexdigest()
        parts = (drawn[:8], drawn[8:12], drawn[12:16], drawn[16:20], drawn[20:32])
        return f"{prefix}-{'-'.join(parts)}"


def found_group(shared: Shared, shard: Shard, name: str, now_ms: int) -> Group:
    """A group of a partition; made now when there is none of this name."""
    if name not in shard.groups:
        shard.groups[name] = Group(name=name, partition=shard.partition, number=shared.number(), since_ms=now_ms)
    return shard.groups[name]
