"""The little Markdown of a lesson: paragraphs, lists, emphasis. What comes out is safe for a screen."""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.support.safe_text import safe_text

TEXT_MAX = 4000
_OWN_LINE = re.compile(r"\s*([-*|>]|[0-9]+\.)\s|    ")
_EMPHASIS = re.compile(r"(\*\*|\*|`)(\S(?:[^*`]*\S)?)\1")
_TERM = re.compile(r"\*\*(\S(?:[^*`]*\S)?)\*\*")
STRESSES = {"**": "term", "*": "stress", "`": "code"}
"""Mark to what it means."""


class Stretch(NamedTuple):
    """Letters that look alike."""

    text: str
    stress: str
    """term, stress or code; empty for plain."""


def flowed(text: str) -> str:
    """Paragraphs of one line each, lists and tables line by line; emphasis is still marked."""
    lines: list[str] = []
    for line in text[: TEXT_MAX * 4].split("\n"):
        stands_alone = not line.strip() or bool(_OWN_LINE.match(line))
        if lines and lines[-1] and not stands_alone:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip() if not stands_alone else line.rstrip())
    return "\n".join(safe_text(line, TEXT_MAX) for line in lines)


def plain_prose(text: str) -> str:
    """The same without marks of emphasis."""
    return unmarked(flowed(text))


def unmarked(text: str) -> str:
    """Without marks of emphasis."""
    return _EMPHASIS.sub(r"\2", text)


def stretches(text: str) -> list[Stretch]:
    """A text in stretches, by their emphasis; the marks are gone."""
    stretches_so_far, at = [], 0
    for mark in _EMPHASIS.finditer(text):
        stretches_so_far += [Stretch(text[at : mark.start()], ""), Stretch(mark[2], STRESSES[mark[1]])]
        at = mark.end()
    return [item for item in (*stretches_so_far, Stretch(text[at:], "")) if item.text]


def terms_of(text: str) -> list[str]:
    """The terms that a text defines, in their order."""
    return [" ".join(name.split()) for name in _TERM.findall(text)]
