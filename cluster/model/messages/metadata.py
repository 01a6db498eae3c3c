"""Metadata: who leads what. Source: API key 3."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.partition_state import PartitionState
from cluster.model.positional import Positional


class MetadataRequest(Positional, kw_only=True):
    """Tell me leaders and brokers."""

    topics: tuple[str, ...] = ()
    """Empty for all."""


class MetadataResponse(Positional, kw_only=True):
    """What the answering broker has applied."""

    error: int = 0
    """An ErrorCode."""
    controller_id: NodeId = NO_NODE
    """Active controller as known, or -1."""
    brokers: tuple[NodeId, ...]
    """Unfenced brokers."""
    partitions: tuple[tuple[str, int, PartitionState], ...]
    """(topic, partition, committed state) each; the state holds topic id, replicas, ISR, leader and leader epoch."""
