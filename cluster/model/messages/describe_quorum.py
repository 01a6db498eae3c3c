"""DescribeQuorum: the controller quorum as its leader sees it. Source: KIP-595, KIP-836, API key 55."""

from __future__ import annotations

from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class DescribeQuorumRequest(Positional, kw_only=True):
    """How far is everybody?"""


class DescribeQuorumResponse(Positional, kw_only=True):
    """Leader, voters and observers, or who leads."""

    error: int = 0
    """An ErrorCode; NOT_CONTROLLER from a node that does not lead the quorum."""
    leader_id: NodeId = NO_NODE
    """Leader of the quorum as known."""
    leader_epoch: Epoch = NO_EPOCH
    """Its epoch."""
    high_watermark: Offset = UNKNOWN_OFFSET
    """Exclusive; -1 while not known."""
    voters: tuple[tuple[NodeId, Offset, int, int], ...] = ()
    """(voter, log end offset, ms since its last fetch, ms since it was caught up) each; -1 for never."""
    observers: tuple[tuple[NodeId, Offset, int, int], ...] = ()
    """The same of those that have fetched lately."""
