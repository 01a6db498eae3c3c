"""The page of a lesson as lines: its text and question, where the view is held, how the step ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from workbench.course.signs import as_ascii
from workbench.session.lesson.markdown import unmarked
from workbench.session.lesson.page import LessonPage, Piece

WIDTH = 78
BEFORE = {"right": "+ ", "wrong": "x ", "hint": "hint: ", "heading": "# ", "quote": "  "}
"""What stands before a piece, where the screen has a colour."""


def step_lines(page: LessonPage) -> Iterator[str]:
    """What is read first, the question with its options, the task."""
    yield f"{page.title}, {page.place}: {page.heading}"
    yield from _pieces(page.before)
    yield from paragraphs(page.question)
    for letter, choice in zip("abcd", page.choices, strict=False):
        yield f"  {letter}: {choice}"
    yield from _pieces(page.task)


def held_lines(page: LessonPage) -> Iterator[str]:
    """Where the view is held: what to see, and in which pane."""
    return paragraphs(f"held, {page.held}, {page.look_at}: {unmarked(page.look)}")


def end_lines(page: LessonPage) -> Iterator[str]:
    """What became of the step, the reasons, what it says at its end."""
    yield from paragraphs(page.status)
    yield from paragraphs(page.verdict)
    yield from _pieces((*page.whys, *page.after))


def paragraphs(text: str) -> Iterator[str]:
    """No line is wider than a terminal; empty ones between paragraphs stay."""
    for line in text.split("\n"):
        yield from wrap(line, WIDTH) or ([""] if text else [])


def _pieces(pieces: Iterable[Piece]) -> Iterator[str]:
    for piece in pieces:
        if piece.kind == "figure":
            yield from map(as_ascii, piece.text.split("\n"))
        else:
            yield from paragraphs(f"{BEFORE.get(piece.kind, '')}{unmarked(piece.text)}")
