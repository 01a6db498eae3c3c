"""One of two worlds: who leads and who is in sync along a time axis that both share, its logs at one moment."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.identifiers import NodeId, TopicPartition
from workbench.session.comparison import World
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.isr import (
    AXIS_STEPS,
    DRAWN_AS,
    LEFT,
    MARK_TONES,
    WEIGHTS,
    draw_control_row,
    draw_ribbon,
    draw_size,
)
from workbench.tui.panes.log_cells import few_cells
from workbench.tui.theme.palette import BAD, BRIGHT, CROWN, DIM, FAINT, FOCUS, HW, RAIL, TEXT, TONES, style

DEED_GAP = 1
LABEL_GAP = 12
"""Columns from one number of the axis to the next, at the least."""
DEEDS = style("task")


class Axis(NamedTuple):
    """Which column stands for which time since the beginning of both worlds."""

    from_ns: int
    to_ns: int
    columns: int

    def x(self, since_ns: int) -> int:
        """The column of a moment, clamped to the axis."""
        place = (since_ns - self.from_ns) * self.columns // max(1, self.to_ns - self.from_ns)
        return max(0, min(self.columns - 1, place))

    def times(self, world: World) -> list[int]:
        """The instant that each column stands for, up to the end of the world."""
        span = self.to_ns - self.from_ns
        times = [self.from_ns + span * (place + 1) // self.columns for place in range(self.columns)]
        end_ns, step_ns = world.length_ns, span // max(1, self.columns)
        return [world.at(min(since_ns, end_ns)) for since_ns in times if since_ns - step_ns < end_ns]


def replicas_of(world: World, tp: TopicPartition | None) -> tuple[NodeId, ...]:
    """Who has the partition in this world."""
    item = world.recording.live.partitions.get(tp) if tp is not None else None
    return item.replicas if item is not None else ()


def draw_world_head(area: Area, sign: str, world: World) -> None:
    """A letter, what it is, and what kind of world."""
    area.put(0, 0, "\u2500" * area.width, RAIL)
    x = area.parts(1, 0, (f" {sign} ", FOCUS), (f" {world.title} "[: area.width - 8], BRIGHT))
    if world.kind and x + len(world.kind) + 2 < area.width:
        area.put(x, 0, f" {world.kind} ", DIM)


def draw_lanes(area: Area, world: World, axis: Axis, tp: TopicPartition | None, rows: int) -> None:
    """As many of these as there are rows, the first needed first: quorum, replicas, deeds, how many are in sync."""
    times, timeline = axis.times(world), world.recording.timeline
    replicas = replicas_of(world, tp)[: max(0, rows - 1)]
    y = 0
    if rows > len(replicas) + 1:
        _deeds(area, y, world, axis)
        y += 1
    draw_control_row(area, y, world.recording, times)
    y += 1
    if tp is None or not replicas:
        return
    changes, leaders = timeline.isr_along(tp, times), timeline.leadership.along(tp, times)
    for node in replicas:
        area.put(2, y, node_name(node), TEXT)
        draw_ribbon(area, y, timeline.down_along(node, times), node, changes, leaders)
        y += 1
    if y < rows:
        draw_size(area, y, changes)
        y += 1
    if y < rows:
        _marks(area, y, world, axis)


def _deeds(area: Area, y: int, world: World, axis: Axis) -> None:
    """What was done to it, where there is room for the words."""
    area.put(1, y, "faults", DIM)
    free = 0
    for span in sorted(world.recording.timeline.faults.values()):
        since_ns = world.since(span.begin_ns)
        if not axis.from_ns <= since_ns <= axis.to_ns:
            continue
        x = max(free, axis.x(since_ns))
        text = span.text if x + len(span.text) <= axis.columns else "\u2717"
        if x < axis.columns:
            area.put(LEFT + x, y, text, DEEDS)
        free = x + len(text) + DEED_GAP


def _marks(area: Area, y: int, world: World, axis: Axis) -> None:
    area.put(1, y, "marks", DIM)
    shown: dict[int, str] = {}
    for mark in world.recording.timeline.marks:
        since_ns = world.since(mark.t_ns)
        if axis.from_ns <= since_ns <= axis.to_ns:
            x = axis.x(since_ns)
            if WEIGHTS.get(mark.glyph, -1) >= WEIGHTS.get(shown.get(x, ""), -1):
                shown[x] = mark.glyph
    for x, glyph in shown.items():
        area.put(LEFT + x, y, DRAWN_AS.get(glyph, glyph), TONES.get(MARK_TONES.get(glyph, "dim"), DIM))


def draw_axis(area: Area, axis: Axis) -> None:
    """Seconds since the beginning of both."""
    span_s = (axis.to_ns - axis.from_ns) / 1e9
    least = span_s * LABEL_GAP / max(1, axis.columns)
    step = next((step for step in AXIS_STEPS if step >= least), AXIS_STEPS[-1])
    decimals = 1 if step < 1 else 0
    number = -(-axis.from_ns // int(step * 1e9))
    while (since_ns := int(number * step * 1e9)) <= axis.to_ns:
        text = f"{since_ns / 1e9:.{decimals}f} s"
        if axis.x(since_ns) + len(text) <= axis.columns:
            area.put(LEFT + axis.x(since_ns), 0, text, FAINT)
        number += 1


def draw_world_logs(area: Area, world: World, tp: TopicPartition | None, rows: int) -> None:
    """The newest records of each replica at the moment in view."""
    view = world.recording.view
    item = view.partitions.get(tp) if tp is not None else None
    for y, node in enumerate(replicas_of(world, tp)[:rows]):
        state = view.nodes.get(node)
        is_down = state is not None and state.process == "down"
        leads = item is not None and item.leader == node
        area.put(0, y, "\u2717" if is_down else "\u2605" if leads else " ", BAD if is_down else CROWN)
        area.put(2, y, node_name(node), BAD if is_down else BRIGHT if leads else TEXT)
        lane = view.logs.get((node, tp)) if tp is not None else None
        if lane is None:
            area.put(LEFT, y, "no log yet", FAINT)
            continue
        ends = (("HW ", HW), (f"{max(0, lane.high_watermark)}", TEXT), (" LEO ", DIM), (f"{lane.log_end_offset}", TEXT))
        width = sum(len(text) for text, _ in ends)
        area.parts(LEFT, y, *few_cells(lane, area.width - LEFT - width - 2))
        area.parts(area.width - width, y, *ends)
