"""Events of the controller quorum."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import Epoch, NodeId, Offset
from cluster.model.positional import Positional


class QuorumBooted(Positional, kw_only=True):
    """A node read its quorum state."""

    name: ClassVar[str] = "raft.booted"
    epoch: Epoch
    """From quorum-state or the log."""
    voted_for: NodeId
    """-1 none."""
    leader_id: NodeId
    """-1 none."""
    log_end_offset: Offset
    """Exclusive."""
    last_epoch: Epoch
    """Of the last record; 0 when empty."""
    voters: tuple[NodeId, ...]


class RoleChanged(Positional, kw_only=True):
    """A quorum node changed its role, epoch or leader."""

    name: ClassVar[str] = "raft.role_changed"
    role: str
    """unattached, prospective, candidate, leader, follower, resigned, observer."""
    epoch: Epoch
    leader_id: NodeId
    """-1 unknown."""
    voted_for: NodeId
    """-1 none."""
    why: str


class ElectionStarted(Positional, kw_only=True):
    """A vote round began."""

    name: ClassVar[str] = "raft.election_started"
    epoch: Epoch
    """Asked for; unchanged in a pre-vote."""
    pre_vote: bool
    """Not binding, not persisted."""
    last_epoch: Epoch
    """Of the asker's last record."""
    last_offset: Offset
    """The asker's log end offset."""
    voters: tuple[NodeId, ...]


class VoteGranted(Positional, kw_only=True):
    """A voter gave its vote."""

    name: ClassVar[str] = "raft.vote_granted"
    epoch: Epoch
    candidate_id: NodeId
    pre_vote: bool
    """Not binding."""
    candidate_last_epoch: Epoch
    """Of the candidate's log."""
    candidate_last_offset: Offset
    """The candidate's log end offset."""
    last_epoch: Epoch
    """Of the voter's log."""
    last_offset: Offset
    """The voter's log end offset."""


class VoteRejected(Positional, kw_only=True):
    """A voter refused its vote."""

    name: ClassVar[str] = "raft.vote_rejected"
    epoch: Epoch
    candidate_id: NodeId
    pre_vote: bool
    """Not binding."""
    candidate_last_epoch: Epoch
    """Of the candidate's log."""
    candidate_last_offset: Offset
    """The candidate's log end offset."""
    last_epoch: Epoch
    """Of the voter's log."""
    last_offset: Offset
    """The voter's log end offset."""
    why: str


class VoteReceived(Positional, kw_only=True):
    """A candidate, or who asks for pre-votes, counted an answer."""

    name: ClassVar[str] = "raft.vote_received"
    epoch: Epoch
    voter_id: NodeId
    pre_vote: bool
    """Not binding."""
    granted: bool
    """Yes or no."""
    granted_count: int
    """Yes so far, itself included."""
    rejected_count: int
    needed: int


class LeaderElected(Positional, kw_only=True):
    """A candidate won its epoch."""

    name: ClassVar[str] = "raft.leader_elected"
    epoch: Epoch
    epoch_start_offset: Offset
    """First offset of the epoch."""
    votes: tuple[NodeId, ...]
    """Who voted for it."""


class MetadataAppended(Positional, kw_only=True):
    """A quorum node wrote to the metadata log."""

    name: ClassVar[str] = "raft.appended"
    base_offset: Offset
    end_offset: Offset
    """Exclusive."""
    epochs: tuple[tuple[Epoch, Offset], ...]
    """(epoch, first offset) of each batch written."""
    kinds: tuple[str, ...]
    """Record kinds, in order."""
    role: str
    """leader, follower or observer."""
    digests: tuple[str, ...] = ()
    """CRC of each batch written, as hex."""
    words: tuple[str, ...] = ()
    """What each record says, of the first of a batch at most; told by the leader alone. Untrusted text."""


class MetadataTruncated(Positional, kw_only=True):
    """A quorum node cut its metadata log."""

    name: ClassVar[str] = "raft.truncated"
    end_offset: Offset
    """New end."""
    old_end_offset: Offset
    """Old end."""
    high_watermark: Offset
    """Its own, -1 unknown."""
    why: str


class MetadataDiverged(Positional, kw_only=True):
    """The leader told a fetcher where their logs part."""

    name: ClassVar[str] = "raft.diverged"
    replica_id: NodeId
    fetch_offset: Offset
    last_fetched_epoch: Epoch
    """Of its last record."""
    diverging_epoch: Epoch
    """The leader's largest epoch that is not above it."""
    diverging_end_offset: Offset
    """Its end on the leader."""


class MetadataHighWatermarkAdvanced(Positional, kw_only=True):
    """Metadata up to here is committed."""

    name: ClassVar[str] = "raft.high_watermark_advanced"
    epoch: Epoch
    high_watermark: Offset
    """Exclusive."""
    role: str
    """leader, follower or observer."""
    log_end_offsets: tuple[tuple[NodeId, Offset], ...]
    """Per voter, what the leader counted; empty elsewhere."""


class VotersChanged(Positional, kw_only=True):
    """A node of a dynamic quorum goes by these voters from now on."""

    name: ClassVar[str] = "raft.voters_changed"
    epoch: Epoch
    offset: Offset
    """Of their record in the metadata log, or the last one of the snapshot that names them; -1 for those that its disk
    was formatted with.
    """
    voters: tuple[NodeId, ...]
    """In order; empty while it knows of none."""
    directories: tuple[str, ...]
    """Of the disk of each of them, in the same order; empty ones where voters are numbers alone."""
    directory_id: str
    """Of its own disk; empty where voters are numbers alone."""
    why: str


class VoterChangeRefused(Positional, kw_only=True):
    """A leader did not add or remove a voter; the kind is one of these two words."""

    name: ClassVar[str] = "raft.voter_change_refused"
    kind: str
    voter_id: NodeId
    directory_id: str
    """Of the disk that was named with it; empty where voters are numbers alone."""
    error: int
    """An ErrorCode, never 0."""
    why: str


class TimerSet(Positional, kw_only=True):
    """A timer that decides about leadership began anew; its length was drawn by then.

    Told at once when it had not been running or has another length; a timer that begins anew with the same length, as
    with each fetch, is told four times a second at most. An observation: nothing follows from it.
    """

    name: ClassVar[str] = "raft.timer_set"
    timer: str
    """fetch: a follower waits for its leader; check_quorum: a leader waits for a majority; election: a voter waits
    until it asks for votes, or asks again."""
    length_ms: int
    """From this event until it runs out."""


QuorumEvent: TypeAlias = (
    QuorumBooted
    | RoleChanged
    | ElectionStarted
    | VoteGranted
    | VoteRejected
    | VoteReceived
    | LeaderElected
    | MetadataAppended
    | MetadataTruncated
    | MetadataDiverged
    | MetadataHighWatermarkAdvanced
    | VotersChanged
    | VoterChangeRefused
    | TimerSet
)
