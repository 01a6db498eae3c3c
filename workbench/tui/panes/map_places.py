"""Where each node of the map stands: arithmetic only. Nodes never move while a cluster lives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.identifiers import NodeId

WIDEST, ROOMY, USUAL, CLOSE, LEAST = 48, 30, 25, 22, 12
"""Columns of a box; the first where the links between boxes are long enough."""
GAP_LEAST, GAP_MOST = 9, 36
"""Columns between two boxes of a row: a message has to have room, and a link is no motorway."""
TIGHT, GAP_TIGHT = 62, 7
"""Below so many columns a box's own words need them more than the messages do."""
TALLEST, TALL, LOW = 11, 5, 3
"""Rows of a box with its frame; the first where the map stands alone."""
ROOM_BETWEEN = 8
"""Rows between and below the boxes that those taller than TALL leave free."""
FIRST_CONTROLLER = 101


class Box(NamedTuple):
    """A node on the map."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The column of its right edge."""
        return self.x + self.width - 1

    @property
    def low(self) -> int:
        """The row of its lower edge."""
        return self.y + self.height - 1


@dataclass(slots=True)
class Places:
    """Boxes, and rows that are left for what runs between and below them; -1 for a row without room."""

    boxes: dict[NodeId, Box] = field(default_factory=dict)
    rows: list[list[NodeId]] = field(default_factory=list)
    """Nodes side by side, from the top."""
    rails: dict[int, int] = field(default_factory=dict)
    """Number of a row of three to the row of the screen on which its outer two are linked."""
    caption: int = -1
    """Between controllers and brokers: words."""
    bus: int = -1
    """Between controllers and brokers: the brokers' way to the active controller."""
    below: int = 0
    """First row below everything."""

    def neighbours(self) -> list[tuple[NodeId, NodeId]]:
        """Pairs that stand side by side."""
        return [pair for row in self.rows for pair in zip(row, row[1:], strict=False)]


def groups_of(nodes: list[NodeId]) -> list[list[NodeId]]:
    """Controllers above brokers; nodes that are both stand in one group."""
    top = [node for node in nodes if node >= FIRST_CONTROLLER]
    return [group for group in (top, [node for node in nodes if node < FIRST_CONTROLLER]) if group]


def in_rows(group: list[NodeId], width: int) -> list[list[NodeId]]:
    """At most three side by side, four where seven or more have to stand somewhere; none much shorter than another."""
    most = 3 if len(group) <= 6 else 4
    most = max(1, min(most, (width + GAP_LEAST) // (LEAST + GAP_LEAST)))
    long = -(-len(group) // -(-len(group) // most))
    return [group[start : start + long] for start in range(0, len(group), long)]


def by_columns(groups: list[list[NodeId]], width: int) -> list[NodeId]:
    """All nodes of a map that is so wide, each before the one that stands below it; then the next column."""
    rows = [row for group in groups for row in in_rows(group, width)]
    return [row[x] for x in range(max(map(len, rows), default=0)) for row in rows if x < len(row)]


def place(groups: list[list[NodeId]], width: int, height: int) -> Places:
    """All boxes in width columns and height rows; rows between them yield before the boxes do."""
    places = Places()
    split = [in_rows(group, width) for group in groups]
    places.rows = [row for rows in split for row in rows]
    if not places.rows:
        return places
    per_row = max(len(row) for row in places.rows)
    wide, gap = _columns(width, per_row)
    lines, extras = len(places.rows), _extras(split)
    tall = max(TALL, min(TALLEST, (height - ROOM_BETWEEN) // lines))
    while tall > LOW and tall * lines > height - (2 if len(groups) > 1 else 0):
        tall -= 1
    spare = height - tall * lines
    wanted = [name for name in ("bus", "below", "rail 0", f"rail {lines - 1}", "caption", "below") if name in extras]
    kept = wanted[: max(0, spare)]
    y = 0
    for number, row in enumerate(places.rows):
        is_first_low = len(groups) > 1 and number == len(split[0])
        if number == 0 and "rail 0" in kept and lines > 1:
            places.rails[0], y = y, y + 1
        if is_first_low:
            if "caption" in kept:
                places.caption, y = y, y + 1
            if "bus" in kept:
                places.bus, y = y, y + 1
        for at, node in enumerate(row):
            places.boxes[node] = Box(at * (wide + gap), y, wide, tall)
        y += tall
    last = lines - 1
    if f"rail {last}" in kept and last not in places.rails:
        places.rails[last], y = y, y + 1
    places.below = y
    return places


def _columns(width: int, per_row: int) -> tuple[int, int]:
    """Columns of a box and of a gap."""
    usual = next(box for least, box in ((146, ROOMY), (111, USUAL), (84, CLOSE), (0, 20)) if width >= least)
    least = GAP_TIGHT if width < TIGHT else GAP_LEAST
    wide = max(LEAST, min(usual, (width - least * (per_row - 1)) // per_row))
    if per_row == 1:
        return wide, 0
    gap = max(1, min(GAP_MOST, (width - wide * per_row) // (per_row - 1)))
    return max(wide, min(WIDEST, (width - gap * (per_row - 1)) // per_row)), gap


def _extras(split: list[list[list[NodeId]]]) -> set[str]:
    """Rows that would be of use."""
    rows = [row for group in split for row in group]
    extras = {"below"}
    if len(split) > 1:
        extras |= {"bus", "caption"}
    if len(split[0]) == 1 and len(rows[0]) == 3:
        extras.add("rail 0")
    if len(split[-1]) == 1 and len(rows[-1]) == 3:
        extras.add(f"rail {len(rows) - 1}")
    return extras
