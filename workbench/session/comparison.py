"""Two runs with the same beginning, side by side from where they part: what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from workbench.session.follow import Follower
from workbench.session.recording import Recording
from workbench.session.timeline import LOST, Mark


class Row(NamedTuple):
    """One moment; a side without a mark then has None."""

    t_ns: int
    parent: Mark | None
    child: Mark | None


class Parent(NamedTuple):
    """The other run, as far as a comparison needs it."""

    run: str
    branch_events: int
    """Events that both share."""
    marks: tuple[Mark, ...]
    """Of the whole run."""
    end_ns: int = 0
    """When its last event was told."""


def parent_of(run: str, branch_events: int, recording: Recording) -> Parent:
    """The run that is on the screen, before another takes its place there."""
    return Parent(run, branch_events, tuple(recording.timeline.marks), recording.timeline.end_ns)


def read_parent(folder: Path, branch_events: int) -> Parent:
    """A recorded run. TraceError or OSError when it cannot be read."""
    recording = Recording()
    try:
        Follower(folder, recording.extend, lambda: recording.keep_in(folder)).poll(None)
        return parent_of(folder.name, branch_events, recording)
    finally:
        recording.close()


def rows(parent: Sequence[Mark], child: Sequence[Mark], branch_events: int) -> list[Row]:
    """All marks after the branch point in time order; what happened to both at the same time stands in one row."""
    found: list[Row] = []
    left = [mark for mark in parent if mark.place >= branch_events]
    right = [mark for mark in child if mark.place >= branch_events]
    i = j = 0
    while i < len(left) or j < len(right):
        if j == len(right) or i < len(left) and left[i].t_ns < right[j].t_ns:
            found.append(Row(left[i].t_ns, left[i], None))
            i += 1
        elif i == len(left) or right[j].t_ns < left[i].t_ns:
            found.append(Row(right[j].t_ns, None, right[j]))
            j += 1
        else:
            found.append(Row(left[i].t_ns, left[i], right[j]))
            i, j = i + 1, j + 1
    return found


KINDS = (
    ("V", "elections"),
    ("E", "epochs"),
    ("\u2702", "truncations"),
    ("-", "ISR shrunk"),
    ("+", "ISR grew"),
    (LOST, "records lost"),
)
"""What is counted, by glyph."""


def counts(marks: Iterable[Mark], branch_events: int) -> dict[str, int]:
    """How often each kind of thing happened after the branch point."""
    found = dict.fromkeys((word for _, word in KINDS), 0)
    words = dict(KINDS)
    for mark in marks:
        if mark.place >= branch_events and mark.glyph in words:
            found[words[mark.glyph]] += 1
    return found
