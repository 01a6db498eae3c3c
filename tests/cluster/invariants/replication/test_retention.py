"""Rule P32: what retention lets go."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition
from tests.support.traces.traces import recovered

Segments = tuple[tuple[int, int, int, int], ...]


class Retaining(Partition):
    """Six committed records in three closed segments of 100 bytes at broker 1, which leads; both bounds are set."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()
        for offset in range(6):
            self.replicate(offset, f"a{offset}")
        for config, value in (("retention.bytes", "150"), ("retention.ms", "1000")):
            self.add(1, ev.TopicConfigChanged(topic=WHERE["topic"], config=config, value=value, is_default=False))
        for base in (0, 2, 4):
            self.roll(base, base + 2)

    def roll(self, base: int, end: int) -> None:
        rolled: dict[str, Any] = {"base_offset": base, "end_offset": end, "size_bytes": 100, "why": "segment.bytes"}
        self.add(1, ev.SegmentRolled(**WHERE, **rolled))

    def let_go(
        self, segments: Segments, *, setting: str = "retention.bytes", limit: int = 150, kept: int = 150
    ) -> None:
        told: dict[str, Any] = {"limit": limit, "segments": segments, "kept_bytes": kept, "wall_ms": 5_000}
        self.add(1, ev.SegmentsExpired(**WHERE, setting=setting, role="leader", **told))


def test_whole_committed_segments_beyond_a_bound_may_go() -> None:
    trace = Retaining()
    trace.let_go(((0, 2, 100, 0),))
    trace.let_go(((2, 4, 100, 3_999),), setting="retention.ms", limit=1_000, kept=0)
    assert trace.holds("P32")


@pytest.mark.parametrize(
    ("segments", "setting", "limit", "kept", "what"),
    [
        (((0, 2, 100, 0),), "retention.bytes", 150, 149, "149 bytes are left"),
        (((0, 2, 100, 0),), "retention.bytes", 151, 500, "its topic wants 150"),
        (((0, 2, 100, 4_000),), "retention.ms", 1_000, 0, "one is 1000 ms old"),
        (((2, 4, 100, 0),), "retention.bytes", 150, 150, "its log begins at 0"),
        (((0, 2, 100, 0), (4, 6, 100, 0)), "retention.bytes", 150, 150, "they do not lie side by side"),
        (((0, 3, 100, 0),), "retention.bytes", 150, 150, "segment 0 was closed at 2 with 100 bytes"),
        (((0, 2, 99, 0),), "retention.bytes", 150, 150, "segment 0 was closed at 2 with 100 bytes"),
    ],
)
def test_nothing_else_may(segments: Segments, setting: str, limit: int, kept: int, what: str) -> None:
    trace = Retaining()
    trace.let_go(segments, setting=setting, limit=limit, kept=kept)
    assert trace.sentence("P32").endswith(what)


def test_what_is_not_committed_stays() -> None:
    trace = Retaining()
    trace.append(1, 6, "b6")
    trace.roll(6, 7)
    trace.let_go(((0, 2, 100, 0), (2, 4, 100, 0), (4, 6, 100, 0), (6, 7, 100, 0)))
    assert trace.sentence("P32").endswith("its high watermark is 6")


def test_who_died_in_a_pass_of_compaction_may_have_other_segments_than_it_told() -> None:
    trace = Retaining()
    began: dict[str, Any] = {"dirty_offset": 0, "end_offset": 4, "high_watermark": 6, "active_offset": 6}
    trace.add(1, ev.CleaningBegan(**WHERE, role="leader", **began))
    trace.exit(1)
    trace.start(1, "broker")
    trace.add(1, recovered(6, topic="orders", high_watermark=6))
    trace.let_go(((0, 4, 80, 0),))
    assert trace.verdicts()["P32"].verdict is Verdict.HOLDS
    trace.let_go(((4, 6, 99, 0),))
    assert trace.sentence("P32").endswith("segment 4 was closed at 6 with 100 bytes")
