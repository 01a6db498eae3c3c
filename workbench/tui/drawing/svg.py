"""A canvas as an SVG picture: the screen of a run for a page of text. Source: SVG 1.1, W3C."""

from __future__ import annotations

from html import escape
from pathlib import Path

from rich.style import Style

from workbench.tui.drawing.canvas import Canvas
from workbench.tui.theme.palette import GROUND, TEXT
from workbench.tui.theme.roles import ROLES
from workbench.tui.theme.themes import DARK, TERMINAL, dressed

CELL_WIDTH, CELL_HEIGHT, MARGIN = 8.4, 18, 12
"""Pixels; the width fits a monospaced font of 14 pixels."""
FONT = "'DejaVu Sans Mono', 'Cascadia Mono', Menlo, Consolas, monospace"
BLOCKS = {"\u2588": 8, **{chr(0x2580 + level): level for level in range(1, 8)}}
"""Eighths of a cell that a block fills from below; drawn, because fonts leave gaps."""


def canvas_svg(canvas: Canvas, title: str, theme: str = DARK.name) -> str:
    """The whole picture as text, in which every character of the canvas is only text. `terminal` is drawn as dark."""
    theme = DARK.name if theme == TERMINAL else theme
    ground = dressed(TEXT, theme).bgcolor
    ground_name = ground.name if ground else GROUND
    width = canvas.width * CELL_WIDTH + 2 * MARGIN
    height = canvas.height * CELL_HEIGHT + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" '
        f'font-family="{FONT}" font-size="14">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{ground_name}"/>',
    ]
    for y in range(canvas.height):
        start = 0
        for x in range(1, canvas.width + 1):
            if x == canvas.width or canvas.styles[y][x] is not canvas.styles[y][start]:
                parts += _run(
                    start, y, "".join(canvas.chars[y][start:x]), dressed(canvas.styles[y][start], theme), ground_name
                )
                start = x
    return "\n".join((*parts, "</svg>\n"))


def _run(x: int, y: int, text: str, look: Style, behind: str) -> list[str]:
    ink = look.color.name if look.color else ROLES["text"].dark
    ground = look.bgcolor.name if look.bgcolor else behind
    if look.reverse:
        ink, ground = ground, ink
    left, top = MARGIN + x * CELL_WIDTH, MARGIN + y * CELL_HEIGHT
    parts = []
    if ground != behind:
        parts.append(_box(left, top, len(text) * CELL_WIDTH, CELL_HEIGHT, ground))
    for place, char in enumerate(text):
        eighths = BLOCKS.get(char, 0)
        if eighths:
            tall = CELL_HEIGHT * eighths / 8
            parts.append(_box(left + place * CELL_WIDTH, top + CELL_HEIGHT - tall, CELL_WIDTH, tall, ink))
    letters = "".join(" " if char in BLOCKS else char for char in text)
    if letters.strip():
        lead = len(letters) - len(letters.lstrip())
        letters = letters.strip()
        marks = ' font-weight="bold"' if look.bold else ""
        lines = " ".join(name for name, has in (("underline", look.underline), ("line-through", look.strike)) if has)
        marks += f' text-decoration="{lines}"' if lines else ""
        parts.append(
            f'<text x="{left + lead * CELL_WIDTH:.1f}" y="{top + 13.5:.1f}" fill="{ink}"{marks} '
            f'textLength="{len(letters) * CELL_WIDTH:.1f}" xml:space="preserve">{escape(letters)}</text>'
        )
    return parts


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width + 0.2:.1f}" height="{height + 0.2:.1f}" fill="{colour}"/>'


def free_name(folder: Path, stem: str, ending: str) -> Path:
    """A file in the folder that is not there yet."""
    number = 1
    while (path := folder / f"{stem}-{number}{ending}").exists():
        number += 1
    return path
