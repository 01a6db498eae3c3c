"""Canvases as an asciicast: what a terminal is to be sent, and when. Source: asciicast file format, version 2."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.color import ColorSystem

from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.theme.themes import dressed

VERSION = 2
BEGIN = "\x1b[?25l\x1b[0m\x1b[2J"
"""No cursor, an empty screen."""
END = "\x1b[0m\x1b[?25h"
MARK_MAX = 120


def header(width: int, height: int, title: str, unix_s: int) -> str:
    """The first line; unix_s is when the run began."""
    fields = {
        "version": VERSION,
        "width": width,
        "height": height,
        "timestamp": unix_s,
        "title": safe_text(title, MARK_MAX),
        "env": {"TERM": "xterm-256color"},
    }
    return json.dumps(fields, ensure_ascii=False) + "\n"


def output(t_ns: int, text: str) -> str:
    """A line that writes to the terminal, t_ns after the beginning."""
    return _line(t_ns, "o", text)


def mark(t_ns: int, text: str) -> str:
    """A line that a player can jump to."""
    return _line(t_ns, "m", safe_text(text, MARK_MAX))


def _line(t_ns: int, kind: str, text: str) -> str:
    return json.dumps([t_ns // 1000 / 1e6, kind, text], ensure_ascii=False) + "\n"


def difference(canvas: Canvas, before: Canvas | None, theme: str) -> str:
    """What turns a terminal that shows `before` into one that shows the canvas; of each row that changed, the part
    from its first to its last difference. Empty when they are alike.
    """
    parts = [] if before is not None else [BEGIN]
    for y in canvas.changed_rows(before):
        parts += _row(canvas, before, y, theme)
    return "".join(parts)


def _row(canvas: Canvas, before: Canvas | None, y: int, theme: str) -> Iterator[str]:
    chars, styles = canvas.chars[y], canvas.styles[y]
    first, last = 0, canvas.width - 1
    if before is not None:
        old_chars, old_styles = before.chars[y], before.styles[y]
        differs = [x for x in range(canvas.width) if chars[x] != old_chars[x] or styles[x] != old_styles[x]]
        first, last = differs[0], differs[-1]
    yield f"\x1b[{y + 1};{first + 1}H"
    start = first
    for x in range(first + 1, last + 2):
        if x == last + 1 or styles[x] is not styles[start]:
            look = dressed(styles[start], theme)
            yield look.render("".join(chars[start:x]), color_system=ColorSystem.TRUECOLOR)
            start = x
