"""Consumer groups as coordinators and members tell of them. Beliefs follow the order of the offsets topic's log.

A coordinator that was replaced may tell late of a record that its successor has read already: what stands in the log
below the place up to which the successor read is old news.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.entry import EventId
from cluster.model.identifiers import OFFSETS_TOPIC, NodeId, Offset, TopicPartition

Key = tuple[str, int]
_INT_MIN = -(1 << 31)


def coordinator_partition(group: str, count: int) -> int:
    """Where a group belongs: |String.hashCode| modulo the partitions. Source: Kafka Utils.abs, GroupMetadataManager."""
    units = group.encode("utf-16-be", "surrogatepass")
    value = 0
    for index in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[index : index + 2], "big")) & 0xFFFF_FFFF
    value -= (1 << 32) if value >= 1 << 31 else 0
    return (0 if value == _INT_MIN else abs(value)) % count


@dataclass(slots=True)
class Commit:
    """A committed offset."""

    offset: Offset
    event: EventId
    """Who told of it."""
    is_ours: bool
    """Committed by a built-in member, which never goes back by itself."""
    generation: int


class Aim(NamedTuple):
    """A target assignment of the newer protocol."""

    event: EventId
    """Who told of it."""
    group_epoch: int
    subscriptions: tuple[tuple[str, str], ...]
    """(member, topic) each."""
    topics: frozenset[str]
    """Those of which somebody is to have a partition."""
    left_out_ns: dict[str, int]
    """Those of which nobody is to have anything, though a member subscribes, and since when the process says so."""

    def left_out(self, members: Container[str]) -> list[str]:
        """Topics to which these members subscribe and of which nobody is to have anything."""
        return sorted({topic for member, topic in self.subscriptions if member in members} - self.topics)


@dataclass(slots=True)
class GroupGhost:
    """What the trace has told of a group so far."""

    members: dict[str, int] = field(default_factory=dict)
    """Member id to session timeout in ms, of those that are in; 0 when nobody told of its coming."""
    began: int = 0
    """Newest generation that a coordinator began."""
    left: int = 0
    """Newest generation whose members were asked to join again: it takes commits, also if no assignment was written."""
    subscriptions: tuple[tuple[str, str], ...] = ()
    """(member, topic) of that generation."""
    began_members: dict[int, set[str]] = field(default_factory=dict)
    """Members of each generation."""
    begun_by: dict[tuple[NodeId, int], set[str]] = field(default_factory=dict)
    """Members of each generation as a coordinator began it: one that is none any more begins its own."""
    generation: int = 0
    """Newest whose assignment is committed."""
    assigned: EventId | None = None
    owners: dict[Key, str] = field(default_factory=dict)
    """Partition to member, in that generation."""
    withheld: tuple[Key, ...] = ()
    """Subscribed partitions that nobody has in that generation, because somebody had yet to give them up."""
    commits: dict[Key, Commit] = field(default_factory=dict)
    """Newest committed offset of each partition."""
    history: dict[Key, list[Offset]] = field(default_factory=dict)
    """All of them, in order."""
    leaders: dict[int, str] = field(default_factory=dict)
    """Member that divides the partitions of each generation of the older protocol."""
    is_led_by_stranger: bool = False
    """A Kafka client divided the partitions of that generation, by an assignor that nobody here knows."""
    is_dying: bool = False
    """Its coordinator was about to forget it."""
    has_strangers: bool = False
    """Somebody who is no built-in member commits, too."""
    is_consumer: bool = False
    """Its members speak the newer protocol; its generation is its group epoch."""
    aimed: Aim | None = None
    """The newest target assignment of the newer protocol."""
    epochs: dict[str, tuple[int, EventId]] = field(default_factory=dict)
    """Member epoch and who told of it, by member id, of members of the newer protocol."""
    holds: dict[str, set[Key]] = field(default_factory=dict)
    """What each of them may have, or has yet to give up."""

    def forget(self) -> None:
        """Its coordinator says that it is no more; another of its name begins anew, and keeps the offsets."""
        self.generation, self.is_consumer = 0, False
        self.epochs, self.holds, self.aimed = {}, {}, None


@dataclass(slots=True)
class Owner:
    """Who holds a partition, as it says itself."""

    member_id: str
    event: EventId
    commits_then: int = 0
    """How many commits of the partition there were when it got it."""
    position: Offset = -1
    """Where it stands; -1 before it knows."""


class GroupBook:
    """All groups of a run."""

    def __init__(self) -> None:
        self.groups: dict[str, GroupGhost] = {}
        self.partition_counts: dict[str, int] = {}
        """Of each topic."""
        self.made_ns: dict[str, int] = {}
        """When each topic was last made."""
        self.loaded_to: dict[int, Offset] = {}
        """Where the newest coordinator of a partition began to write."""
        self.loaded_by: dict[int, NodeId] = {}
        self.loaded_ns: dict[int, int] = {}
        """When the newest coordinator of a partition had read it."""
        self._loaded_epochs: dict[int, int] = {}
        self.coordinators: dict[tuple[int, int], tuple[int, EventId]] = {}
        """(node, event) by partition of the offsets topic and leader epoch."""
        self.strangers: dict[str, tuple[str, EventId]] = {}
        """Members that are no built-in ones: (client id, its coming) by member id."""
        self.ours: set[str] = set()
        """Member ids of built-in members."""
        self.held: dict[str, dict[Key, dict[str, Owner]]] = {}
        """By group and partition: owners by client."""
        self.delivered: dict[tuple[str, Key], list[tuple[Offset, Offset]]] = {}
        """Ranges of offsets that members of a group read."""
        self.deleted_to: dict[Key, Offset] = {}
        """Where a leader's log begins after records were deleted from its front (inclusive)."""
        self.gone: dict[tuple[str, Key], list[tuple[Offset, Offset]]] = {}
        """Ranges of offsets that a member of a group came for when they were deleted."""
        self.first_read: dict[tuple[str, Key], Offset] = {}
        """Where a group began when nothing was committed."""

    def delete(self, key: Key, start_offset: Offset) -> None:
        """What is before start_offset (inclusive start) is gone."""
        self.deleted_to[key] = max(start_offset, self.deleted_to.get(key, 0))

    def group(self, name: str) -> GroupGhost:
        """What is known of a group."""
        group = self.groups.get(name)
        if group is None:
            group = self.groups[name] = GroupGhost()
        return group

    def note_home(self, count: int) -> None:
        """How many partitions the offsets topic has, where it was made by a controller that died before it told."""
        self.partition_counts.setdefault(OFFSETS_TOPIC, count)

    def home(self, name: str) -> TopicPartition | None:
        """The partition of the offsets topic that holds a group; None before the topic was made."""
        count = self.partition_counts.get(OFFSETS_TOPIC, 0)
        return TopicPartition(OFFSETS_TOPIC, coordinator_partition(name, count)) if count else None

    def is_newest_load(self, partition: int, leader_epoch: int, end_offset: Offset) -> bool:
        """Whether nobody of a later leader epoch has read the partition, and nobody read further.

        A broker that was cut off reads its log when it learns that it led, though another one leads by now: it can have
        nothing committed in the epoch that is over, and what it lacks it did not forget.
        """
        if leader_epoch < self._loaded_epochs.get(partition, leader_epoch):
            return False
        self._loaded_epochs[partition] = leader_epoch
        return end_offset >= self.loaded_to.get(partition, 0)

    def is_of_newest_load(self, partition: int, node: NodeId, end_offset: Offset) -> bool:
        """Whether what a node tells of a group that it has read is of the load that counts."""
        return node == self.loaded_by.get(partition, node) and end_offset >= self.loaded_to.get(partition, 0)

    def is_old(self, name: str, offset: Offset) -> bool:
        """Whether a later coordinator has read the record at that place of the offsets log already."""
        home = self.home(name)
        return home is not None and 0 <= offset < self.loaded_to.get(home.partition, 0)
