"""Vote, BeginQuorumEpoch, EndQuorumEpoch, DescribeQuorum: voters choose a leader and follow it. Who may vote changes.

Source: KIP-595, KIP-996 (pre-vote), KIP-836 (DescribeQuorum), KIP-853 (AddRaftVoter, RemoveRaftVoter).
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class VoteRequest(Positional, kw_only=True):
    """A candidate, or a prospective in a pre-vote, asks for a vote. Source: KIP-595 and KIP-996, API key 52."""

    wire_number: ClassVar[int] = 0
    voter_id: NodeId
    candidate_id: NodeId
    epoch: Epoch
    """Already bumped for a binding vote; the current epoch for a pre-vote."""
    last_epoch: Epoch
    """Epoch of the candidate's last record; 0 for an empty log."""
    last_offset: Offset
    """The candidate's log end offset (exclusive)."""
    pre_vote: bool
    """True asks only whether a vote would be given."""
    directory_id: str = ""
    """Of the candidate's disk; empty where voters are numbers alone."""
    voter_directory_id: str = ""
    """Of the disk of the one that is asked, as the candidate's log says; empty where voters are numbers alone."""


class VoteResponse(Positional, kw_only=True):
    """The answer of one voter."""

    wire_number: ClassVar[int] = 1
    error: ErrorCode = ErrorCode.NONE
    epoch: Epoch
    leader_id: NodeId = NO_NODE
    """The leader it knows in that epoch, or -1."""
    granted: bool
    pre_vote: bool
    """Repeats the request."""


class BeginQuorumEpochRequest(Positional, kw_only=True):
    """A new leader tells a voter that it leads. Source: KIP-595."""

    wire_number: ClassVar[int] = 2
    leader_id: NodeId
    epoch: Epoch
    voter_directory_id: str = ""
    """Of the disk of the one that is told, as the leader's log says; empty where voters are numbers alone."""


class BeginQuorumEpochResponse(Positional, kw_only=True):
    """Acknowledged, or refused with a newer epoch."""

    wire_number: ClassVar[int] = 3
    error: ErrorCode = ErrorCode.NONE
    epoch: Epoch
    leader_id: NodeId = NO_NODE
    """The leader it knows, or -1."""


class EndQuorumEpochRequest(Positional, kw_only=True):
    """A resigning leader asks the others to elect a successor. Source: KIP-595."""

    wire_number: ClassVar[int] = 4
    leader_id: NodeId
    epoch: Epoch
    """The epoch that ends."""
    preferred_candidates: tuple[NodeId, ...]
    """Most advanced log first."""


class EndQuorumEpochResponse(Positional, kw_only=True):
    """Acknowledged, or refused with a newer epoch."""

    wire_number: ClassVar[int] = 5
    error: ErrorCode = ErrorCode.NONE
    epoch: Epoch
    leader_id: NodeId = NO_NODE
    """The leader it knows, or -1."""


class DescribeQuorumRequest(Positional, kw_only=True):
    """How far is everybody? Source: KIP-595, KIP-836, API key 55."""

    wire_number: ClassVar[int] = 36


class DescribeQuorumResponse(Positional, kw_only=True):
    """Leader, voters and observers, or who leads."""

    wire_number: ClassVar[int] = 37
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode; NOT_CONTROLLER from a node that does not lead the quorum."""
    leader_id: NodeId = NO_NODE
    """Leader of the quorum as known."""
    leader_epoch: Epoch = NO_EPOCH
    high_watermark: Offset = UNKNOWN_OFFSET
    """Exclusive; -1 while not known."""
    voters: tuple[tuple[NodeId, Offset, int, int], ...] = ()
    """(voter, log end offset, ms since its last fetch, ms since it was caught up) each; -1 for never."""
    observers: tuple[tuple[NodeId, Offset, int, int], ...] = ()
    """The same of those that have fetched lately."""
    directories: tuple[tuple[NodeId, str], ...] = ()
    """(voter, id of its disk) of each; empty where voters are numbers alone."""
    observer_directories: tuple[tuple[NodeId, str], ...] = ()
    """The same of the observers; empty where voters are numbers alone."""


class AddRaftVoterRequest(Positional, kw_only=True):
    """Have an observer vote from now on. Source: KIP-853, API key 80."""

    wire_number: ClassVar[int] = 80
    voter_id: NodeId
    directory_id: str
    """Of its disk; empty where voters are numbers alone."""
    ack_when_committed: bool = True
    """False has the answer once the record is written. Source: KIP-1186."""


class AddRaftVoterResponse(Positional, kw_only=True):
    """Done, or why not."""

    wire_number: ClassVar[int] = 81
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode; 0 when it is done."""
    leader_id: NodeId = NO_NODE
    """Leader of the quorum as known."""
    reason: str = ""


class RemoveRaftVoterRequest(Positional, kw_only=True):
    """Have a voter vote no more. Source: KIP-853, API key 81."""

    wire_number: ClassVar[int] = 82
    voter_id: NodeId
    directory_id: str
    """Of its disk; empty where voters are numbers alone."""


class RemoveRaftVoterResponse(Positional, kw_only=True):
    """Done, or why not."""

    wire_number: ClassVar[int] = 83
    error: ErrorCode = ErrorCode.NONE
    """An ErrorCode; 0 when it is done."""
    leader_id: NodeId = NO_NODE
    """Leader of the quorum as known."""
    reason: str = ""


QuorumMessage: TypeAlias = (
    VoteRequest
    | VoteResponse
    | BeginQuorumEpochRequest
    | BeginQuorumEpochResponse
    | EndQuorumEpochRequest
    | EndQuorumEpochResponse
    | DescribeQuorumRequest
    | DescribeQuorumResponse
    | AddRaftVoterRequest
    | AddRaftVoterResponse
    | RemoveRaftVoterRequest
    | RemoveRaftVoterResponse
)
