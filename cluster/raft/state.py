"""What a quorum node knows; changed only by the handlers of its own machine."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from cluster.model.effects import Effect, Emit, PersistElection
from cluster.model.election_state import ElectionState
from cluster.model.events import RoleChanged, SnapshotFetchEnded
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, Epoch, LogEnd, NodeId, Offset, SnapshotId
from cluster.model.log_view import LogView, NoSnapshots, SnapshotView
from cluster.model.messages import FetchRequest
from cluster.model.ruling import Decision
from cluster.model.settings import Settings
from cluster.raft.roles import TRANSITIONS, Role
from cluster.raft.voter_history import VoterHistory


class TwoLeadersError(Exception):
    """Two nodes say that they lead one epoch: a voter has forgotten its vote. One clause names them.

    Source: Kafka KafkaRaftClient.maybeTransition, whose exception ends the process.
    """


class ParkedFetch(Struct):
    """A fetch with nothing to give yet."""

    request: FetchRequest
    correlation: int


class Fetcher(Struct):
    """One node that fetches from this leader."""

    log_end_offset: Offset
    """Exclusive: its last fetch offset."""
    last_fetch_ms: int
    leader_end: Offset
    """Where the leader's log ended then."""
    last_caught_up_ms: int
    """When it last had all; -1 for never in this epoch."""
    directory_id: str = ""
    """Of its disk; empty where voters are numbers alone."""


class PendingChange(Struct):
    """Who asked for a change of the voters and waits until it is committed."""

    kind: str
    """add or remove."""
    sender: NodeId
    correlation: int


class SnapshotFetch(Struct):
    """A snapshot that is on its way here, in chunks. It is in memory only: a node that dies begins anew."""

    snapshot_id: SnapshotId
    data: bytearray = msgspec.field(default_factory=bytearray)
    """What has come, from the first byte on."""
    size_bytes: int = 0
    """Of all of it; 0 before the first chunk."""


