"""Where a lesson holds the view: one pane in a frame, the rows that answer marked, and under it what to see."""

from __future__ import annotations

import re
from typing import NamedTuple

from cluster.model.identifiers import NodeId
from workbench.session.lesson.markdown import unmarked
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Canvas, Rect, wrap
from workbench.tui.theme.palette import filled, on_ground, style
from workbench.tui.theme.roles import FILLS

FRAME = style("task", bold=True)
WORDS = filled("task", "bright")
PANE_LEAST = 8
"""Rows that a pane keeps, its head included, if it has them: else it comes to stand higher."""
EDGES = "\u256d\u256e\u256f\u2570\u2500\u2502\u2501\u2503\u250f\u2513\u2517\u251b\u254c\u254e"
"""What the frame of a box is drawn with."""
LABEL = 12
"""Columns in which a row names its node."""


class Marked(NamedTuple):
    """What answers, of the nodes that the lesson names."""

    rows: list[int]
    """Of the screen, each on the ground of a task."""
    boxes: list[Rect]
    """Nodes of the map."""


def room_for(pane: Rect, look: str, floor: int, columns: int) -> Rect:
    """The pane without what its frame and the words under it need. floor: the first row that is not theirs."""
    x, width = (pane.x, pane.width) if pane.x else (1, pane.width - 1)
    if x + width >= columns:
        width = columns - 1 - x
    lacking = max(0, len(_words(look, width)) + 1 - (floor - pane.y - pane.height))
    height = max(min(PANE_LEAST, pane.height), pane.height - lacking)
    return Rect(x, floor - len(_words(look, width)) - 1 - height if lacking else pane.y, width, height)


def frame(canvas: Canvas, pane: Rect, look: str, nodes: tuple[NodeId, ...], newest: int) -> None:
    """Around a pane that is drawn; newest: index of the event at which the view is held."""
    marked = _mark_rows(canvas, pane, nodes, newest)
    left, right, top, low = pane.x - 1, pane.x + pane.width, pane.y, pane.y + pane.height
    head = canvas.chars[top][pane.x : right]
    canvas.put(left, top, "\u250f" + "".join(head).replace("\u2500", "\u2501") + "\u2513", FRAME)
    lines = _words(look, pane.width)
    for y in range(top + 1, low + len(lines)):
        canvas.put(left, y, "\u2503", FRAME)
        canvas.put(right, y, "\u2503", FRAME)
    for y, line in enumerate(lines, start=low):
        canvas.put(pane.x, y, line.ljust(pane.width), WORDS)
    canvas.put(left, low + len(lines), "\u2517" + "\u2501" * pane.width + "\u251b", FRAME)
    _join(canvas, Rect(left, top, pane.width + 2, low + len(lines) - top), low, marked)


def _join(canvas: Canvas, rim: Rect, said: int, marked: Marked) -> None:
    """A line from the words to what they name: along the edge of the frame to rows, upwards to the first box.

    rim: the frame without its lowest row; said: the first row of the words under the pane.
    """
    if marked.rows or marked.boxes:
        canvas.put(rim.x, said, "\u2523", FRAME)
    for y in marked.rows:
        canvas.put(rim.x, y, "\u2523", FRAME)
    if marked.boxes:
        _line_up(canvas, rim.x, said, marked.boxes[0])
    held = next((spot for spot in canvas.spots if spot.kind == "held"), None)
    if held is None or held.x + held.width >= rim.x or not rim.y < held.y:
        return
    low = rim.y + rim.height
    start = held.x + held.width + 1
    canvas.put(start, held.y, "\u2501" * (rim.x - start), FRAME)
    for y in range(low, held.y):
        canvas.put(rim.x, y, "\u2503", FRAME)
    is_said = canvas.chars[held.y][rim.x] == "\u2523"
    corner = "\u254b" if is_said else "\u252b" if held.y < low else "\u253b" if held.y == low else "\u251b"
    canvas.put(rim.x, held.y, corner, FRAME)
    if held.y > low:
        canvas.put(rim.x, low, "\u2523", FRAME)


def _line_up(canvas: Canvas, left: int, said: int, box: Rect) -> None:
    """From the edge of the frame to a box beside it; to another one from the words upwards, where least is crossed."""
    low = box.y + box.height - 1
    if box.x <= left + 2:
        canvas.put(left, box.y + 1, "\u2523" + "\u2501" * (box.x - left - 1), FRAME)
        return
    between = range(low + 1, said)
    x = min(range(box.x + 1, box.x + box.width - 1), key=lambda x: sum(canvas.chars[y][x] != " " for y in between))
    for y in between:
        if canvas.chars[y][x] in (" ", "\u2500"):
            canvas.put(x, y, "\u2503" if canvas.chars[y][x] == " " else "\u2542", FRAME)
    canvas.put(x, low, "\u2533" if canvas.chars[low][x] == "\u2501" else "\u2530", FRAME)


def _words(look: str, width: int) -> list[str]:
    mark = " \u25b4 "
    lines = wrap(unmarked(look), max(1, width - len(mark) - 1))
    return [(mark if not place else " " * len(mark)) + line for place, line in enumerate(lines)]


def _mark_rows(canvas: Canvas, pane: Rect, nodes: tuple[NodeId, ...], newest: int) -> Marked:
    """What is of these nodes: a box gets a frame, a row a ground. And the row of the event that decided."""
    inside = [spot for spot in canvas.spots if _is_within(spot.x, spot.y, pane)]
    boxes = [spot for spot in inside if spot.kind == "node" and spot.height > 1 and spot.value[0] in nodes]
    for box in boxes:
        rect = Rect(box.x, box.y, box.width, box.height)
        for y in range(rect.y, rect.y + rect.height):
            columns = range(rect.x, rect.x + rect.width) if y in (rect.y, rect.y + rect.height - 1) else (
                rect.x, rect.x + rect.width - 1)  # fmt: skip
            for x in columns:
                if canvas.chars[y][x] in EDGES:
                    canvas.styles[y][x] = FRAME
    rows = {spot.y for spot in inside if spot.kind == "node" and spot.height == 1 and spot.value[0] in nodes}
    rows |= {spot.y for spot in inside if spot.kind == "event" and spot.value[0] == newest}
    if not boxes and not rows:
        rows = _named_rows(canvas, pane, nodes)
    for y in rows:
        looks = canvas.styles[y]
        looks[pane.x : pane.x + pane.width] = [
            on_ground(look, FILLS["task"].dark) for look in looks[pane.x : pane.x + pane.width]
        ]
    return Marked(sorted(rows), [Rect(box.x, box.y, box.width, box.height) for box in boxes])


def _named_rows(canvas: Canvas, pane: Rect, nodes: tuple[NodeId, ...]) -> set[int]:
    """Rows that begin with the name of one of the nodes."""
    names = [re.compile(rf"\W*{node_name(node)}\b") for node in nodes]
    rows = range(pane.y + 1, min(pane.y + pane.height, canvas.height))
    label = {y: "".join(canvas.chars[y][pane.x : pane.x + LABEL]) for y in rows}
    return {y for y in rows if any(name.match(label[y]) for name in names)}


def _is_within(x: int, y: int, pane: Rect) -> bool:
    return pane.x <= x < pane.x + pane.width and pane.y < y < pane.y + pane.height
