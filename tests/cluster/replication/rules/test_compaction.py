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


def test_the_evidence_says_how_much_of_it_is_new_in_percent() -> None:
    numbers = may_clean(SEGMENTS, 10, 40, 9_000, Compaction(dirty_ratio=0.25)).numbers
    told = {"clean_bytes": 100, "dirty_bytes": 200, "dirty_percent": 66, "least_percent": 25, "end_offset": 30}
    assert numbers == {**told, "last_stable_offset": 40}
    refused = may_clean(SEGMENTS, 10, 40, 9_000, Compaction(dirty_ratio=1.0))
    assert (refused.granted, refused.numbers["least_percent"]) == (False, 100)
    nothing = may_clean(SEGMENTS[:1], 0, 40, 9_000, Compaction())
    assert (nothing.granted, nothing.reason) == (False, "no closed, stable segment is new")
    assert nothing.numbers["dirty_percent"] == 0
    one_byte = (SegmentFacts(0, 10, 1, 0), SEGMENTS[1])
    assert may_clean(one_byte, 0, 40, 9_000, Compaction()).numbers["dirty_percent"] == 100


def test_a_segment_that_ends_just_past_what_was_compacted_is_new() -> None:
    assert may_clean(SEGMENTS, 9, 40, 9_000, Compaction(dirty_ratio=0.0)).numbers["dirty_bytes"] == 300


def test_what_is_young_waits() -> None:
    wanted = Compaction(dirty_ratio=0, least_lag_ms=100)
    assert may_clean(SEGMENTS, 0, 40, 1_110, wanted).value == Cleanable(0, 20)
    assert may_clean(SEGMENTS, 0, 40, 1_109, wanted).value == Cleanable(0, 10)
    least = Compaction(dirty_ratio=0, least_lag_ms=1)
    assert may_clean(SEGMENTS, 0, 40, 1_010, least).value == Cleanable(0, 10)


def test_without_a_lag_a_record_that_is_dated_ahead_does_not_wait() -> None:
    assert may_clean(SEGMENTS, 0, 40, 0, Compaction(dirty_ratio=0, least_lag_ms=0)).value == Cleanable(0, 30)


def test_one_pass_takes_up_so_much_that_is_new() -> None:
    large = tuple(SegmentFacts(base, base + 10, DIRTY_BYTES_MAX, 0) for base in (0, 10, 20))
    assert may_clean(large, 0, 40, 0, Compaction()).value == Cleanable(0, 10)
    smaller = (SegmentFacts(0, 10, DIRTY_BYTES_MAX - 1, 0), *large[1:])
    assert may_clean(smaller, 0, 40, 0, Compaction()).value == Cleanable(0, 20)
