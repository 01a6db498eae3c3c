"""BeginQuorumEpoch and EndQuorumEpoch: a leader announces itself, or that it leaves. Source: KIP-595."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.model.identifiers import NO_NODE, Epoch, NodeId


@dataclass(slots=True, kw_only=True)
class BeginQuorumEpochRequest:
    """A new leader tells a voter that it leads."""

    leader_id: NodeId
    """The leader."""
    epoch: Epoch
    """Its epoch."""


@dataclass(slots=True, kw_only=True)
class BeginQuorumEpochResponse:
    """Acknowledged, or refused with a newer epoch."""

    error: int = 0
    """An ErrorCode."""
    epoch: Epoch
    """The receiver's epoch."""
    leader_id: NodeId = NO_NODE
    """The leader it knows, or -1."""


@dataclass(slots=True, kw_only=True)
class EndQuorumEpochRequest:
    """A resigning leader asks the others to elect a successor."""

    leader_id: NodeId
    """Who resigns."""
    epoch: Epoch
    """The epoch that ends."""
    preferred_candidates: tuple[NodeId, ...]
    """Most advanced log first."""


@dataclass(slots=True, kw_only=True)
class EndQuorumEpochResponse:
    """Acknowledged, or refused with a newer epoch."""

    error: int = 0
    """An ErrorCode."""
    epoch: Epoch
    """The receiver's epoch."""
    leader_id: NodeId = NO_NODE
    """The leader it knows, or -1."""
