"""Everything a machine can be told."""

from __future__ import annotations

from typing import TypeAlias

from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset, TopicPartition
from cluster.model.messages import Message
from cluster.model.partition_state import PartitionState
from cluster.model.positional import Positional


class NodeStarted(Positional, kw_only=True):
    """The process is up, logs are recovered: begin."""


class Received(Positional, kw_only=True):
    """A message arrived. Requests and responses alike; a response repeats its request's correlation."""

    sender: NodeId
    correlation: int
    """Chosen by the requester; repeated in the response."""
    message: Message


class Disconnected(Positional, kw_only=True):
    """A connection this node had made is gone, or could not be made; requests on their way to that peer are lost."""

    peer: NodeId


class TimerFired(Positional, kw_only=True):
    """A timer that was set ran out."""

    name: str
    """The name it was set with."""


class Flushed(Positional, kw_only=True):
    """An asked-for flush is done: fsync claims durability up to here."""

    topic_partition: TopicPartition
    end_offset: Offset
    """Exclusive."""


class StopRequested(Positional, kw_only=True):
    """Leave in order: hand over leaderships, then stop."""


class PartitionChanged(Positional, kw_only=True):
    """Committed metadata about one partition this broker replicates. Node tells the partition machine."""

    topic_partition: TopicPartition
    state: PartitionState
    """As committed by the controller."""
    broker_epochs: dict[NodeId, int]
    """Unfenced brokers, not shutting down, with their broker epochs: who may join the ISR."""


class BrokersChanged(Positional, kw_only=True):
    """The set of brokers that may join an ISR changed."""

    broker_epochs: dict[NodeId, int]
    """Unfenced brokers, not shutting down, with their broker epochs."""


class WallClockRead(Positional, kw_only=True):
    """What the machine's wall clock says, which was asked for."""

    wall_ms: int
    """Since 1970."""


class FetchAbandoned(Positional, kw_only=True):
    """Nobody waits any more for the answer to a fetch that may be parked: its client is gone, or has its answer."""

    topic_partition: TopicPartition
    sender: NodeId
    """In whose name it was asked."""
    correlation: int


class ClientRequest(Positional, kw_only=True):
    """The lab asks a built-in client to do something."""

    operation: str
    """create_topic, produce, consume, delete_records or elect."""
    arguments: dict[str, str | int]


class QuorumStatus(Positional, kw_only=True):
    """What the node knows of the quorum; told to the broker and controller machines when it changes."""

    leader_id: NodeId = NO_NODE
    """Active controller as far as known; -1 when unknown."""
    epoch: Epoch = 0


Input: TypeAlias = (
    NodeStarted
    | Received
    | Disconnected
    | TimerFired
    | Flushed
    | StopRequested
    | PartitionChanged
    | BrokersChanged
    | WallClockRead
    | FetchAbandoned
    | ClientRequest
    | QuorumStatus
)
