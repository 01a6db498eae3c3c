"""What a recorded run was, told without opening it: its size, what clients got, what happened. Bounded time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from cluster.model.events import FaultApplied
from cluster.model.identifiers import METADATA
from cluster.trace.reader import TraceError, TraceStream
from workbench.session.comparison import World
from workbench.session.recording import Recording
from workbench.session.story.headline import counts
from workbench.session.story.rows import Row, rows_at
from workbench.session.story.story import Story
from workbench.session.timeline import Timeline
from workbench.session.views.cluster import ClusterView
from workbench.support.safe_text import safe_text
from workbench.telling.words import plural

READ_S_MAX = 1.0
"""After that the preview says what it knows by then."""
LOOK_EVERY = 256


@dataclass(frozen=True, slots=True)
class Preview:
    """What is said of one run; texts are safe."""

    said: str = ""
    """Why there is no more, in a sentence; empty when all was read."""
    length_s: float = 0.0
    """From its first event to its newest; 0 when not all was read."""
    numbers: tuple[str, ...] = ()
    """What clients got; faults and leaders of the quorum."""
    rows: tuple[Row, ...] = ()
    """Heads of its story with what each has cost, the oldest first."""
    world: World | None = None
    """Its time and its end, to be drawn."""


def preview(run_folder: Path) -> Preview:
    """Read what can be read within the bounds. Never raises for what is in the folder."""
    try:
        return _read(run_folder / "trace")
    except (TraceError, OSError) as error:
        return Preview(f"its trace cannot be read: {safe_text(str(error), 200)}")


def _read(folder: Path) -> Preview:
    picture, story, timeline = ClusterView(), Story(), Timeline()
    started_s, first_ns, count, faults, limits = monotonic(), 0, 0, 0, ""
    for entry in TraceStream(folder):
        first_ns = first_ns or entry.t_ns
        picture.apply(entry)
        story.apply(entry, count, picture)
        timeline.apply(entry, count, picture, story.said_at(count))
        faults += isinstance(entry.event, FaultApplied)
        count += 1
        if not count % LOOK_EVERY and monotonic() - started_s > READ_S_MAX:
            limits = f"as far as its first {(picture.t_ns - first_ns) / 1e9:.0f} s; open it to see more"
            break
    if not count:
        return Preview("its trace holds no events")
    elections = {election.epoch for election in picture.elections if election.topic_partition == METADATA}
    served = story.traffic.at(count)
    numbers = (
        counts(served.acknowledged, served.failed, picture.missing()),
        f"{plural(faults, 'fault')}, {plural(len(elections), 'leader of the quorum', 'leaders of the quorum')}",
    )
    rows = list(rows_at(story, count, picture.t_ns, first_ns, opened=lambda _: False))
    world = World("", "", Recording.folded(timeline, story, picture))
    length_s = 0.0 if limits else (picture.t_ns - first_ns) / 1e9
    return Preview(limits, length_s, numbers, _oldest_first(rows), world)


def _oldest_first(rows: list[Row]) -> tuple[Row, ...]:
    """Each head with the rows below it, turned round."""
    groups: list[list[Row]] = []
    for row in rows:
        if row.kind == "head" or not groups:
            groups.append([])
        groups[-1].append(row)
    return tuple(row for group in reversed(groups) for row in group)
