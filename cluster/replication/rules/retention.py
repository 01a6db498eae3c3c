"""The rules by which old segments go. Each replica applies them to its own log, as in Kafka."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cluster.model.identifiers import Offset
from cluster.model.log_view import SegmentFacts
from cluster.model.ruling import Numbers, Ruling, rule
from cluster.model.topic_settings import RETENTION_BYTES, RETENTION_MS


class Expired(NamedTuple):
    """Segments that go, from the first on."""

    segments: tuple[SegmentFacts, ...] = ()
    setting: str = ""
    """Because of which they go."""
    limit: int = -1
    """The value of that setting, in ms or bytes."""


@rule(source="KIP-32", kafka="UnifiedLog.deleteRetentionMsBreachedSegments")
def expire_by_time(
    segments: Sequence[SegmentFacts], high_watermark: Offset, wall_ms: int, limit_ms: int
) -> Ruling[Expired]:
    """A segment goes when its newest record is older than retention.ms, all before it have gone, and it is committed.

    Args:
        segments: of one log, oldest first.
        high_watermark: of this replica (exclusive).
        wall_ms: the machine's wall clock: one that runs ahead deletes early.
    """
    old = _leading(segments, high_watermark, [wall_ms - each.newest_ms > limit_ms for each in segments])
    numbers: Numbers = {"retention_ms": limit_ms, "wall_ms": wall_ms, "high_watermark": high_watermark}
    if not old:
        return Ruling(Expired(), False, "no committed segment is too old", numbers)
    numbers |= {"newest_ms": old[-1].newest_ms, "end_offset": old[-1].end_offset}
    return Ruling(Expired(old, RETENTION_MS, limit_ms), True, "its newest record is older than retention.ms", numbers)


@rule(source="", kafka="UnifiedLog.deleteRetentionSizeBreachedSegments")
def expire_by_size(segments: Sequence[SegmentFacts], high_watermark: Offset, limit_bytes: int) -> Ruling[Expired]:
    """A segment goes when what stays without it is still retention.bytes, all before it have gone, and it is committed.

    Args:
        segments: of one log, oldest first.
        high_watermark: of this replica (exclusive).
    """
    size_bytes = left_bytes = sum(each.size_bytes for each in segments)
    spared = []
    for each in segments:
        spared.append(left_bytes - each.size_bytes >= limit_bytes)
        left_bytes -= each.size_bytes
    old = _leading(segments, high_watermark, spared)
    numbers: Numbers = {"retention_bytes": limit_bytes, "size_bytes": size_bytes, "high_watermark": high_watermark}
    if not old:
        return Ruling(Expired(), False, "without its first committed segment the log would be too small", numbers)
    numbers |= {"kept_bytes": size_bytes - sum(each.size_bytes for each in old), "end_offset": old[-1].end_offset}
    return Ruling(Expired(old, RETENTION_BYTES, limit_bytes), True, "what stays is still retention.bytes", numbers)


def _leading(
    segments: Sequence[SegmentFacts], high_watermark: Offset, may_go: Sequence[bool]
) -> tuple[SegmentFacts, ...]:
    """Those at the front that may go, are committed, and hold something. Source: UnifiedLog.deletableSegments."""
    count = 0
    for each, goes in zip(segments, may_go, strict=True):
        if not goes or each.end_offset > high_watermark or not each.size_bytes:
            break
        count += 1
    return tuple(segments[:count])
