"""Parts of the rebuilt run: nodes, partitions, acknowledged records."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.invariants.ghost.compacted import Compacted
from cluster.invariants.ghost.log import GhostLog, Lineage, Told, agree, unpack
from cluster.invariants.ghost.transactions import COMMIT, PartitionTransactions
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset


class Stamp(NamedTuple):
    """A node together with the event that said so."""

    node: NodeId
    event: EventId
    """Where it was said."""


class Persisted(NamedTuple):
    """What a node's disk said it holds of quorum-state."""

    epoch: Epoch
    voted_for: NodeId
    """-1 when no vote was given in that epoch."""
    is_durable: bool
    """False when the disk only claimed so."""
    event: EventId


UNTOLD_EPOCH = -2
"""Of a replica whose disk was damaged or lied: what it had written down may be there or not."""
AT_ONCE_NS = 50_000_000
"""Who dies so soon after it told of a thing may have died while it wrote that down."""


@dataclass(slots=True)
class NodeGhost:
    """One node, over all its starts."""

    incarnation: int = -1
    """Newest start; -1 before the first."""
    is_running: bool = False
    """Between its start and its exit, as the lab says."""
    exit_event: EventId | None = None
    """Of the newest exit; None while it runs."""
    role: str = ""
    """Its role in the quorum; empty while it is down."""
    epoch: Epoch = 0
    leader_id: NodeId = NO_NODE
    """Quorum leader it knows in that epoch."""
    voted_for: NodeId = NO_NODE
    voted_event: EventId | None = None
    """Newest event that told role, epoch, leader or vote."""
    persisted: Persisted | None = None
    """Newest word of its disk on quorum-state; None when it never said any."""
    power_lost: EventId | None = None
    """The power loss since it last read its vote; None when there was none."""
    damaged: EventId | None = None
    """The damage to its disk since it last read its vote; None when there was none."""
    is_replaced: bool = False
    """In a quorum whose voters are numbers with disks: it has another disk, from then until it tells of it."""
    lied: EventId | None = None
    """First event by which its disk lied or was told to lie."""
    adopting: tuple[int, PartitionGhost] | None = None
    """When it last told that it adopts a leader epoch, in ns, and of which partition."""


class Acked(NamedTuple):
    """One produce that a client was told is done, with acks=all."""

    base_offset: Offset
    record_count: int
    crc: int
    """Of the batch as sent, which a broker does not change; -1 when not told."""
    event: EventId
    """Where the client learned it; of a Kafka client, where its broker answered."""
    client_id: str
    """Who was told; untrusted text."""


class AckedList:
    """All acknowledged produces of one partition, 40 bytes each, in the order in which clients learned of them."""

    __slots__ = ("_clients", "_columns", "_numbers")

    def __init__(self) -> None:
        self._columns = array("q")
        self._clients: list[str] = []
        self._numbers: dict[str, int] = {}

    def add(self, base_offset: Offset, count: int, crc: int, event: int, client_id: str) -> None:
        """One more; the event packed."""
        number = self._numbers.get(client_id)
        if number is None:
            number = self._numbers[client_id] = len(self._clients)
            self._clients.append(client_id)
        self._columns.extend((base_offset, count, crc, event, number))

    def __len__(self) -> int:
        """How many."""
        return len(self._columns) // 5

    def __getitem__(self, index: int) -> Acked:
        """In the order learned; IndexError past the end."""
        base, count, crc, event, client = self._columns[5 * index : 5 * index + 5] or self._none(index)
        return Acked(base, count, crc, unpack(event), self._clients[client])

    def place(self, index: int) -> tuple[Offset, int, int]:
        """Base offset, count and CRC of one: a third of the cost of all of it."""
        base, count, crc = self._columns[5 * index : 5 * index + 3]
        return base, count, crc

    def __iter__(self) -> Iterator[Acked]:
        """Each, in the order learned."""
        return (self[index] for index in range(len(self)))

    @staticmethod
    def _none(index: int) -> array[int]:
        raise IndexError(index)


