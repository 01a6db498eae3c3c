"""BeginQuorumEpoch and EndQuorumEpoch: a leader announces itself, or that it leaves. Source: KIP-595."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, Epoch, NodeId
from cluster.model.positional import Positional


class BeginQuorumEpochRequest(Positional, kw_only=True):
    """A new leader tells a voter that it leads."""

    leader_id: NodeId
    """The leader."""
    epoch: Epoch
    """Its epoch."""


class BeginQuorumEpochResponse(Positional, kw_only=True):
    """Acknowledged, or refused with a newer epoch."""

    error: int = 0
    """An ErrorCode."""
    epoch: Epoch
    """The receiver's epoch."""
    leader_id: NodeId = NO_NODE
    """The leader it knows, or -1."""


class EndQuorumEpochRequest(Positional, kw_only=True):
    """A resigning leader asks the others to elect a successor."""

    leader_id: NodeId
    """Who resigns."""
    epoch: Epoch
    """The epoch that ends."""
    preferred_candidates: tuple[NodeId, ...]
    """Most advanced log first."""


class EndQuorumEpochResponse(Positional, kw_only=True):
    """Acknowledged, or refused with a newer epoch."""

    error: int = 0
    """An ErrorCode."""
    epoch: Epoch
    """The receiver's epoch."""
    leader_id: NodeId = NO_NODE
    """The leader it knows, or -1."""
