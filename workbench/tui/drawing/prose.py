"""Paragraphs in lines: lists hang, emphasis has its own style."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from rich.style import Style

from workbench.session.lesson.markdown import stretches
from workbench.tui.drawing.canvas import wrap

ITEM = re.compile(r"\s*([-*] {1,2}|[0-9]{1,2}(?:\. {1,2}|  ))(?=\S)")
Parts: TypeAlias = list[tuple[str, Style]]


def hanging(text: str, width: int) -> list[str]:
    """As wrap, but the further lines of a list's item begin below its first word."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        item = ITEM.match(paragraph)
        indent = len(item[0]) if item and item.end() < width // 2 else 0
        first, *rest = wrap(paragraph[indent:], max(1, width - indent))
        lines += [paragraph[:indent] + first, *(" " * indent + line for line in rest)]
    return lines


def in_styles(text: str, width: int, plain: Style, stressed: Mapping[str, Style]) -> list[Parts]:
    """A text with marks of emphasis in lines of styled parts; an empty line has none."""
    letters = [(letter, stressed.get(item.stress, plain)) for item in stretches(text) for letter in item.text]
    looks = [look for letter, look in letters if not letter.isspace()]
    lines: list[Parts] = []
    at = 0
    for line in hanging("".join(letter for letter, _ in letters), width):
        parts: Parts = []
        for letter in line:
            look = looks[at] if at < len(looks) else plain
            if letter.isspace():  # between two words of one emphasis it belongs to them
                look = look if at and looks[at - 1] is look else plain
            else:
                at += 1
            if parts and parts[-1][1] is look:
                parts[-1] = parts[-1][0] + letter, look
            else:
                parts.append((letter, look))
        lines.append(parts)
    return lines