@dataclass(slots=True)
class Leadership:
    """One leadership of a data partition as its leader tells it."""

    node: NodeId
    leader_epoch: Epoch
    start_offset: Offset
    """Where the epoch begins."""
    high_watermark: Offset
    """Exclusive, its own."""
    isr: tuple[NodeId, ...]
    """Committed, as far as it knows."""
    event: EventId
    partition_epoch: int = -1
    """Of the ISR it acts on."""
    joining: tuple[NodeId, ...] = ()
    """A larger ISR that it proposed and that nobody has settled; empty when there is none."""
    min_insync: int = 1
    """As it knows it: a setting that was changed reaches it later."""
    progress: dict[NodeId, Entry] = field(default_factory=dict)
    """The newest rep.follower_progress of each follower."""
    is_left: bool = False
    """Its broker has dropped the log since: the partition was moved away, or its topic is gone."""

    @property
    def maximal_isr(self) -> tuple[NodeId, ...]:
        """The committed ISR and who was proposed to join it."""
        return self.joining or self.isr


@dataclass(slots=True)
class PartitionGhost:
    """One partition, the metadata log included, over all its replicas."""

    logs: dict[NodeId, GhostLog] = field(default_factory=lambda: defaultdict(GhostLog))
    """By replica; the one of a replica that nobody has told of is empty."""
    lineage: Lineage = field(default_factory=Lineage)
    """All batches that ever were."""
    leaders: dict[Epoch, Stamp] = field(default_factory=dict)
    """Who was made leader of each epoch: by election in the quorum, by the controller's decision elsewhere."""
    true_high_watermark: Offset = 0
    """Highest high watermark that a leader so made has announced (exclusive); never falls."""
    true_event: EventId | None = None
    true_epoch: Epoch = -1
    """Leader epoch of that leader."""
    committed: GhostLog = field(default_factory=GhostLog)
    """What stood below the true high watermark when it first passed."""
    deleted_to: Offset = 0
    """Highest log start that a leader, or retention at any replica, has told (inclusive): what is before it need not be
    the same everywhere."""
    compacted: Compacted = field(default_factory=Compacted)
    """What compaction took out of it."""
    transactions: PartitionTransactions = field(default_factory=PartitionTransactions)
    """Of each replica's log."""
    acked: AckedList = field(default_factory=AckedList)
    """Produces acknowledged with acks=all."""
    isr: tuple[NodeId, ...] = ()
    """Of the newest state that a broker knows, so committed."""
    min_insync: int = 1
    """Effective, of the newest decision."""
    by_majority: bool = False
    """Whether a majority of the replicas commits: then the ISR is all of them, for ever."""
    adopted: dict[NodeId, tuple[Epoch, EventId]] = field(default_factory=dict)
    """By majority: the newest leader epoch with whose beginning each replica's log is whole, or UNTOLD_EPOCH."""
    partition_epoch: int = -1
    """Of the newest state that a broker knows."""
    leader: NodeId = NO_NODE
    """Of that state; -1 leaderless."""
    leader_epoch: Epoch = -1
    follows: dict[NodeId, NodeId] = field(default_factory=dict)
    """Whom each replica takes for the leader, as the newest state says that it has applied."""
    removed: set[NodeId] = field(default_factory=set)
    """Who dropped its log in order, and has opened none since."""
    applied_replicas: dict[NodeId, tuple[NodeId, ...]] = field(default_factory=dict)
    """Replicas as each broker applied them last."""
    lossy: dict[NodeId, EventId] = field(default_factory=dict)
    """Replicas that came back with less than they had, until they join the ISR anew; the recovery that said so."""
    peaks: dict[NodeId, Offset] = field(default_factory=dict)
    """Where a log that was cut once ended at most (exclusive)."""
    leaderships: dict[NodeId, Leadership] = field(default_factory=dict)
    """Who leads as far as it knows: each node's own, from when it began until it follows or restarts."""
    writers: dict[Epoch, EventId] = field(default_factory=dict)
    """The first append of a leader in each leader epoch."""
    newest: Leadership | None = None
    """The one of the highest leader epoch, over or not."""

    @property
    def leading(self) -> Leadership | None:
        """The leadership of the highest leader epoch, while it lasts."""
        newest = self.newest
        return newest if newest is not None and self.leaderships.get(newest.node) is newest else None

    def compacted_copy(self, node: NodeId, event: ev.ReplicaAppended) -> tuple[Told, ...]:
        """Have a follower's log hold what its copy of a compacted log stands for; the batches behind that."""
        log, leading = self.logs[node], self.leading
        if event.role == "leader" or self.compacted.end_offset <= event.base_offset:
            return event.batches
        upto = min(event.end_offset, self.compacted.end_offset)
        log.copy_up_to(self.committed if leading is None else self.log(leading.node), upto)
        self.compacted.note_thin(node, upto)
        return tuple(batch for batch in event.batches if batch[0] >= log.end_offset)

    def may_skip(self, start: Offset, end: Offset, *, committed_only: bool = False) -> bool:
        """Whether a reader need not be given a record at any of these offsets.

        Args:
            committed_only: it reads committed records: none of a transaction that is open or aborted.
        """
        if start > end or self.compacted.may_skip(start, end):
            return start <= end
        controls, newest = self.transactions.controls, self.newest
        of_leader = None if newest is None else self.transactions.replicas.get(newest.node)
        return all(
            offset in controls
            or self.compacted.may_skip(offset, offset + 1)
            or (committed_only and of_leader is not None and of_leader.fate(offset) not in ("", COMMIT))
            for offset in range(start, end)
        )

    @property
    def can_commit(self) -> bool:
        """Whether a leader is at work and the ISR is large enough for acks=all."""
        return self.leading is not None and len(self.isr) >= self.min_insync

    def has_heir(self, nodes: set[NodeId]) -> bool:
        """Whether somebody among these nodes may lead."""
        among = len(nodes.intersection(self.isr))
        return 2 * among > len(self.isr) if self.by_majority else among > 0

    def goes_on_with(self, nodes: set[NodeId]) -> bool:
        """Whether these nodes are enough to commit what is written: all of the ISR, or a majority of the replicas."""
        return self.has_heir(nodes) if self.by_majority else nodes.issuperset(self.isr)

    def log(self, node: NodeId) -> GhostLog:
        """The log of a replica, empty at first."""
        return self.logs[node]

    def note_isr(self, isr: tuple[NodeId, ...], partition_epoch: int, registered: Mapping[NodeId, int]) -> None:
        """A committed ISR. Who joins it and holds what is committed has caught up again.

        Else the process meant may be the one before the loss; whether it may join at all is judged by P12.

        Args:
            registered: newest start of each broker that the controller has registered.
        """
        if partition_epoch <= self.partition_epoch:
            return
        for node in isr if self.lossy else ():
            lost = self.lossy.get(node)
            if lost is None or node in self.isr or registered.get(node, 0) < lost.incarnation:
                continue
            if agree(self.log(node), self.committed, self.committed.end_offset) is not False:
                del self.lossy[node]
        self.isr, self.partition_epoch = isr, partition_epoch

    def note_cut(self, node: NodeId, end_offset: Offset) -> None:
        """A log that ended at end_offset is made shorter."""
        self.peaks[node] = max(end_offset, self.peaks.get(node, 0))

    def heeds_newest(self, node: NodeId) -> bool:
        """Whether a replica has what it is told from the newest leader, and not from one that is deposed."""
        return self.newest is None or self.follows.get(node, self.newest.node) == self.newest.node

    def forget_deleted(self, follower: GhostLog, end_offset: Offset) -> None:
        """What a leader has deleted is compared with nothing: up to end_offset (exclusive) followers have what it had.

        A deposed leader may hold records there that nobody else has. It is not told so when it begins to follow: of
        epochs that ended before its log start a leader knows no more. Source: LeaderEpochFileCache.endOffsetFor.
        A log that holds nothing and of which nothing is known was removed, and has had nothing since.
        """
        if self.newest is None or not (follower.is_known or follower.end_offset):
            return
        leader = self.log(self.newest.node)
        if leader is not follower and not agree(follower, leader, end_offset):
            follower.take_front(leader, end_offset)
