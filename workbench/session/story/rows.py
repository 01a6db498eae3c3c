"""The story as rows to show: each incident with its costs, and what followed where it is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from workbench.session.story.incident import Incident
from workbench.session.story.line import STORY, instant
from workbench.session.story.story import Story
from workbench.telling.telling import BAD, DIM, INFO


class Row(NamedTuple):
    """One row, before it is fitted to a width."""

    place: int
    """Of the entry that it tells of, in the recording."""
    incident: int
    kind: str
    """head, step, cost or meanwhile."""
    time: str
    """Of a head the run's clock, of a step since the cause; empty for what has no instant of its own."""
    glyph: str
    tone: str
    text: str
    is_open: bool = False
    """Of a head: whether what followed stands below it."""


Opened = Callable[[Incident], bool]


def rows_at(
    story: Story, cursor: int, now_ns: int, start_ns: int, *, opened: Opened, level: str = STORY
) -> Iterator[Row]:
    """Every incident that began by then, the newest first.

    Args:
        cursor: how many entries were told.
        now_ns: the instant on screen: what still runs is that long.
        start_ns: when the run began.
        opened: whether what followed is shown.
    """
    for incident in reversed(story.teller.incidents):
        head = incident.head.at(cursor)
        if head is None:
            continue
        is_open = opened(incident)
        time = instant(incident.t_ns - start_ns)
        yield Row(
            incident.place, incident.number, "head", time, incident.head.glyph, incident.head.tone, head.text, is_open
        )
        if is_open:
            yield from _steps(incident, cursor, now_ns, start_ns, level)
        costs = incident.costs_at(cursor, now_ns)
        if costs:
            yield Row(incident.place, incident.number, "cost", "", "", INFO, ", ".join(costs))
        if is_open:
            for text in incident.meanwhile_at(cursor, now_ns):
                yield Row(incident.place, incident.number, "meanwhile", "", "", INFO, text)


def _steps(incident: Incident, cursor: int, now_ns: int, start_ns: int, level: str) -> Iterator[Row]:
    number = incident.number
    for t_ns, place, text in incident.retold:
        yield Row(place, number, "step", f"{(t_ns - start_ns) / 1e9:.2f}", "", DIM, text)
    for line, said in incident.steps_at(cursor, level):
        since = (line.first.t_ns - incident.t_ns) / 1e9
        tone = line.tone if line.tone == BAD or line.glyph else INFO
        yield Row(line.first.place, number, "step", f"+{since:.3f}", line.glyph, tone, said.words(now_ns))
    dropped = incident.dropped[STORY] + (incident.dropped[level] if level != STORY else 0)
    if dropped:
        yield Row(incident.place, number, "meanwhile", "", "", DIM, f"and {dropped:,} more lines")
