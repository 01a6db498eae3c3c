"""What a quorum node must never forget: epoch, leader, vote. Source: KIP-595, quorum-state file."""

from __future__ import annotations

from msgspec import Struct

from cluster.model.identifiers import NO_NODE, Epoch, NodeId


class ElectionState(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The content of quorum-state."""

    epoch: Epoch
    """Current epoch."""
    leader_id: NodeId = NO_NODE
    """-1 when unknown."""
    voted_for: NodeId = NO_NODE
    """-1 when no vote was given in this epoch."""
    voted_directory_id: str = ""
    """Of the disk of the one it voted for; empty where voters are numbers alone."""
