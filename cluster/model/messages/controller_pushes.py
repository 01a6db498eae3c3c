"""LeaderAndIsr, UpdateMetadata, StopReplica, ControlledShutdown: how a controller of ZooKeeper's era tells brokers."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, Epoch, NodeId
from cluster.model.partition_state import PartitionState
from cluster.model.positional import Positional


class LeaderAndIsrRequest(Positional, kw_only=True):
    """Lead and follow these partitions. Source: API key 4."""

    wire_number: ClassVar[int] = 110
    controller_id: NodeId
    controller_epoch: Epoch
    broker_epoch: int
    """Of the broker that is told; -1 before KIP-380."""
    partitions: tuple[tuple[str, int, PartitionState], ...]
    """(topic, partition, state) each; the partition epoch is the version of its znode."""


class LeaderAndIsrResponse(Positional, kw_only=True):
    """Obeyed, or refused."""

    wire_number: ClassVar[int] = 111
    error: ErrorCode = ErrorCode.NONE


class UpdateMetadataRequest(Positional, kw_only=True):
    """What to tell clients. Source: API key 6."""

    wire_number: ClassVar[int] = 112
    controller_id: NodeId
    controller_epoch: Epoch
    broker_epoch: int
    """Of the broker that is told; -1 before KIP-380."""
    live_brokers: tuple[tuple[NodeId, int], ...]
    """(broker, broker epoch) each."""
    partitions: tuple[tuple[str, int, PartitionState], ...]
    """Those that changed."""
    topics: tuple[tuple[str, int, tuple[tuple[str, str], ...]], ...]
    """(topic, topic id, its own settings) of these partitions. Kafka's brokers read settings from /config."""
    deleted: tuple[str, ...] = ()
    """Topics that are gone; Kafka says so with leader -2."""


class UpdateMetadataResponse(Positional, kw_only=True):
    """Obeyed, or refused."""

    wire_number: ClassVar[int] = 113
    error: ErrorCode = ErrorCode.NONE


class StopReplicaRequest(Positional, kw_only=True):
    """Keep these partitions no more. Source: API key 5."""

    wire_number: ClassVar[int] = 114
    controller_id: NodeId
    controller_epoch: Epoch
    broker_epoch: int
    partitions: tuple[tuple[str, int], ...]
    delete: bool
    """Whether their logs go; else they only stop to follow."""


class StopReplicaResponse(Positional, kw_only=True):
    """Obeyed, or refused."""

    wire_number: ClassVar[int] = 115
    error: ErrorCode = ErrorCode.NONE


class ControlledShutdownRequest(Positional, kw_only=True):
    """I leave: move my leaderships. Source: KIP-49, API key 7."""

    wire_number: ClassVar[int] = 116
    broker_id: NodeId
    broker_epoch: int


class ControlledShutdownResponse(Positional, kw_only=True):
    """What it leads still."""

    wire_number: ClassVar[int] = 117
    error: ErrorCode = ErrorCode.NONE
    remaining: int = 0
    """Partitions that could not be moved."""
    leader_id: NodeId = NO_NODE
    """The controller as known."""


PushMessage: TypeAlias = (
    LeaderAndIsrRequest
    | LeaderAndIsrResponse
    | UpdateMetadataRequest
    | UpdateMetadataResponse
    | StopReplicaRequest
    | StopReplicaResponse
    | ControlledShutdownRequest
    | ControlledShutdownResponse
)
