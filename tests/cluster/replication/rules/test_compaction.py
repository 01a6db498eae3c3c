"""The rule by which a log is compacted, at each of its bounds."""

from __future__ import annotations

import pytest

from cluster.model.log_view import SegmentFacts
from cluster.model.topic_settings import Compaction
from cluster.replication.rules.compaction import DIRTY_BYTES_MAX, Cleanable, may_clean

SEGMENTS = tuple(SegmentFacts(base, base + 10, 100, 1_000 + base) for base in (0, 10, 20, 30))
"""Four of a hundred bytes; the last is written to."""


@pytest.mark.parametrize(
    ("cleaned", "high_watermark", "ratio", "end"),
    [
        (0, 40, 0.5, 30),
        (0, 29, 0.5, 20),
        (0, 30, 0.5, 30),
        (0, 9, 0.0, None),
        (10, 40, 0.5, 30),
        (10, 40, 0.67, None),
        (20, 40, 0.34, None),
        (20, 40, 0.33, 30),
        (30, 40, 0.0, None),
    ],
)
def test_committed_closed_segments_are_compacted_when_enough_is_new(
    cleaned: int, high_watermark: int, ratio: float, end: int | None
) -> None:
    ruling = may_clean(SEGMENTS, cleaned, high_watermark, 9_000, Compaction(dirty_ratio=ratio))
    assert ruling.granted is (end is not None)
    assert ruling.value == (Cleanable() if end is None else Cleanable(cleaned, end))


def test_half_is_not_more_than_half() -> None:
    assert not may_clean(SEGMENTS[:3], 10, 40, 9_000, Compaction(dirty_ratio=0.5)).granted


def test_what_is_young_waits() -> None:
    wanted = Compaction(dirty_ratio=0, least_lag_ms=100)
    assert may_clean(SEGMENTS, 0, 40, 1_110, wanted).value == Cleanable(0, 20)
    assert may_clean(SEGMENTS, 0, 40, 1_109, wanted).value == Cleanable(0, 10)


def test_one_pass_takes_up_so_much_that_is_new() -> None:
    large = tuple(SegmentFacts(base, base + 10, DIRTY_BYTES_MAX, 0) for base in (0, 10, 20))
    assert may_clean(large, 0, 40, 0, Compaction()).value == Cleanable(0, 10)
