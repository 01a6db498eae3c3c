"""Names for nodes, epochs, offsets and partitions. What the Raft paper calls a term is an epoch here."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

NodeId: TypeAlias = int
"""A controller, a broker or a client; unique in a run. Brokers 1-99, controllers 101-199, clients from 1001."""
Epoch: TypeAlias = int
Offset: TypeAlias = int

OF_ONE_ROLE_MAX = 9
"""So many brokers, and so many controllers, at most: each is a process, and all share one machine."""

NO_NODE: NodeId = -1
NO_EPOCH: Epoch = -1
UNKNOWN_OFFSET: Offset = -1
LAB_ID: NodeId = 0
"""Who tells of processes and faults."""
SCRIPT_ID: NodeId = 9001
"""Who tells of a script's steps and a learner's answers."""
LAST_BROKER_ID: NodeId = 99
FIRST_CONTROLLER_ID, LAST_CONTROLLER_ID = 101, 199
FIRST_CLIENT_ID: NodeId = 1001
EDGE_ID: NodeId = 1000
"""In its name a broker asks itself, and gets the answer, for the Kafka clients at its listener."""
FIRST_EDGE_CORRELATION = 1 << 48
"""Of what is asked for a Kafka client. The machines of a node count their correlations from below."""

FIRST_TRANSACTION_CORRELATION = 1 << 46
"""Of what a coordinator of transactions asks: the other coordinator of the same broker counts from below."""


class TopicPartition(NamedTuple):
    """One slice of a topic."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


METADATA = TopicPartition("__cluster_metadata", 0)
"""The one partition that the controller quorum replicates."""
OFFSETS_TOPIC = "__consumer_offsets"
"""Where the coordinators of consumer groups write."""
TRANSACTIONS_TOPIC = "__transaction_state"
"""Where the coordinators of transactions write."""
INTERNAL_TOPICS = frozenset((OFFSETS_TOPIC, TRANSACTIONS_TOPIC))
"""What a cluster keeps for itself. Source: Kafka Topic.isInternal."""


class LogEnd(NamedTuple):
    """Where a log ends; compares by epoch first, as votes do (Raft paper 5.4.1)."""

    epoch: Epoch
    """Epoch of the last record; 0 for an empty log."""
    offset: Offset
    """Log end offset: one past the last record."""


class SnapshotId(NamedTuple):
    """Names a snapshot of the metadata log by where it ends. Source: Kafka OffsetAndEpoch of a snapshot, KIP-630."""

    end_offset: Offset
    """Exclusive: it stands for every record below."""
    epoch: Epoch
    """Of the last record below."""

    def __str__(self) -> str:
        return f"{self.end_offset:020d}-{self.epoch:010d}"


class EpochEnd(NamedTuple):
    """An epoch and the exclusive end offset it reached in some log."""

    epoch: Epoch
    end_offset: Offset