@dataclass(slots=True)
class QuorumState:
    """One node's part in the quorum. A dataclass: to set a field of a struct costs seven times as much."""

    node_id: NodeId
    voters: tuple[NodeId, ...]
    settings: Settings
    log: LogView
    role: Role = Role.UNATTACHED
    epoch: Epoch = 0
    leader_id: NodeId = NO_NODE
    voted_for: NodeId = NO_NODE
    high_watermark: Offset = UNKNOWN_OFFSET
    epoch_start_offset: Offset = 0
    committed_before: Offset = UNKNOWN_OFFSET
    """Highest high watermark it knew when it became leader and began to count anew: what is below is committed."""
    appended_end: Offset = 0
    """Log end offset including what this handle() has asked to append."""
    appended_epoch: Epoch = 0
    granted: set[NodeId] = field(default_factory=set)
    rejected: set[NodeId] = field(default_factory=set)
    voter_ends: dict[NodeId, Offset] = field(default_factory=dict)
    heard: set[NodeId] = field(default_factory=set)
    recent: set[NodeId] = field(default_factory=set)
    parked: dict[NodeId, ParkedFetch] = field(default_factory=dict)
    fetchers: dict[NodeId, Fetcher] = field(default_factory=dict)
    """Of a leader: who has fetched in its epoch, voters and observers."""
    has_fetched: bool = False
    fetch_correlation: int = -1
    fetch_asked: NodeId = NO_NODE
    """Who got the newest fetch."""
    asks_around: bool = False
    """Of an observer: its leader did not answer, so the next fetch goes to another voter."""
    vote_correlation: int = -1
    fetch_target: int = 0
    next_correlation: int = 0
    snapshots: SnapshotView = field(default_factory=NoSnapshots)
    snapshot_fetch: SnapshotFetch | None = None
    """While there is one no records are fetched."""
    directory_id: str = ""
    """Of its disk; empty where voters are numbers alone."""
    directories: dict[NodeId, str] = field(default_factory=dict)
    """Of each voter, as the log says; empty where voters are numbers alone."""
    voted_directory_id: str = ""
    """Of the one it voted for in this epoch."""
    history: VoterHistory | None = None
    """Of a dynamic quorum: its voters, as they stand in the log."""
    bootstrap: tuple[NodeId, ...] = ()
    """Whom an observer asks that knows no leader."""
    change: PendingChange | None = None
    """Of a leader: the change of voters that waits until it is committed."""
    joins: bool = False
    """Whether it asks to vote while it does not."""
    is_stopped: bool = False

    @property
    def is_voter(self) -> bool:
        """Whether this node may vote."""
        return self.is_key(self.node_id, self.directory_id)

    def is_key(self, node: NodeId, directory_id: str) -> bool:
        """Whether that number with that disk is a voter."""
        return node in self.voters and self.directories.get(node, directory_id) == directory_id

    @property
    def others(self) -> list[NodeId]:
        """The other voters, in order."""
        return [voter for voter in sorted(self.voters) if voter != self.node_id]

    def correlation(self) -> int:
        """A fresh number for a request; the machine of raft uses multiples of four."""
        self.next_correlation += 4
        return self.next_correlation

    def log_end(self) -> LogEnd:
        """(epoch of the last record, log end offset), counting what was appended in this handle()."""
        if self.appended_end > self.log.log_end_offset:
            return LogEnd(self.appended_epoch, self.appended_end)
        return self.log.end()

    def end_snapshot_fetch(self, why: str) -> list[Effect]:
        """Give up the snapshot that is on its way; nothing of it is used."""
        fetch, self.snapshot_fetch = self.snapshot_fetch, None
        if fetch is None:
            return []
        end_offset, epoch = fetch.snapshot_id
        return [Emit(SnapshotFetchEnded(end_offset=end_offset, epoch=epoch, fetched_bytes=len(fetch.data), why=why))]

    def move(
        self,
        role: Role,
        why: str,
        *,
        epoch: Epoch | None = None,
        leader_id: NodeId = NO_NODE,
        vote: NodeId | None = None,
        vote_directory_id: str = "",
        decision: Decision | None = None,
    ) -> list[Effect]:
        """Change role, epoch, leader or vote; persist what must not be forgotten, then say so.

        A vote survives every change inside one epoch and is forgotten in the next. TwoLeadersError when another leader
        of this epoch is known.
        """
        epoch = self.epoch if epoch is None else epoch
        assert epoch >= self.epoch, "an epoch never goes back"
        if epoch == self.epoch and NO_NODE not in (self.leader_id, leader_id) and self.leader_id != leader_id:
            raise TwoLeadersError(f"epoch {epoch} has two leaders, {self.leader_id} and {leader_id}")
        if not self.is_voter and role is not Role.RESIGNED:
            role = Role.OBSERVER
        assert role == self.role or role in TRANSITIONS[self.role], f"{self.role} may not become {role}"
        voted_for = (NO_NODE if epoch > self.epoch else self.voted_for) if vote is None else vote
        directory_id = (self.voted_directory_id if epoch == self.epoch else "") if vote is None else vote_directory_id
        before = ElectionState(epoch=self.epoch, leader_id=self.leader_id, voted_for=self.voted_for)
        after = ElectionState(epoch=epoch, leader_id=leader_id, voted_for=voted_for)
        if (epoch, leader_id) != (self.epoch, self.leader_id) or (role is Role.FOLLOWER and self.role is not role):
            self.has_fetched = self.asks_around = False  # following anew, as Kafka's FollowerState is made anew
        changed_role = role != self.role
        self.role, self.epoch, self.leader_id, self.voted_for = role, epoch, leader_id, voted_for
        self.voted_directory_id = directory_id
        effects: list[Effect] = []
        if self.snapshot_fetch is not None and (after != before or changed_role):
            effects += self.end_snapshot_fetch(f"{role} in epoch {epoch} now: {why}")
        if after != before:
            effects.append(PersistElection(epoch, leader_id, voted_for, directory_id))
        if after != before or changed_role:
            event = RoleChanged(role=str(role), epoch=epoch, leader_id=leader_id, voted_for=voted_for, why=why)
            effects.append(Emit(event, decision))
        return effects
