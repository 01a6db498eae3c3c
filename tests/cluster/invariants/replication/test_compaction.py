"""Rules P37 and P38: what compaction takes, and what it left."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition
from tests.support.traces.traces import recovered


def told(
    records: str, removed: tuple[int, ...], end: int, first: int = 0, wall_ms: int = 0, **more: Any
) -> ev.LogCleaned:
    """One record of each key from offset `first` on; a small letter is a tombstone, a dot is an offset without one."""
    found = tuple((at, key.upper(), int(key.islower())) for at, key in enumerate(records, first) if key != ".")
    given: dict[str, Any] = {"expired": (), "batches": (), "opaque_count": 0, "delete_retention_ms": 100} | more
    return ev.LogCleaned(
        **WHERE,
        dirty_offset=first,
        end_offset=end,
        segments_before=1,
        segments_after=1,
        bytes_before=1,
        bytes_after=1,
        record_count=len(found),
        removed_count=len(removed),
        records=found,
        removed=removed,
        wall_ms=wall_ms,
        **given,
    )


class Compacting(Partition):
    """Six committed records at broker 1, which leads, in a segment that is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()
        for offset in range(6):
            self.replicate(offset, f"a{offset}")
        rolled: dict[str, Any] = {"base_offset": 0, "end_offset": 6, "size_bytes": 100, "why": "segment.bytes"}
        self.add(1, ev.SegmentRolled(**WHERE, **rolled))


def test_superseded_records_may_go_and_old_tombstones_later() -> None:
    trace = Compacting()
    trace.add(1, told("ABAbCC", (0, 1, 4), 6, wall_ms=50))
    trace.add(1, told("..Ab.C", (3,), 6, wall_ms=150, expired=((3, 150),)))
    trace.add(1, told("..A..C", (), 6, wall_ms=200))
    assert trace.holds("P37") and trace.holds("P38")


@pytest.mark.parametrize(
    ("passes", "what"),
    [
        ([told("ABABCC", (0, 1, 2, 4), 6)], "takes the record at offset 2, and no later record has its key"),
        ([told("ABABCC", (0, 1, 4, 5), 6)], "takes the record at offset 5, and no later record has its key"),
        ([told("ABABCc", (0, 1, 4, 5), 6)], "takes the record at offset 5, the newest tombstone of its key, too early"),
        (
            [told("ABABCc", (0, 1, 4), 6), told("..AB.c", (5,), 6, wall_ms=99, expired=((5, 100),))],
            "offset 5, the newest tombstone of its key, too early",
        ),
        (
            [told("ABABCc", (0, 1, 4), 6), told("..AB.c", (5,), 6, wall_ms=99, expired=((5, 99),))],
            "offset 5, the newest tombstone of its key, too early",
        ),
    ],
)
def test_nothing_else_may(passes: list[ev.LogCleaned], what: str) -> None:
    trace = Compacting()
    for one in passes:
        trace.add(1, one)
    assert what in trace.sentence("P37")


@pytest.mark.parametrize(
    ("passes", "what"),
    [
        ([told("ABABCCD", (0,), 7)], "compacts up to 7; its high watermark is 6"),
        ([told("ABA.CC", (0,), 6)], "has no record at offset 3 any more, which no compaction took"),
        ([told("ABABCC", (0,), 6), told(".BAB.C", (), 6)], "has no record at offset 4 any more"),
    ],
)
def test_only_what_is_committed_is_compacted_and_what_was_left_is_there(passes: list[ev.LogCleaned], what: str) -> None:
    trace = Compacting()
    for one in passes:
        trace.add(1, one)
    assert what in trace.sentence("P38")


def test_who_died_may_have_closed_a_segment_and_told_nobody() -> None:
    trace = Compacting()
    for offset in range(6, 8):
        trace.replicate(offset, f"a{offset}")
    trace.exit(1)
    trace.start(1, "broker")
    batches = tuple((offset, 1, 0, (f"a{offset}",)) for offset in range(8))
    trace.add(1, recovered(8, batches, topic="orders", high_watermark=8))
    trace.add(1, told("ABCDEFGH", (), 8))
    assert trace.verdicts()["P38"].verdict is Verdict.HOLDS


def test_only_a_batch_of_a_transaction_is_not_looked_into() -> None:
    """Any other cannot be read: a pass before has spoilt it."""
    trace = Compacting()
    trace.add(1, told("ABAbCC", (0, 1, 4), 6, opaque_count=1))
    assert trace.verdicts()["P38"].verdict is Verdict.VIOLATED
