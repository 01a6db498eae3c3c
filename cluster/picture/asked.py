"""Clients, their connections and consumer groups: what is known of those who ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

from cluster.model.events import LoadCounted
from cluster.model.identifiers import NO_NODE, NodeId, Offset, TopicPartition
from cluster.picture.logs import LogState
from cluster.picture.part import Journal, OffsetSet, Part, SharedPart

ACKED_MAX = 4096
"""Acknowledged batches of a partition that are remembered one by one, the newest."""
Place: TypeAlias = tuple[str, int]
"""Topic and index of a partition, as events tell them; found in a dictionary like the TopicPartition that is equal."""


class AckedRange(NamedTuple):
    """Records that a client was told are written."""

    topic_partition: TopicPartition
    base_offset: Offset
    record_count: int
    digest: str
    """Of the batch as sent: its CRC, which a broker does not change; empty when not told."""
    client_id: str


class Missing(NamedTuple):
    """Acknowledged batches that the leader's log does not hold; while nobody leads, those that the longest lacks."""

    lost: list[AckedRange]
    """No replica holds them, be it up or down."""
    kept: list[AckedRange]
    """Other replicas hold them: they are lost once these are cut or wiped."""
    keepers: tuple[NodeId, ...]

    @property
    def counts(self) -> tuple[int, int]:
        """(records that are lost, records that others keep)."""
        lost, kept = (sum(item.record_count for item in items) for items in self[:2])
        return lost, kept


MANY = 100
"""For more than these a log is gone through once instead of searched for each."""


@dataclass(slots=True)
class Acked(Part):
    """What clients were told is written to one partition, in constant memory however long the run is."""

    topic_partition: TopicPartition
    newest: Journal[AckedRange] = field(default_factory=Journal)
    """Batch by batch, at most twice ACKED_MAX of them."""
    older: OffsetSet = field(default_factory=OffsetSet)
    """Offsets of those before them, whose digests are forgotten."""
    record_count: int = 0
    """Of all of them."""
    looked_at: tuple[NodeId, int] = (NO_NODE, -1)
    """Whose log was asked last, and its version: while both are the same that log only grows."""
    looked_to: int = 0
    """How many of the newest were looked for there."""
    missed: list[AckedRange] = field(default_factory=list)
    """Those of them that were not there."""

    def extend(self, items: Iterable[AckedRange]) -> None:
        """A client was told so."""
        for item in items:
            self.newest.append(item)
            self.record_count += item.record_count
        if len(self.newest) > 2 * ACKED_MAX:
            count = len(self.newest) - ACKED_MAX
            for item in islice(self.newest, count):
                self.older.add(item.base_offset, item.base_offset + item.record_count)
            self.newest.drop(count)
            self.looked_to, self.missed = 0, []

    def lost(self, node: NodeId, log: LogState) -> list[AckedRange]:
        """Those that the log of a node certainly does not hold at their offset.

        Asked again of a log that only grew it looks for what is new and for what was missing.
        """
        if self.looked_at != (node, log.version):
            self.looked_at, self.looked_to, self.missed = (node, log.version), 0, []
        new = self.newest[self.looked_to :] if self.looked_to else self.newest
        digests = log.digests() if len(new) > MANY else {}
        self.missed = [
            item
            for item in chain(self.missed, new)
            if digests.get(item.base_offset) != item.digest and log.lacks(item.base_offset, item.digest)
        ]
        self.looked_to = len(self.newest)
        end = log.log_end_offset
        past = [
            AckedRange(self.topic_partition, max(start, end), upto - max(start, end), "", "")
            for start, upto in self.older.ranges()
            if upto > end
        ]
        return past + self.missed


@dataclass(slots=True)
class ClientState(SharedPart):
    """What one built-in client has asked and heard."""

    client_id: str
    """Untrusted text."""
    open: dict[int, tuple[str, TopicPartition]] = field(default_factory=dict)
    """Operation to (function, partition), not answered yet."""
    succeeded: int = 0
    failed: int = 0
    """Operations that certainly did nothing."""
    unknown: int = 0
    """Operations that may or may not have happened."""
    retried: int = 0
    """Attempts after the first."""


class LoadState(NamedTuple):
    """The newest workload of the lab: a producer and a consumer that go on by themselves."""

    since_ns: int
    """When they went to work, or went on at this rate."""
    producer_id: str
    consumer_id: str
    topic_partition: TopicPartition
    rate_per_s: int
    acks: int
    counted: LoadCounted | None = None
    """The newest count; None before the first."""
    slowest_ms: int = -1
    """Largest p99 of all counts; -1 before a request was answered."""
    is_over: bool = False


@dataclass(slots=True)
class Connection(SharedPart):
    """One connection of a Kafka client to a broker. All texts are untrusted."""

    node: NodeId
    client_id: str
    software: tuple[str, str]
    """Name and version of its library; empty when it does not say."""
    asks: dict[str, int] = field(default_factory=dict)
    """Requests so far, by the name of the request."""
    about: str = ""
    """What the newest one that names anything names."""
    lost: int = 0
    """Answers to its produce requests that a fault took."""


@dataclass(slots=True)
class MemberState(Part):
    """One member of a group."""

    member_id: str
    client_id: str = ""
    instance_id: str = ""
    """Of a static member; empty for a dynamic one."""
    assigned: tuple[Place, ...] = ()
    """By the newest assignment of the coordinator."""
    owned: tuple[Place, ...] | None = None
    """As the member itself says; None for a client that tells nothing."""
    epoch: int | None = None
    """Member epoch of a member of the newer protocol (KIP-848); None for a classic one."""
    target: tuple[Place, ...] = ()
    """What such a member is to have in the end."""
    revoking: tuple[Place, ...] = ()
    """What it has to give up, and may still have."""


@dataclass(slots=True)
class GroupState(SharedPart):
    """One group as the newest events tell it."""

    name: str
    """Untrusted text."""
    coordinator: NodeId = NO_NODE
    """-1 while none is known."""
    state: str = ""
    """Empty, PreparingRebalance, CompletingRebalance, Assigning, Reconciling, Stable, Dead."""
    generation: int = 0
    """The newest one that was heard of; of a group of the newer protocol its group epoch."""
    is_consumer: bool = False
    """Its members speak the newer protocol (KIP-848): they have epochs, and the coordinator assigns."""
    protocol: str = ""
    leader: str = ""
    members: dict[str, MemberState] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """Client id by member id, also of members that are gone."""
    owner: dict[Place, str] = field(default_factory=dict)
    """Client id of who each partition was given to by the newest assignment."""
    moved: int = 0
    """Partitions that this assignment gave to somebody else than the one before it."""
    committed: dict[Place, Offset] = field(default_factory=dict)
    """Next offset to read."""
    given_up: dict[str, int] = field(default_factory=dict)
    """Partitions that a member, by its client id, gave up or lost, in all."""

    def parts(self, client_id: str) -> int:
        """Partitions that a member has by the newest assignment."""
        return sum(owner == client_id for owner in self.owner.values())
