"""AlterPartition: a partition leader proposes an ISR. Source: KIP-497, KIP-841, API key 56."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, Epoch, NodeId
from cluster.model.positional import Positional


class AlterPartitionRequest(Positional, kw_only=True):
    """Make this the ISR."""

    broker_id: NodeId
    """The leader."""
    broker_epoch: int
    """Its registration."""
    topic: str
    """Topic name."""
    topic_id: int
    """Guards against a recreated topic."""
    partition: int
    """Index."""
    leader_epoch: Epoch
    """As the leader knows it."""
    partition_epoch: int
    """As the leader knows it."""
    new_isr: tuple[tuple[NodeId, int], ...]
    """(replica, its broker epoch) each; -1 skips the epoch check."""
    recovering: bool = False
    """Leader recovery state to set."""


class AlterPartitionResponse(Positional, kw_only=True):
    """The committed ISR, or why not."""

    error: int = 0
    """An ErrorCode."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    leader_epoch: Epoch = -1
    """After the change."""
    partition_epoch: int = -1
    """After the change."""
    isr: tuple[NodeId, ...] = ()
    """After the change."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
    recovering: bool = False
    """Leader recovery state after the change."""
