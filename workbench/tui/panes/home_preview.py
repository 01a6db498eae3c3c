"""Right half of the first screen: what is selected, told before it is opened."""

from __future__ import annotations

from rich.style import Style

from workbench.session.comparison import World
from workbench.session.missions.board import Board
from workbench.session.preview import Preview
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.panes.isr import LEFT
from workbench.tui.panes.world import Axis, draw_axis, draw_lanes, draw_world_logs, replicas_of
from workbench.tui.theme.palette import BRIGHT, DIM, FAINT, GOOD, TEXT, TITLE, TONES, WARN

TIME_WIDTH = 7
GLANCE = 8
"""Rows that the time of a run takes at the least, without those of its replicas."""
LEAST = 40
"""Columns below which nothing is drawn of it."""
Line = tuple[str, Style]


def draw_run(area: Area, title: str, known: Preview | None) -> None:
    """A run: its title, its numbers, what happened in it. known: None while it is read."""
    y = _lines(area, 0, [(title, BRIGHT)])
    if known is None:
        area.put(1, y + 1, "looking into it ...", DIM)
        return
    if known.length_s:
        y = _lines(area, y, [(f"{known.length_s:.0f} s long", DIM)])
    y = _lines(area, y + 1, [*((text, TEXT) for text in known.numbers), *([(known.said, WARN)] if known.said else [])])
    y = _at_a_glance(area, y, known.world)
    last = _last_picture(area, known.world) if area.height - y > 2 * GLANCE else area.height
    if known.rows:
        y = _lines(area, y + 1, [("what happened", DIM)]) + 1
    for row in known.rows:
        if y >= last:
            area.right(last - 1, " \u2193 more ", WARN)
            break
        look = TONES.get(row.tone, TEXT) if row.kind == "head" else DIM
        area.put(1, y, f"{row.time:>{TIME_WIDTH}}", FAINT)
        for line in wrap(f"{row.glyph} {row.text}".strip(), max(1, area.width - TIME_WIDTH - 4)):
            if y < last:
                area.put(TIME_WIDTH + 3, y, line, look)
            y += 1


def _at_a_glance(area: Area, y: int, world: World | None) -> int:
    """Who led and who was in sync along its time; the row after it."""
    replicas = len(replicas_of(world, world.partition)) if world is not None else 0
    if world is None or area.height - y < GLANCE + replicas or area.width < LEAST:
        return y
    rows = 4 + replicas
    axis = Axis(0, max(1, world.length_ns), area.width - LEFT - 1)
    area.put(1, y + 1, "the run at a glance", DIM)
    draw_lanes(area.part(0, y + 2, area.width, rows), world, axis, world.partition, rows)
    draw_axis(area.part(0, y + 2 + rows, area.width, 1), axis)
    return y + 3 + rows


def _last_picture(area: Area, world: World | None) -> int:
    """The logs at its end, at the bottom; the row before it."""
    replicas = len(replicas_of(world, world.partition)) if world is not None else 0
    if world is None or not replicas or area.width < LEAST:
        return area.height
    y = area.height - replicas - 2
    area.put(1, y + 1, "its last picture", DIM)
    draw_world_logs(area.part(0, y + 2, area.width, replicas), world, world.partition, replicas)
    return y


def draw_task(area: Area, title: str, prose: str) -> None:
    """A lesson or a lab: what it is about."""
    _lines(area, 0, [(title, BRIGHT), ("", TEXT), (prose, TEXT)])


def draw_missions_done(area: Area, board: Board) -> None:
    """Every mission, how it was done or what it may take."""
    area.put(1, 0, "Missions of the free lab", BRIGHT)
    for y, mission in enumerate(board.missions, start=2):
        result = board.results.get(mission.name)
        mark, look = ("\u2713", GOOD) if result is not None else ("\u00b7", TEXT)
        right = mission.price if result is None else result
        area.put(1, y, f"{mark} {mission.title}", look)
        if len(mission.title) + len(right) + 6 < area.width:
            area.right(y, f"{right} ", DIM)
    area.put(1, len(board.missions) + 3, "They are judged by what happens.", TITLE)


def _lines(area: Area, y: int, texts: list[Line]) -> int:
    """Put texts below each other; the row after the last."""
    for text, look in texts:
        for line in wrap(text, max(1, area.width - 2)):
            area.put(1, y, line, look)
            y += 1
    return y
