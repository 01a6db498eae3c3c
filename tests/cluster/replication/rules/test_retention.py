"""Which segments retention lets go."""

from __future__ import annotations

import pytest

from cluster.model.log_view import SegmentFacts
from cluster.replication.rules.retention import expire_by_size, expire_by_time

LOG = (SegmentFacts(0, 3, 100, 1_000), SegmentFacts(3, 6, 100, 2_000), SegmentFacts(6, 8, 60, 2_500))
EMPTY_TAIL = (*LOG[:2], SegmentFacts(6, 6, 0, 2_500))


@pytest.mark.parametrize(
    ("wall_ms", "high_watermark", "gone"),
    [(1_500, 8, 0), (2_000, 8, 0), (2_001, 8, 1), (3_001, 8, 2), (9_000, 8, 3), (9_000, 7, 2), (9_000, 5, 1)],
)  # fmt: skip
def test_what_is_older_than_the_bound_goes_as_far_as_it_is_committed(
    wall_ms: int, high_watermark: int, gone: int
) -> None:
    ruling = expire_by_time(LOG, high_watermark, wall_ms, 1_000)
    assert ruling.value.segments == LOG[:gone]
    assert ruling.granted == (gone > 0)
    asked = {"retention_ms": 1_000, "wall_ms": wall_ms, "high_watermark": high_watermark}
    last = LOG[gone - 1]
    told = {"newest_ms": last.newest_ms, "end_offset": last.end_offset} if gone else {}
    assert ruling.numbers == {**asked, **told}


@pytest.mark.parametrize(
    ("limit_bytes", "high_watermark", "gone"),
    [(260, 8, 0), (161, 8, 0), (160, 8, 1), (61, 8, 1), (60, 8, 2), (1, 8, 2), (0, 8, 3), (0, 7, 2), (0, 2, 0)],
)
def test_the_oldest_go_while_what_stays_is_still_the_bound(limit_bytes: int, high_watermark: int, gone: int) -> None:
    ruling = expire_by_size(LOG, high_watermark, limit_bytes)
    assert ruling.value.segments == LOG[:gone]
    assert ruling.granted == (gone > 0)
    asked = {"retention_bytes": limit_bytes, "size_bytes": 260, "high_watermark": high_watermark}
    kept_bytes = sum(each.size_bytes for each in LOG[gone:])
    told = {"kept_bytes": kept_bytes, "end_offset": LOG[gone - 1].end_offset} if gone else {}
    assert ruling.numbers == {**asked, **told}


def test_a_segment_that_holds_nothing_stays() -> None:
    assert expire_by_size(EMPTY_TAIL, 6, 0).value.segments == LOG[:2]
    assert expire_by_time(EMPTY_TAIL, 6, 99_999, 1).value.segments == LOG[:2]


def test_a_younger_segment_keeps_those_behind_it() -> None:
    late = (SegmentFacts(0, 3, 100, 9_000), *LOG[1:])
    assert expire_by_time(late, 8, 9_500, 1_000).value.segments == ()
