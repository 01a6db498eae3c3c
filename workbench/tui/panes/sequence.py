"""Arrows between columns, one row for each: who said what to whom, in time order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from rich.style import Style

from workbench.tui.drawing.canvas import Area, fit
from workbench.tui.theme.palette import TEXT, TONES

Column = TypeVar("Column")
SHORT = {"good": "\u2713", "bad": "\u2717"}
REASONS = (
    (re.compile(r"no: voted for (\d+)"), r"no: voted n\1"),
    (re.compile(r"no: has fetched from leader (\d+) in this epoch"), r"no: follows n\1"),
    (re.compile(r"no: leader (\d+) is known in this epoch"), r"no: n\1 leads"),
    (re.compile(r"no: is (\w+) in this epoch"), r"no: \1 too"),
    (re.compile(r"no: its log is behind"), "no: log behind"),
    (re.compile(r"FENCED_LEADER_EPOCH"), "\u2717 fenced"),
    (re.compile(r"UNKNOWN_LEADER_EPOCH"), "\u2717 epoch"),
    (re.compile(r"fetch (\d+@e\d+)"), r"\1"),
    (re.compile(r"generation (\d+)"), r"gen \1"),
    (re.compile(r"REBALANCE_IN_PROGRESS"), "rebalance"),
    (re.compile(r"(join|sync|heartbeat|leave|commit): (\w+)"), r"\2"),
)
"""Words that do not fit between two columns, and how to say them in few letters."""


def forms(text: str, tone: str) -> list[str]:
    """The same in ever fewer letters, down to a tick or a cross."""
    found = [text]
    for pattern, few in REASONS:
        text = pattern.sub(few, text)
    voted = text.replace("no: voted ", "\u2717 ")
    return [*found, text, text.replace("no: ", "\u2717"), voted, *([SHORT[tone]] if tone in SHORT else [])]


def draw_arrow(
    area: Area, y: int, ends: tuple[Column, Column], text: str, tone: str, columns: Mapping[Column, int]
) -> None:
    """From one column to another; a note beside its column when both are the same. Nothing for unknown ends."""
    look = TONES.get(tone, TEXT)
    start, end = columns.get(ends[0]), columns.get(ends[1])
    if start is None or end is None:
        return
    if start == end:
        _draw_note(area, y, start, text, look, sorted({*columns.values(), -1, area.width}))
        return
    left, right = min(start, end) + 1, max(start, end) - 1
    span = right - left + 1
    shown = next((form for form in forms(text, tone) if len(form) < span), "")
    line = shown.center(span - 1, "\u2500") if shown else "\u2500" * (span - 1)
    area.put(left, y, line + "\u25b8" if end > start else "\u25c2" + line, look)


def _draw_note(area: Area, y: int, at: int, text: str, look: Style, stops: list[int]) -> None:
    """Between its column and the next one, else the one before; over others only where neither has the room.

    stops: all columns, and the edges of the area.
    """
    place = stops.index(at)
    after, before = stops[place + 1] - at - 1, at - stops[place - 1] - 1
    for form in note_forms(text):
        if len(form) < after:
            area.put(at + 1, y, f" {form}", look)
            return
        if stops[place + 1] == area.width and len(form) < before:
            area.put(at - len(form) - 1, y, f"{form} ", look)
            return
    shown = fit(f" {text}", area.width - 1)
    area.put(max(0, min(at + 1, area.width - len(shown))), y, shown, look)


def note_forms(text: str) -> list[str]:
    """What a node says for itself, in ever fewer letters."""
    few = text.replace("pre-vote?", "pre?").replace("leads ", "")
    return [text, few, re.sub(r" e\d+", "", few)]
