"""What a timeline gained lately, so that it can be kept piece by piece and put together again."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.identifiers import NodeId, TopicPartition
from workbench.session.timeline import FaultSpan, IsrChange, Mark, Timeline

LATE_BUCKETS = 3
"""Buckets of activity before the newest to which an entry that came late may still add."""


class Growth(NamedTuple):
    """What a stretch of entries added to a timeline."""

    start_ns: int
    end_ns: int
    marks: list[Mark]
    isr: dict[TopicPartition, list[IsrChange]]
    process: dict[NodeId, list[tuple[int, str]]]
    activity_from: int
    """First bucket of `activity`, some of which may have been known with less in it."""
    activity: list[int]
    faults: dict[int, FaultSpan]
    """Those that began or ended."""


class GrowthMeter:
    """Follows one timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._marks = self._buckets = 0
        self._isr: dict[TopicPartition, int] = {}
        self._process: dict[NodeId, int] = {}
        self._faults: dict[int, FaultSpan] = {}
        self.take()

    def take(self) -> Growth:
        """What came since this was asked last."""
        timeline, first = self._timeline, max(0, self._buckets - LATE_BUCKETS)
        growth = Growth(
            timeline.start_ns,
            timeline.end_ns,
            timeline.marks[self._marks :],
            {tp: new for tp, told in timeline.isr.items() if (new := told[self._isr.get(tp, 0) :])},
            {node: new for node, told in timeline.process.items() if (new := told[self._process.get(node, 0) :])},
            first,
            timeline.activity[first:],
            {number: span for number, span in timeline.faults.items() if self._faults.get(number) != span},
        )
        self._marks, self._buckets = len(timeline.marks), len(timeline.activity)
        self._isr = {tp: len(told) for tp, told in timeline.isr.items()}
        self._process = {node: len(told) for node, told in timeline.process.items()}
        self._faults.update(growth.faults)
        return growth


def grow(timeline: Timeline, growth: Growth) -> None:
    """Have the timeline know what another one of the same run had gained."""
    timeline.start_ns, timeline.end_ns = growth.start_ns, growth.end_ns
    timeline.marks += growth.marks
    timeline.glyphs.update(mark.glyph for mark in growth.marks)
    for tp, changes in growth.isr.items():
        timeline.isr.setdefault(tp, []).extend(changes)
    for node, told in growth.process.items():
        timeline.process.setdefault(node, []).extend(told)
    timeline.activity[growth.activity_from :] = growth.activity
    timeline.faults |= growth.faults
