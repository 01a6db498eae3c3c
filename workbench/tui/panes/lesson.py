"""Pane 1: the step of the lesson: prose, figures, question, what the script does, what became of it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from workbench.classroom.votes import Tally
from workbench.course.signs import as_ascii
from workbench.session.lesson.markdown import unmarked
from workbench.session.lesson.page import LessonPage, Piece
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.drawing.prose import Parts, hanging, in_styles
from workbench.tui.panes.presenter import page_for_class
from workbench.tui.panes.votes import bars, how_it_stands
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, FAINT, GOOD, RAISED, TASK, TEXT, TITLE, WARN, filled, style
from workbench.tui.ui_state import UiState

BUTTON = filled("selected")
CHOSEN = filled("ask", "bright")
RIGHT = filled("yes", "bright")
LOOK = filled("task", "bright")
VOTES = style("flow")
OPTION = style("text", RAISED)
STRESSED = {"term": style("bright", bold=True, underline=True), "stress": style("bright"), "code": style("flow")}
MARKS = {
    "done": ("\u2713", DIM),
    "now": ("\u25b8", WARN),
    "failed": ("\u2717", BAD),
    "undone": ("\u2013", DIM),
    "open": ("\u00b7", DIM),
}
LOOKS = {
    "prose": TEXT, "dim": DIM, "document": DIM, "quote": TASK, "heading": TITLE, "right": GOOD, "wrong": WARN,
    "keep": BRIGHT, "task": style("task", bold=True), "hint": WARN, "key": style("focus", bold=True),
}  # fmt: skip
BEFORE = {"right": "\u2713 ", "wrong": "\u2717 ", "hint": "hint: ", "quote": "  "}
"""What stands before the first line of a piece; the others begin below its text."""
PROSE_LEAST = 3
"""Rows of what an open question is about that stay above it, wherever it can be in sight at the same time."""


class Line(NamedTuple):
    """A row of the pane, with what a click on it does."""

    parts: Parts
    letter: str = ""
    """Of the option that it belongs to."""
    is_button: bool = False
    place: str = ""
    """verdict: where the end of a step begins. held: from where a line runs to the frame."""


def draw_lesson(area: Area, ui: UiState) -> None:
    """Heading on top, status and button at the bottom; all between them scrolls with up and down."""
    page, width = ui.page, max(1, area.width - 2)
    if ui.presenting and not ui.answers_shown and page.question:
        page = page_for_class(page, ui.keyboard.sign("presenter.answers"))
    y = _heading(area, page, width)
    tally = ui.room.votes.tally() if ui.room is not None else None
    bottom = _bottom(page, width, max(1, area.height - y - 4))
    if tally is not None:
        bottom[:0] = [Line([(line, BRIGHT)]) for line in wrap(how_it_stands(tally, ui.keyboard), width)]
    question = _question(page, width, tally)
    lines, rows = [*_read(page, ui, width), *question, *_end(page, ui, width)], max(1, area.height - y - len(bottom))
    lines = _trimmed(lines)
    task = _trimmed(_pieces((*page.task[:1], *page.task[1:][-1:]), ui, width)) if page.asks else []
    asked = question[:-1] if page.is_open else task
    hides_figure = bool(page.figure_width) and page.is_open  # what decides may stand in it: the question comes after it
    if asked and not hides_figure and len(lines) > rows and len(asked) <= max(rows // 2, rows - PROSE_LEAST - 1):
        # An open question, or the task with its newest hint, stays in sight; what it is about scrolls above it.
        lines = _trimmed([*_read(replace(page, task=page.task[1:-1]), ui, width), *_end(page, ui, width)])
        bottom = [Line([("\u2504" * width, FAINT)]), *asked, *bottom]
        rows, asked = max(1, area.height - y - len(bottom)), []
    pinned = [Line([(text.ljust(width), look) for text, look in line.parts]) for line in _verdict(page, width)]
    last, ui.page_rows = max(0, len(lines) - rows), rows - len(pinned)
    if ui.page_scroll < 0:  # the end of the step has come: it begins at its question
        begin = next((place for place, line in enumerate(lines) if line.place == "verdict"), last)
        ui.page_scroll = begin
    ui.page_scroll = min(ui.page_scroll, last)
    shown = lines[ui.page_scroll : ui.page_scroll + rows]
    _put(area, y, shown)
    if ui.page_scroll and not any(line.place == "verdict" for line in shown):
        _put(area, y, pinned[:rows])
    ui.is_question_in_sight = page.is_open and all(any(line is item for item in shown) for line in asked)
    if page.is_open and not ui.is_question_in_sight and not page.look_at:
        bottom[-1:] = [_button(ui.keyboard.said("{down}: on to the question"), width)]
    _put(area, area.height - len(bottom), bottom)
    if last:
        arrows = ("\u2191" if ui.page_scroll else " ") + ("\u2193" if ui.page_scroll < last else " ")
        area.right(area.height - 1, f"{arrows} ", BUTTON if page.button else WARN)


def asked_rows(ui: UiState, columns: int) -> int:
    """Rows of the pane, its head included, in which an open question stands below all that is read first; else 0."""
    page, width = ui.page, max(1, columns - 2)
    if not page.is_open or page.look_at:
        return 0
    heading = bool(page.steps) + len(wrap(page.heading, width))
    lines = _trimmed([*_read(page, ui, width), *_question(page, width, None)])
    return 1 + heading + len(lines) + 1 + len(_bottom(page, width, len(lines)))  # the last: a line above the question


def _heading(area: Area, page: LessonPage, width: int) -> int:
    """The row after it."""
    y = 0
    if page.steps:
        dots = ("\u25cf" * page.step).ljust(page.steps, "\u25cb")[: page.steps]
        area.put(1, y, f"{page.place} "[:width], DIM)
        area.put(max(1, area.width - len(dots) - 1), y, dots if len(dots) < width - 12 else "", DIM)
        y += 1
    for line in wrap(page.heading, width):
        area.put(1, y, line, TITLE)
        y += 1
    return y + (area.height > 20)


def _bottom(page: LessonPage, width: int, most: int) -> list[Line]:
    """Where the view is held what to see, else how it stands; then what enter does."""
    lines = [Line([(line, BAD if page.has_failed else WARN)]) for line in wrap(page.status, width) if line]
    if page.look_at:
        where = f"\u2016 held {page.held}: see the frame"[:width]
        lines.append(Line([(where, style("task", bold=True))], place="held"))
        if page.look_at == "lesson":
            lines += [Line([(f"  {line}".ljust(width), LOOK)]) for line in wrap(unmarked(page.look), max(1, width - 4))]
    lines = lines[:most]
    if page.button:
        lines.append(_button(page.button, width))
    return lines


def _button(text: str, width: int) -> Line:
    return Line([(f" \u25b8 {text} "[:width].ljust(width), BUTTON)], is_button=True)


def _put(area: Area, y: int, lines: list[Line]) -> None:
    """Lines one below the other; options and the button can be clicked."""
    for place, line in enumerate(lines, start=y):
        area.parts(1, place, *line.parts)
        if line.place == "held":
            area.spot(1, place, sum(len(text) for text, _ in line.parts), 1, "held")
        if line.is_button:
            area.spot(0, place, area.width, 1, "do")
        elif line.letter:
            area.spot(0, place, area.width, 1, "choice", line.letter)


def _trimmed(lines: list[Line]) -> list[Line]:
    """Nobody turns a page for an empty line, and one between two paragraphs is enough."""
    kept: list[Line] = []
    for line in lines:
        if line.parts or kept and kept[-1].parts:
            kept.append(line)
    while kept and not kept[-1].parts:
        kept.pop()
    return kept


def _question(page: LessonPage, width: int, tally: Tally | None) -> list[Line]:
    """The question with its verdict, its options, each with what a class said, and an empty line."""
    if not page.question:
        return []
    lines = [Line([(line, style("task", bold=True))]) for line in wrap(page.question, width)]
    lines[0] = lines[0]._replace(place="verdict" if page.verdict else "")
    lines += _verdict(page, width)
    for place, (letter, choice) in enumerate(zip("abcd", page.choices, strict=False)):
        lines += _option(page, letter, choice, width)
        lines += [Line([(line, VOTES)]) for line in bars(tally, place, width)] if tally is not None else []
    return [*lines, Line([])]


def _verdict(page: LessonPage, width: int) -> list[Line]:
    look = GOOD if page.answered == page.right else WARN
    mark = "\u2713" if page.answered == page.right else "\u25b8"
    return [Line([(line, look)]) for line in wrap(f"{mark} {page.verdict}", width)] if page.verdict else []


def _read(page: LessonPage, ui: UiState, width: int) -> list[Line]:
    """What is read first, and the task."""
    prose = ui.keyboard.said(page.prose) if page.names_keys else page.prose
    lines = [Line([(line, TEXT)]) for line in hanging(prose.strip(), width)] if prose else []
    return [*lines, *_pieces(page.before, ui, width), *_pieces(page.task, ui, width), Line([])]


def _end(page: LessonPage, ui: UiState, width: int) -> list[Line]:
    """Reasons, what the step says at its end, what the script did."""
    pieces = [*_pieces(page.whys, ui, width), *_pieces(page.after, ui, width)]
    if pieces and not page.question:
        pieces[0] = pieces[0]._replace(place="verdict")
    lines = []
    for state, text in page.script:
        glyph, look = MARKS[state]
        first, *rest = wrap(text, max(1, width - 2))
        lines += [Line([(f"{glyph} {first}", look)]), *(Line([(f"  {line}", look)]) for line in rest)]
    return [*pieces, Line([]), *lines] if page.after or page.whys else [*lines, Line([]), *pieces]


def _pieces(pieces: tuple[Piece, ...], ui: UiState, width: int) -> list[Line]:
    """Each with an empty line after it; what a document says stands together."""
    lines: list[Line] = []
    for piece in pieces:
        if piece.kind == "heading":
            lines.append(Line([]))
        if piece.kind == "figure":
            lines += _figure(piece.text, ui, width)
        else:
            before, look = BEFORE.get(piece.kind, ""), LOOKS[piece.kind]
            body = in_styles(piece.text, max(1, width - len(before)), look, STRESSED)
            lines += [
                Line([(before if not place else " " * len(before), look), *parts] if parts else [])
                for place, parts in enumerate(body)
            ]
        if piece.kind not in ("document", "quote", "keep"):
            lines.append(Line([]))
    return lines


def _figure(text: str, ui: UiState, width: int) -> list[Line]:
    """As it was drawn; where it has no room, how to see it."""
    rows = text.split("\n")
    if max(map(len, rows)) > width:
        return [Line([(f"\u25b8 a figure: {ui.keyboard.sign('lesson.toggle')} shows it"[:width], WARN)])]
    return [Line([(as_ascii(row) if ui.glyphs == "ascii" else row, style("flow"))]) for row in rows]


def _option(page: LessonPage, letter: str, choice: str, width: int) -> list[Line]:
    mark = "\u2713" if letter == page.right else "\u2717" if page.right and letter == page.answered else " "
    look = RIGHT if letter == page.right else CHOSEN if letter == page.answered else OPTION
    if letter == page.answered and not page.right:
        mark = "\u25b8"
    first, *rest = wrap(choice, max(1, width - 5)) or [""]
    rows = [f"{mark}{letter}  {first}", *(f"    {line}" for line in rest)]
    return [Line([(row.ljust(width), look)], letter=letter) for row in rows]
