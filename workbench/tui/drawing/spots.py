"""What lies where on a frame: panes say so while they draw, and a click or the wheel finds it."""

from __future__ import annotations

from typing import NamedTuple


class Spot(NamedTuple):
    """Columns [x, x + width) of rows [y, y + height), and what they stand for."""

    x: int
    y: int
    width: int
    height: int
    kind: str
    """pane, overlay, node, event, time, key, choice, do, cell, row, message; held: where a line begins."""
    value: tuple[object, ...]

    def holds(self, x: int, y: int) -> bool:
        """Whether the cell is in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class Pointed(NamedTuple):
    """One event of the mouse on the frame that is shown."""

    what: str
    """click, drag, move or wheel."""
    x: int
    y: int
    spots: list[Spot]
    """What lies there, the innermost first."""
    button: int = 1
    """1 left, 3 right."""
    times: int = 1
    """2 for a double click; lines of the wheel, negative upwards."""


def spots_at(spots: list[Spot], x: int, y: int) -> list[Spot]:
    """What is there, the innermost first. Nothing shows through an overlay."""
    hit: list[Spot] = []
    for spot in reversed(spots):
        if spot.holds(x, y):
            hit.append(spot)
            if spot.kind == "overlay":
                break
    return hit
