"""How long a tombstone, a record without a value, stays in a compacted log. Source: KIP-534, Kafka Cleaner.

It stands for its key until all who read the log from its start have had time to see it. The first pass of compaction
that keeps it writes into its batch when that time is over (the delete horizon); a pass that comes later takes it away.
"""

from __future__ import annotations

from cluster.model.record_batch import Record

NO_HORIZON = -1
"""Of a batch whose tombstones no pass has kept yet."""


def is_tombstone(record: Record) -> bool:
    """Whether it says that its key is gone. One without a key says nothing, and goes when its time is over, too."""
    return record.value is None


def may_go(horizon_ms: int, wall_ms: int) -> bool:
    """Whether the tombstones of a batch go with a pass at this time.

    Args:
        horizon_ms: as their batch says; NO_HORIZON for none.
    """
    return NO_HORIZON < horizon_ms <= wall_ms
