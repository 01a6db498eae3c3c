"""The speaker's own screen: the notes of the step that the class sees, its answer, and what comes next."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from cluster.model import settings as timers
from cluster.scenario.script import settings_of
from workbench.course.content import Lesson, Prose, Reveal, Step, letters
from workbench.course.lesson_error import LessonError
from workbench.course.reading.lesson_folder import read_folder
from workbench.course.timing import with_timing
from workbench.course.values import told_timers
from workbench.session.lesson.markdown import plain_prose
from workbench.session.lesson.on_screen import ShownStep, shown_steps
from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Canvas, Rect, ascii_text, panel, wrap
from workbench.tui.drawing.grid import Grid
from workbench.tui.drawing.prose import hanging
from workbench.tui.drawing.spots import Pointed
from workbench.tui.settings import Settings
from workbench.tui.theme.palette import BAR, BAR_KEY, BRIGHT, DIM, GOOD, TEXT, TITLE, WARN
from workbench.tui.theme.themed import ThemedApp

LOOK_SECONDS = 0.2
WIDTH_MAX = 110
NOBODY = (
    "No screen shows a lesson now.",
    "In another terminal: workbench learn 1, then P there. These notes follow it.",
)
Line = tuple[str, Style]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the speaker reads."""

    title: str
    """Of the lesson; empty while no screen shows one."""
    place: str
    """step 2/5."""
    run: str
    """Id of the run that the step acts on."""
    lines: tuple[tuple[str, str], ...]
    """(kind, text): heading, note, expect, text, option, right, warn, dim."""


def sheet_of(shown: ShownStep | None) -> Sheet:
    """The notes of what a screen shows; a lesson that cannot be read says why."""
    if shown is None:
        return Sheet("", "", "", tuple(("dim", line) for line in NOBODY))
    try:
        lesson = with_timing(read_folder(Path(shown.lesson)), shown.timing)
    except LessonError as error:
        return Sheet("Lesson", "", shown.run, (("warn", safe_text(str(error), 300)),))
    title, count = safe_text(lesson.title, 120), len(lesson.steps)
    if shown.step == count + 1:
        keep = [("text", f"{place}. {plain_prose(text)}") for place, text in enumerate(lesson.last.keep, start=1)]
        return Sheet(title, "last page", shown.run, (("heading", "What to keep"), *keep))
    if not 1 <= shown.step <= count:
        return Sheet(title, "", shown.run, (("warn", "the lesson's file has changed"),))
    step = lesson.steps[shown.step - 1]
    lines = [("heading", safe_text(step.heading, 200)), *_notes(step)]
    lines += [*_answer(step, shown), *_after(step, lesson, shown)]
    passed = sum(item.notes.minutes for item in lesson.steps[: shown.step - 1])
    return Sheet(title, f"step {shown.step}/{count}, from minute {passed}", shown.run, tuple(lines))


def _notes(step: Step) -> list[tuple[str, str]]:
    """The time, what the class will say, then the remarks."""
    lines = [("note", f"{step.notes.minutes} minutes")]
    lines += [("expect", f"expect: {plain_prose(text)}") for text in step.notes.expect]
    return lines + [("note", f"- {plain_prose(text)}") for text in step.notes.remarks]


def _answer(step: Step, shown: ShownStep) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    if step.do is not None and step.do.task is not None:
        lines += [("heading", "The class is to do"), ("text", plain_prose(step.do.task.text))]
        lines += [("dim", f"after {hint.after_s} s: {plain_prose(hint.text)}") for hint in step.do.task.hints]
    if step.question is None:
        return lines
    lines += [("heading", "The class is asked"), ("text", plain_prose(step.question.text))]
    for letter, option in letters(step.question, shown.learner).items():
        chosen = "  (chosen)" if letter == shown.answered else ""
        is_right = letter == shown.right
        mark, kind = ("\u2713", "right") if is_right else (" ", "option")
        belief = f"  [{option.misconception}]" if option.misconception else ""
        lines.append((kind, f"{mark} {letter}  {plain_prose(option.text)}{chosen}{belief}"))
    if not shown.right:
        lines.append(("dim", "Which one is right is computed from the run, once the step has run."))
    return lines


def _after(step: Step, lesson: Lesson, shown: ShownStep) -> list[tuple[str, str]]:
    plans = [section.plan for section in lesson.script.sections[: shown.step] if section.plan is not None]
    settings = settings_of(plans[-1], shown.slow) if plans else timers.Settings()
    blocks = [block for block in step.after if isinstance(block, Prose | Reveal)]
    lines = [("text", plain_prose(told_timers(block.text, settings))) for block in blocks]
    if lines:
        lines.insert(0, ("heading", "What the class reads once the step has run"))
    following = lesson.steps[shown.step].heading if shown.step < len(lesson.steps) else "the last page"
    return [*lines, ("heading", "Next"), ("text", safe_text(following, 200))]


LOOKS = {
    "heading": TITLE, "note": BRIGHT, "expect": WARN, "text": TEXT, "option": TEXT, "right": GOOD, "warn": WARN,
    "dim": DIM,
}  # fmt: skip


