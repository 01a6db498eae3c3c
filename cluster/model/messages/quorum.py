"""Vote, BeginQuorumEpoch, EndQuorumEpoch, DescribeQuorum: voters choose a leader and follow it.

Source: KIP-595, KIP-996 (pre-vote), KIP-836 (DescribeQuorum).
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

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


class VoteResponse(Positional, kw_only=True):
    """The answer of one voter."""

    wire_number: ClassVar[int] = 1
    error: int = 0
    """An ErrorCode."""
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


class BeginQuorumEpochResponse(Positional, kw_only=True):
    """Acknowledged, or refused with a newer epoch."""

    wire_number: ClassVar[int] = 3
    error: int = 0
    """An ErrorCode."""
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
    error: int = 0
    """An ErrorCode."""
    epoch: Epoch
    leader_id: NodeId = NO_NODE
    """The leader it knows, or -1."""


class DescribeQuorumRequest(Positional, kw_only=True):
    """How far is everybody? Source: KIP-595, KIP-836, API key 55."""

    wire_number: ClassVar[int] = 36


class DescribeQuorumResponse(Positional, kw_only=True):
    """Leader, voters and observers, or who leads."""

    wire_number: ClassVar[int] = 37
    error: int = 0
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


QuorumMessage: TypeAlias = (
    VoteRequest
    | VoteResponse
    | BeginQuorumEpochRequest
    | BeginQuorumEpochResponse
    | EndQuorumEpochRequest
    | EndQuorumEpochResponse
    | DescribeQuorumRequest
    | DescribeQuorumResponse
)
