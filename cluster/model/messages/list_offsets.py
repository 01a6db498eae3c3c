"""ListOffsets: from a time to an offset of one partition. Source: KIP-79, KIP-734, KIP-207, API key 2.

Kafka asks for many partitions in one request; here it is one request for each partition.
"""

from __future__ import annotations

from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional

LATEST = -1
"""Timestamp that asks for where the next record will be read: a consumer's is the high watermark."""
EARLIEST = -2
"""Timestamp that asks for the first record that is still there."""
MAX_TIMESTAMP = -3
"""Timestamp that asks for the record with the largest timestamp. Source: KIP-734."""
EARLIEST_LOCAL = -4
"""Timestamp that asks for the first record that is not only in tiered storage: here the first. Source: KIP-405."""
LATEST_TIERED = -5
"""Timestamp that asks for the last record in tiered storage: here there is none. Source: KIP-1005."""


class ListOffsetsRequest(Positional, kw_only=True):
    """Which record is the first at that time or later?"""

    replica_id: NodeId = NO_NODE
    """Who asks; -1 for a consumer, who sees nothing from the high watermark on."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    current_leader_epoch: Epoch = NO_EPOCH
    """Leader epoch the asker believes in; -1 skips the check."""
    timestamp_ms: int
    """A time, or one of the special ones, which are negative."""


class ListOffsetsResponse(Positional, kw_only=True):
    """The record that was found, or why not."""

    error: int = 0
    """An ErrorCode."""
    topic: str
    """Topic name."""
    partition: int
    """Index."""
    timestamp_ms: int = -1
    """Of that record; -1 for LATEST and EARLIEST, and when there is no such record."""
    offset: Offset = UNKNOWN_OFFSET
    """-1 when there is no such record."""
    leader_epoch: Epoch = NO_EPOCH
    """Of that record; for LATEST of the leader. -1 when not known."""
    leader_id: NodeId = NO_NODE
    """The leader the answerer knows."""
