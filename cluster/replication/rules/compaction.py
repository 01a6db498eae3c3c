"""The rule of when a replica compacts its log. What a pass keeps, tombstones too: `cluster/storage/compaction.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cluster.model.identifiers import Offset
from cluster.model.log_view import SegmentFacts
from cluster.model.ruling import Numbers, Ruling, rule
from cluster.model.topic_settings import Compaction

DIRTY_BYTES_MAX = 8 << 20
"""One pass takes up so much that is new, and ends its segment: a broker does nothing else meanwhile. Kafka's limit is
the memory for the keys of one pass (log.cleaner.dedupe.buffer.size), and its cleaner has threads of its own."""


class Cleanable(NamedTuple):
    """What is to be compacted."""

    dirty_offset: Offset = 0
    """From here on nothing was compacted before (inclusive)."""
    end_offset: Offset = 0
    """Exclusive; a segment ends there."""


@rule(source="", kafka="LogCleanerManager.grabFilthiestCompactedLog, cleanableOffsets")
def may_clean(
    segments: Sequence[SegmentFacts], cleaned_offset: Offset, stable_offset: Offset, wall_ms: int, settings: Compaction
) -> Ruling[Cleanable]:
    """A log is compacted up to its first segment that is written to, not stable, or too young, when enough is new.

    Args:
        segments: of one log, oldest first; the last one is written to.
        cleaned_offset: up to where it was compacted before (exclusive).
        stable_offset: of this replica: committed, and below it each transaction is decided (exclusive). Who reads
            committed records gets no further, so none of them may lose the older value of a key for one beyond.
        wall_ms: the machine's wall clock.
    """
    clean_bytes, dirty_bytes, end_offset = 0, 0, cleaned_offset
    for each in segments[:-1]:
        is_young = settings.least_lag_ms > 0 and wall_ms - each.newest_ms < settings.least_lag_ms
        if each.end_offset > stable_offset or is_young or dirty_bytes >= DIRTY_BYTES_MAX:
            break
        if each.end_offset <= cleaned_offset:
            clean_bytes += each.size_bytes
        else:
            dirty_bytes += each.size_bytes
            end_offset = each.end_offset
    numbers: Numbers = {
        "clean_bytes": clean_bytes,
        "dirty_bytes": dirty_bytes,
        "dirty_percent": 100 * dirty_bytes // max(1, clean_bytes + dirty_bytes),
        "least_percent": int(100 * settings.dirty_ratio),
        "end_offset": end_offset,
        "last_stable_offset": stable_offset,
    }
    if not dirty_bytes:
        return Ruling(Cleanable(), False, "no closed, stable segment is new", numbers)
    if dirty_bytes <= settings.dirty_ratio * (clean_bytes + dirty_bytes):
        return Ruling(Cleanable(), False, "too little of it is new", numbers)
    return Ruling(Cleanable(cleaned_offset, end_offset), True, "enough of it is new", numbers)
