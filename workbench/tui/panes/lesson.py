"""Pane 1: the step of the lesson: prose, question, script, button, what became of it."""

from __future__ import annotations

import re

from rich.style import Style

from workbench.session.lesson.page import LessonPage
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.panes.presenter import page_for_class
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, FAINT, GOOD, RAISED, TEXT, TITLE, WARN, filled, style
from workbench.tui.ui_state import UiState

BUTTON = filled("selected")
CHOSEN = filled("ask", "bright")
RIGHT = filled("yes", "bright")
OPTION = style("text", RAISED)
MARKS = {"done": ("\u2713", GOOD), "now": ("\u25b6", WARN), "failed": ("\u2717", BAD), "open": ("\u00b7", DIM)}
ITEM = re.compile(r"\s*([-*]|[0-9]{1,2}\.?) {1,2}(?=\S)")
Line = tuple[str, Style]


def draw_lesson(area: Area, ui: UiState) -> None:
    """Heading on top, status and button at the bottom; all between them scrolls with up and down."""
    page, width = ui.page, max(1, area.width - 2)
    if ui.presenting and not ui.answers_shown and page.question:
        page = page_for_class(page, ui.keyboard.sign("presenter.answers"))
    y = 0
    if page.steps:
        dots = "\u25cf" * page.step + "\u25cb" * (page.steps - page.step)
        area.put(1, y, f"step {page.step}/{page.steps} "[:width], DIM)
        area.put(max(1, area.width - len(dots) - 1), y, dots if len(dots) < width - 12 else "", DIM)
        y += 1
    for line in wrap(page.heading, width):
        area.put(1, y, line, TITLE)
        y += 1
    y += area.height > 20
    bottom = [(line, BAD if page.has_failed else WARN) for line in wrap(page.status, width) if line]
    bottom = bottom[: max(1, area.height - y - 4)]
    if page.button:
        bottom.append((f" \u25b6 {page.button} "[:width].ljust(width), BUTTON))
    prose = ui.keyboard.said(page.prose) if page.names_keys else page.prose
    lines, rows = _middle(page, prose, width, _question(page, width)), max(1, area.height - y - len(bottom))
    asked = _question(page, width)[:-1]
    if page.is_open and len(lines) > rows and len(asked) <= rows // 2:
        # An open question stays in sight, and what it is about scrolls above it.
        lines, bottom = _middle(page, prose, width, []), [("\u2504" * width, FAINT), *asked, *bottom]
        rows = max(1, area.height - y - len(bottom))
    last = max(0, len(lines) - rows)
    ui.page_scroll = last if ui.page_scroll < 0 else min(ui.page_scroll, last)
    _put(area, y, lines[ui.page_scroll : ui.page_scroll + rows])
    _put(area, area.height - len(bottom), bottom)
    if last:
        arrows = ("\u2191" if ui.page_scroll else " ") + ("\u2193" if ui.page_scroll < last else " ")
        area.right(area.height - 1, f"{arrows} ", BUTTON if page.button else WARN)


def _put(area: Area, y: int, lines: list[Line]) -> None:
    """Lines one below the other; options and the button can be clicked."""
    letter = ""
    for place, (text, look) in enumerate(lines, start=y):
        area.put(1, place, text, look)
        if look is BUTTON:
            area.spot(0, place, area.width, 1, "do")
        elif look in (OPTION, CHOSEN, RIGHT):
            letter = text[1] if text[1:4].strip() else letter
            area.spot(0, place, area.width, 1, "choice", letter)


def _question(page: LessonPage, width: int) -> list[Line]:
    """The question, its options and an empty line; nothing when nothing is asked."""
    if not page.question:
        return []
    lines = [(line, BRIGHT) for line in wrap(page.question, width)]
    for letter, choice in zip("abcd", page.choices, strict=False):
        lines += _option(page, letter, choice, width)
    return [*lines, ("", TEXT)]


def _middle(page: LessonPage, prose: str, width: int, question: list[Line]) -> list[Line]:
    lines = [(line, TEXT) for line in hanging(prose.strip(), width)] + [("", TEXT), *question]
    for state, text in page.script:
        glyph, look = MARKS[state]
        first, *rest = wrap(text, max(1, width - 2))
        lines.append((f"{glyph} {first}", look))
        lines += [(f"  {line}", look) for line in rest]
    if page.script:
        lines.append(("", TEXT))
    if page.verdict:
        lines += [(line, GOOD if page.answered == page.right else WARN) for line in wrap(page.verdict, width)]
    if page.reveal:
        lines += [(line, TEXT) for line in hanging(page.reveal, width)]
    while lines and not lines[-1][0]:
        lines.pop()  # nobody turns a page for an empty line
    return lines


def hanging(text: str, width: int) -> list[str]:
    """As wrap, but the further lines of a list's item begin below its first word."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        item = ITEM.match(paragraph)
        indent = len(item[0]) if item and item.end() < width // 2 else 0
        first, *rest = wrap(paragraph[indent:], max(1, width - indent))
        lines += [paragraph[:indent] + first, *(" " * indent + line for line in rest)]
    return lines


def _option(page: LessonPage, letter: str, choice: str, width: int) -> list[Line]:
    mark = "\u2713" if letter == page.right else "\u2717" if page.right and letter == page.answered else " "
    look = RIGHT if letter == page.right else CHOSEN if letter == page.answered else OPTION
    if letter == page.answered and not page.right:
        mark = "\u25b6"
    first, *rest = wrap(choice, max(1, width - 5)) or [""]
    return [(f"{mark}{letter}  {first}".ljust(width), look), *((f"    {line}".ljust(width), look) for line in rest)]
