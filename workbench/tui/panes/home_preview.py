"""Right half of the first screen: what is selected, told before it is opened."""

from __future__ import annotations

from rich.style import Style

from workbench.session.missions.board import Board
from workbench.session.preview import Preview
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.theme.palette import BRIGHT, DIM, FAINT, GOOD, TEXT, TITLE, TONES, WARN

TIME_WIDTH = 7
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
    if known.rows:
        y = _lines(area, y + 1, [("what happened", DIM)]) + 1
    for row in known.rows:
        if y >= area.height:
            area.right(area.height - 1, " \u2193 more ", WARN)
            break
        look = TONES.get(row.tone, TEXT) if row.kind == "head" else DIM
        area.put(1, y, f"{row.time:>{TIME_WIDTH}}", FAINT)
        for line in wrap(f"{row.glyph} {row.text}".strip(), max(1, area.width - TIME_WIDTH - 4)):
            area.put(TIME_WIDTH + 3, y, line, look)
            y += 1


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
