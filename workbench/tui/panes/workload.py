"""Below the map: who writes to the partition in view and who reads it, and how that goes."""

from __future__ import annotations

from rich.style import Style

from cluster.model.identifiers import TopicPartition
from workbench.telling.words import fate
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.map_places import Places
from workbench.tui.theme.palette import BAD, DIM, RAIL, TEXT, style
from workbench.tui.ui_state import UiState

PORT = 4
"""Columns from the left edge of the leader's box to where its clients meet it."""


def draw_workload(area: Area, ui: UiState, places: Places) -> None:
    """A row for producers and one for consumers, hung under the leader of the partition."""
    tp = ui.partition
    item = ui.view.partitions.get(tp) if tp is not None else None
    if tp is None or item is None:
        return
    written, read = _producers(ui, tp), _consumers(ui, tp)
    rows = [row for row in (written, read) if row]
    if not rows:
        return
    box = places.boxes.get(item.leader)
    x = box.x + PORT if box is not None else 0
    start = min(x + 14, area.width // 2)
    if box is not None:
        last = len(rows) - 1
        for y in range(min(len(rows), area.height)):
            area.put(x, y, ("\u2570" if y == last else "\u251c") + "\u2500" * (start - x - 2), RAIL)
        _stem(area, x, box.low)
    for y, parts in enumerate(rows[: area.height]):
        area.parts(start, y, *parts)


def _stem(area: Area, x: int, low: int) -> None:
    """From the box down to the first row, across a rail that may run between them."""
    canvas, left, top = area.canvas, area.rect.x, area.rect.y
    for y in range(top - 1, -1, -1):
        char = canvas.chars[y][left + x]
        if char in "\u2570\u2500\u2501":
            canvas.put(left + x, y, {"\u2501": "\u252f"}.get(char, "\u252c"), canvas.styles[y][left + x])
            return
        if char != " ":
            return
        canvas.put(left + x, y, "\u2502", RAIL)


def _producers(ui: UiState, tp: TopicPartition) -> list[tuple[str, Style]]:
    acked = ui.view.acked_count(tp)
    if not acked:
        return []
    missing = ui.view.missing(tp)
    is_bad = any(missing.counts)
    parts = [("producer ", style("text", bold=True)), (f"{acked:,} acknowledged", TEXT if is_bad else DIM)]
    parts.append((f", {fate(missing)}", BAD if is_bad else DIM))
    return parts


def _consumers(ui: UiState, tp: TopicPartition) -> list[tuple[str, Style]]:
    item = ui.view.partitions[tp]
    lane = ui.view.logs.get((item.leader, tp))
    got = ui.view.consumed.get(tp)
    if lane is None or lane.high_watermark < 0:
        return []
    parts = [("consumer ", style("text", bold=True)), (f"may read below HW {lane.high_watermark}", DIM)]
    if got is not None and len(got):
        parts.append((f"   has read {len(got):,}", DIM))
    return parts
