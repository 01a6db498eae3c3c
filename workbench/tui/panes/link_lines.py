"""Lines on the map for links that a fault touches: where they run, how one way differs from both ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.style import Style

from cluster.model.identifiers import NodeId
from workbench.session.describe.sentences import node_name
from workbench.session.views.cluster import ClusterView, LinkView
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import BAD, WARN


class Ends(NamedTuple):
    """A node's box on the map."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Line:
    """One pair of nodes; an arrow head stands at each end that the fault keeps from hearing the other."""

    first: NodeId
    second: NodeId
    there: LinkView | None
    """From first to second."""
    back: LinkView | None
    band: int = 0
    """Number of the row of boxes it runs below."""
    lane: int = 0
    """Row in the band, from 0."""
    ports: tuple[int, int] = (0, 0)
    """Number of its foot among the feet at each box."""

    @property
    def is_cut(self) -> bool:
        """Whether frames wait at all."""
        return any(way is not None and way.is_cut for way in (self.there, self.back))

    @property
    def label(self) -> str:
        """What is wrong, with which, which way: for people who see no arrow."""
        a, b = node_name(self.first), node_name(self.second)
        if self.there is not None and self.there == self.back:
            return f"{_glyph(self.there)} {self.there.text} {a}\u2194{b}"
        parts = []
        if self.there is not None:
            parts.append(f"{_glyph(self.there)} {self.there.text} {a}\u2192{b}")
        if self.back is not None:
            parts.append(f"{_glyph(self.back)} {self.back.text} {b}\u2192{a}")
        return " ".join(parts)


def _glyph(way: LinkView) -> str:
    return "\u2573" if way.is_cut else "\u2248"


def broken_links(view: ClusterView) -> list[Line]:
    """One line per pair that a fault in force touches, cuts first."""
    links = view.links()
    pairs = sorted({(min(pair), max(pair)) for pair in links})
    lines = [Line(a, b, links.get((a, b)), links.get((b, a))) for a, b in pairs]
    return sorted(lines, key=lambda line: not line.is_cut)


def assign_lanes(lines: list[Line], grid: list[list[NodeId]], most: int) -> tuple[dict[int, int], list[Line]]:
    """(lanes needed below each row of boxes, lines with band, lane and ports); at most `most` lanes in a band."""
    row_of = {node: (number, place) for number, row in enumerate(grid) for place, node in enumerate(row)}
    taken: dict[int, list[list[tuple[int, int]]]] = {}
    feet: dict[NodeId, int] = {}
    placed: list[Line] = []
    for line in lines:
        if line.first not in row_of or line.second not in row_of:
            continue
        (row_a, at_a), (row_b, at_b) = row_of[line.first], row_of[line.second]
        band = min(row_a, row_b)
        span = (min(at_a, at_b), max(at_a, at_b))
        lanes = taken.setdefault(band, [])
        lane = next((number for number, spans in enumerate(lanes) if _is_free(spans, span)), len(lanes))
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append(span)
        ports = (feet.get(line.first, 0), feet.get(line.second, 0))
        feet[line.first], feet[line.second] = ports[0] + 1, ports[1] + 1
        placed.append(replace(line, band=band, lane=lane, ports=ports))
    return {band: min(most, len(lanes)) for band, lanes in taken.items()}, placed


def _is_free(spans: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    return all(span[0] >= other[1] + 1 or other[0] >= span[1] + 1 for other in spans)


def draw_lines(area: Area, lines: list[Line], boxes: dict[NodeId, Ends], tops: dict[int, int]) -> None:
    """Feet first, then the level parts, so that a crossing shows the level part."""
    for line in lines:
        y, look = tops[line.band] + line.lane, _look(line)
        for node, port in zip((line.first, line.second), line.ports, strict=True):
            box = boxes[node]
            for row in range(box.y + box.height, y) if box.y < y else range(y + 1, box.y):
                area.put(_column(box, port, y), row, "\u2502", look)
    for line in lines:
        y, look = tops[line.band] + line.lane, _look(line)
        ends = [(_column(boxes[node], port, y), boxes[node]) for node, port in _feet(line)]
        (left, left_box), (right, right_box) = sorted(ends, key=lambda end: end[0])
        if right - left < 2:
            fits = left + 2 + len(line.label) <= area.width
            area.put(left + 2 if fits else max(0, left - 1 - len(line.label)), y, line.label, look)
            continue
        area.put(left, y, "\u2570" if left_box.y < y else "\u256d", look)
        area.put(right, y, "\u256f" if right_box.y < y else "\u256e", look)
        text, room = f" {line.label} ", right - left - 1
        if len(text) > room:
            text = line.label.split()[0].center(3 if room > 4 else 1)
        area.put(left + 1, y, text.center(room, "\u2500"), look)


def draw_heads(area: Area, lines: list[Line], boxes: dict[NodeId, Ends], tops: dict[int, int]) -> None:
    """On the edge of each box: an arrow head where frames to it are touched, a plain foot where they are not."""
    for line in lines:
        y = tops[line.band] + line.lane
        for (node, port), way in zip(_feet(line), (line.back, line.there), strict=True):
            box = boxes[node]
            above = box.y < y
            head = ("\u25b2" if above else "\u25bc") if way is not None else ("\u252c" if above else "\u2534")
            area.put(_column(box, port, y), box.y + box.height - 1 if above else box.y, head, _look(line))


def _feet(line: Line) -> tuple[tuple[NodeId, int], tuple[NodeId, int]]:
    return (line.first, line.ports[0]), (line.second, line.ports[1])


def _look(line: Line) -> Style:
    return BAD if line.is_cut else WARN


def _column(box: Ends, port: int, y: int) -> int:
    """Below a box: from its middle outwards. Above it: from its right end, clear of its name."""
    if box.y < y:
        return box.x + box.width // 2 + (0, 2, -2, 4, -4, 6, -6)[port % 7]
    return box.x + box.width - 2 - 2 * (port % 4)
