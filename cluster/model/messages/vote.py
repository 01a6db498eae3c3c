"""Vote: a candidate asks one voter. Source: KIP-595 and KIP-996, API key 52."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class VoteRequest(Positional, kw_only=True):
    """A candidate, or a prospective in a pre-vote, asks for a vote."""

    voter_id: NodeId
    """The intended receiver."""
    candidate_id: NodeId
    """Who asks."""
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

    error: int = 0
    """An ErrorCode."""
    epoch: Epoch
    """The voter's epoch."""
    leader_id: NodeId = NO_NODE
    """The leader it knows in that epoch, or -1."""
    granted: bool
    """Whether the vote was given."""
    pre_vote: bool
    """Repeats the request."""