def lines_of(sheet: Sheet, width: int) -> list[Line]:
    """Wrapped lines; an empty one before each heading but the first."""
    lines: list[Line] = []
    for kind, text in sheet.lines:
        if kind == "heading" and lines:
            lines.append(("", TEXT))
        indent = "     " if kind in ("option", "right") else ""
        lines += [
            (indent * bool(place) + line, LOOKS[kind])
            for paragraph in text.split("\n")
            for place, line in enumerate(_lines(paragraph, width, len(indent)))
        ]
    return lines


def _lines(text: str, width: int, indent: int) -> list[str]:
    """Wrapped; what is indented keeps its first blanks."""
    if not indent:
        return hanging(text, width)
    first, *rest = wrap(text[indent:], max(1, width - indent))
    return [text[:indent] + first, *rest]


def draw_notes(width: int, height: int, sheet: Sheet, scroll: int, seconds: float, glyphs: str) -> tuple[Canvas, int]:
    """The page and how far it can be scrolled."""
    canvas = Canvas(width, height)
    if width < 40 or height < 8:
        canvas.put(0, 0, "needs 40 x 8", WARN)
        return canvas, 0
    wide = min(WIDTH_MAX, width)
    note = "  ".join(part for part in (sheet.place, f"run {sheet.run}" if sheet.run else "") if part)
    area = panel(
        canvas,
        Rect((width - wide) // 2, 0, wide, height - 1),
        f"Notes: {sheet.title or 'no lesson'}",
        note,
        focused=True,
    )
    lines = lines_of(sheet, area.width - 2)
    last = max(0, len(lines) - area.height)
    scroll = min(scroll, last)
    for y, (text, look) in enumerate(lines[scroll : scroll + area.height]):
        area.put(1, y, text, look)
    keys = canvas.area(Rect(0, height - 1, width, 1))
    keys.clear(BAR)
    x = keys.parts(1, 0, ("\u2191 \u2193", BAR_KEY), (" scroll  ", BAR), ("0", BAR_KEY), (" clock anew  ", BAR))
    keys.parts(x, 0, ("q", BAR_KEY), (" quit", BAR))
    keys.right(0, f"{int(seconds) // 60}:{int(seconds) % 60:02d} min ", BAR_KEY)
    canvas.reduce(glyphs)
    return canvas, last


class NotesApp(ThemedApp[int]):
    """Follows the screen that shows a lesson; sends nothing anywhere."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [("q,escape,ctrl+q,ctrl+c", "quit", "Quit")]

    def __init__(self, home: Path, run: str = "", glyphs: str = "full", settings: Settings | None = None) -> None:
        """`run`: follow only a screen that shows this run; empty for the screen that changed last."""
        settings = settings or Settings()
        super().__init__(settings.theme, mouse=settings.mouse)
        self._home, self._run = home, run
        self._shown: ShownStep | None = None
        self._pid = 0
        self.sheet = sheet_of(None)
        self._scroll = self._last = 0
        self._began_s = time.monotonic()

        def draw(width: int, height: int) -> Canvas:
            seconds = time.monotonic() - self._began_s
            canvas, self._last = draw_notes(width, height, self.sheet, self._scroll, seconds, glyphs)
            self._scroll = min(self._scroll, self._last)
            return canvas

        self._grid = Grid(draw, self._key, self._mouse)

    def compose(self) -> ComposeResult:
        """One widget."""
        yield self._grid

    def on_mount(self) -> None:
        """Follow."""
        self._grid.focus()
        self.look()
        self.set_interval(LOOK_SECONDS, self.look)

    def on_resize(self) -> None:
        """Draw at the new size."""
        self.call_after_refresh(self._grid.tick)

    def look(self) -> None:
        """Show what the class sees by now. The screen once found is kept, whatever run it goes on to."""
        screens = shown_steps(self._home)
        shown = next((item for item in screens if item.pid == self._pid), None)
        if shown is None:
            shown = next((item for item in screens if not self._run or item.run == self._run), None)
        if shown != self._shown:
            if shown is None or self._shown is None or shown.step != self._shown.step:
                self._scroll = 0
            self._shown, self._pid = shown, shown.pid if shown is not None else 0
            self.sheet = sheet_of(shown)
        self._grid.tick()

    def _mouse(self, pointed: Pointed) -> None:
        if pointed.what == "wheel":
            self._turn(pointed.times)

    def _turn(self, count: int) -> None:
        self._scroll = max(0, min(self._last, self._scroll + count))
        self._grid.tick()

    def _key(self, event: events.Key) -> bool:
        moves = {"up": -1, "down": 1, "k": -1, "j": 1, "pageup": -10, "pagedown": 10, "home": -999, "end": 999}
        if event.key == "0":
            self._began_s = time.monotonic()
            self._grid.tick()
        elif event.key == "I":
            self.wear_next()
        elif event.key in moves:
            self._turn(moves[event.key])
        else:
            return False
        return True


def print_notes(home: Path, run: str) -> int:
    """The same once, as lines, where there is no screen."""
    shown = next((item for item in shown_steps(home) if not run or item.run == run), None)
    sheet = sheet_of(shown)
    if sheet.title:
        print(ascii_text(f"{sheet.title}, {sheet.place}"))
    for text, _ in lines_of(sheet, 78):
        print(ascii_text(text))
    return 0
