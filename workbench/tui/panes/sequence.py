"""Arrows between columns, one row for each: who said what to whom, in time order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from rich.style import Style

from workbench.tui.drawing.canvas import Area, fit
from workbench.tui.theme.palette import TEXT, TONES

Column = TypeVar("Column")
SHORT = {"good": "\u2713", "bad": "\u2717"}


def draw_arrow(
    area: Area, y: int, ends: tuple[Column, Column], forms: Sequence[str], tone: str, columns: Mapping[Column, int]
) -> None:
    """From one column to another; a note beside its column when both are the same. Nothing for unknown ends.

    forms: what it says, in ever fewer letters; an arrow without room for any of them has a tick or a cross.
    """
    look = TONES.get(tone, TEXT)
    start, end = columns.get(ends[0]), columns.get(ends[1])
    if start is None or end is None:
        return
    if start == end:
        _draw_note(area, y, start, forms, look, sorted({*columns.values(), -1, area.width}))
        return
    left, right = min(start, end) + 1, max(start, end) - 1
    span = right - left + 1
    shown = next((form for form in (*forms, *SHORT.get(tone, ())) if len(form) < span), "")
    line = shown.center(span - 1, "\u2500") if shown else "\u2500" * (span - 1)
    area.put(left, y, line + "\u25b8" if end > start else "\u25c2" + line, look)


def _draw_note(area: Area, y: int, at: int, forms: Sequence[str], look: Style, stops: list[int]) -> None:
    """Between its column and the next one, else the one before; over others only where neither has the room.

    stops: all columns, and the edges of the area.
    """
    place = stops.index(at)
    after, before = stops[place + 1] - at - 1, at - stops[place - 1] - 1
    for form in forms:
        if len(form) < after:
            area.put(at + 1, y, f" {form}", look)
            return
        if stops[place + 1] == area.width and len(form) < before:
            area.put(at - len(form) - 1, y, f"{form} ", look)
            return
    shown = fit(f" {forms[0]}", area.width - 1)
    area.put(max(0, min(at + 1, area.width - len(shown))), y, shown, look)
