"""Everything a machine can be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset, TopicPartition
from cluster.model.messages import Message
from cluster.model.partition_state import PartitionState


@dataclass(slots=True, kw_only=True)
class NodeStarted:
    """The process is up, logs are recovered: begin."""


@dataclass(slots=True, kw_only=True)
class Received:
    """A message arrived. Requests and responses alike; a response repeats its request's correlation."""

    sender: NodeId
    """Who sent it."""
    correlation: int
    """Chosen by the requester; repeated in the response."""
    message: Message
    """The body."""


@dataclass(slots=True, kw_only=True)
class Disconnected:
    """A connection this node had made is gone, or could not be made; requests on their way to that peer are lost."""

    peer: NodeId
    """The other end."""


@dataclass(slots=True, kw_only=True)
class TimerFired:
    """A timer that was set ran out."""

    name: str
    """The name it was set with."""


@dataclass(slots=True, kw_only=True)
class Flushed:
    """An asked-for flush is done: fsync claims durability up to here."""

    topic_partition: TopicPartition
    """Which log."""
    end_offset: Offset
    """Exclusive."""


@dataclass(slots=True, kw_only=True)
class StopRequested:
    """Leave in order: hand over leaderships, then stop."""


@dataclass(slots=True, kw_only=True)
class PartitionChanged:
    """Committed metadata about one partition this broker replicates. Node tells the partition machine."""

    topic_partition: TopicPartition
    """Which partition."""
    state: PartitionState
    """As committed by the controller."""
    broker_epochs: dict[NodeId, int]
    """Unfenced brokers, not shutting down, with their broker epochs: who may join the ISR."""


@dataclass(slots=True, kw_only=True)
class BrokersChanged:
    """The set of brokers that may join an ISR changed."""

    broker_epochs: dict[NodeId, int]
    """Unfenced brokers, not shutting down, with their broker epochs."""


@dataclass(slots=True, kw_only=True)
class FetchAbandoned:
    """Nobody waits any more for the answer to a fetch that may be parked: its client is gone, or has its answer."""

    topic_partition: TopicPartition
    """Which partition."""
    sender: NodeId
    """In whose name it was asked."""
    correlation: int
    """As asked."""


@dataclass(slots=True, kw_only=True)
class ClientRequest:
    """The lab asks a built-in client to do something."""

    operation: str
    """create_topic, produce, consume or elect."""
    arguments: dict[str, str | int]
    """By name."""


@dataclass(slots=True, kw_only=True)
class QuorumStatus:
    """What the node knows of the quorum; told to the broker and controller machines when it changes."""

    leader_id: NodeId = NO_NODE
    """Active controller as far as known; -1 when unknown."""
    epoch: Epoch = 0
    """Quorum epoch."""


Input: TypeAlias = (
    NodeStarted
    | Received
    | Disconnected
    | TimerFired
    | Flushed
    | StopRequested
    | PartitionChanged
    | BrokersChanged
    | FetchAbandoned
    | ClientRequest
    | QuorumStatus
)
