"""The first screen: lessons, the free lab, runs that are up, recorded runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from cluster.runtime.run.folder import RunError, read_facts, run_names
from workbench.course.lesson import LessonError, read_lesson
from workbench.course.library import LESSONS, lesson_names
from workbench.course.progress import damaged, finished_lessons
from workbench.runs.state import RunState, state_of
from workbench.session.missions.board import Board
from workbench.session.preview import Preview, preview
from workbench.support.refusal import Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area, Canvas, Rect, ascii_text, panel
from workbench.tui.drawing.grid import Grid
from workbench.tui.drawing.spots import Pointed
from workbench.tui.panes.home_preview import draw_missions_done, draw_run, draw_task
from workbench.tui.panes.missions import headline as missions_headline
from workbench.tui.settings import Settings
from workbench.tui.theme.palette import BAR, BAR_KEY, DIM, GOOD, SELECTED, TEXT, TITLE, WARN
from workbench.tui.theme.themed import ThemedApp

RUNS_MAX = 30
WIDTH_MAX = 110
BESIDE_FROM = 100
"""Columns from which what is selected is told beside the list."""
LOOK_S = 0.1
"""How often it is looked whether another run is selected."""
OFFERS: dict[RunState, tuple[str, str, str, str]] = {
    "up": ("Runs that are up", "attach", "watch it", "up"),
    "lab is gone": ("Runs that are up", "attach", "its lab is gone", "abrupt"),
    "closing": ("Recorded runs", "replay", "closing", ""),
    "ended": ("Recorded runs", "replay", "replay", ""),
    "ended abruptly": ("Recorded runs", "replay", "ended abruptly", "abrupt"),
}
"""Group, verb, note and kind of the choice that a run is."""
NOTE_LOOKS = {"done": GOOD, "abrupt": WARN, "up": GOOD, "": DIM}


@dataclass(frozen=True, slots=True)
class Choice:
    """One line that can be chosen."""

    group: str
    verb: str
    """lab, simulated, lesson, attach, replay or resume."""
    name: str
    """Lesson or run; empty for the free lab."""
    text: str
    note: str = ""
    kind: str = ""
    """done, abrupt, up: colours the note."""
    about: str = ""
    """What is said of it beside the list, before it is opened."""


def lesson_choices(folder: Path = LESSONS, progress_folder: Path | None = None) -> list[Choice]:
    """All lessons, those finished marked."""
    finished = finished_lessons(progress_folder)
    found = []
    try:
        names = lesson_names(folder)
    except LessonError as error:
        return [Choice("Lessons", "", "", safe_text(str(error), 200))]
    for name in names:
        number = name.partition("_")[0]
        try:
            lesson = read_lesson(folder / name)
            text, note = f"{number}  {safe_text(lesson.title, 80)}", f"{lesson.minutes} min"
            about = safe_text(lesson.steps[0].prose, 900)
        except LessonError as error:
            text, note, about = f"{number}  {safe_text(str(error), 160)}", "cannot be read", ""
        done = name in finished
        found.append(
            Choice("Lessons", "lesson", name, text, "\u2713 finished" if done else note, "done" if done else "", about)
        )
    return found


def run_choices(home: Path) -> list[Choice]:
    """Runs with a readable run.json: those that are up, those that ended abruptly, the others; newest first."""
    found = []
    for name in list(reversed(run_names(home)))[:RUNS_MAX]:
        folder = home / "runs" / name
        try:
            facts = read_facts(folder)
        except RunError:
            continue
        seed = f", seed {facts.seed}" if facts.seed is not None else ""
        text = f"{name}  {safe_text(facts.title, 60)}{seed}"
        group, verb, note, kind = OFFERS[state_of(folder, facts)]
        began = began_said(facts.created, datetime.now())
        note = f"up since {began.removeprefix('today ')}" if kind == "up" else began if verb == note else note
        world = "simulated" if facts.world == "simulated" else "real processes"
        about = f"{safe_text(facts.title, 60)}{seed}, {world}, {began}"
        found.append(Choice(group, verb, name, text, note, kind, about))
    return sorted(found, key=lambda choice: choice.group, reverse=True)


def began_said(created: str, now: datetime) -> str:
    """As "today 09:41", "yesterday" or "12 Nov"; empty for what is no time."""
    try:
        began = datetime.fromisoformat(created).replace(tzinfo=None)
    except ValueError:
        return ""
    days = (now.date() - began.date()).days
    return f"today {began:%H:%M}" if days == 0 else "yesterday" if days == 1 else f"{began.day} {began:%b}"


def mission_choice(board: Board) -> Choice:
    """The missions, which are done in the free lab."""
    text, note = "Missions: break it on purpose, and be told what came of it", missions_headline(board)
    return Choice("Free lab", "lab", "missions", text, note, "done" if board.current is None else "")


def _name(choice: Choice) -> str:
    return choice.name


def all_choices(home: Path) -> list[Choice]:
    """What the first screen offers, in order."""
    lab = Choice("Free lab", "lab", "", "A living cluster: break it yourself", "3 controllers, 3 brokers")
    simulated = Choice("Free lab", "simulated", "", "A simulated cluster: halt its time, rewind, branch", "seed 0")
    return [*lesson_choices(), mission_choice(Board()), lab, simulated, *run_choices(home)]


def draw_home(
    width: int, height: int, choices: list[Choice], selected: int, notice: str, glyphs: str,
    previews: Mapping[str, Preview] = MappingProxyType({}),
) -> Canvas:  # fmt: skip
    """Groups with their lines, scrolled so that the selected one is in sight; beside them what is selected."""
    canvas = Canvas(width, height)
    if width < 40 or height < 8:
        canvas.put(0, 0, "needs 40 x 8", WARN)
        return canvas
    beside = width >= BESIDE_FROM
    wide = width * 52 // 100 if beside else min(WIDTH_MAX, width)
    left = 0 if beside else (width - wide) // 2
    area = panel(canvas, Rect(left, 0, wide, height - 1), "KRaft Workbench", notice, focused=True)
    if beside and choices:
        right = panel(canvas, Rect(wide, 0, width - wide, height - 1), choices[selected].group)
        _draw_beside(right, choices[selected], previews)
    rows: list[tuple[int, str]] = []
    for number, choice in enumerate(choices):
        if number == 0 or choice.group != choices[number - 1].group:
            rows += [(-1, ""), (-1, choice.group)] if rows else [(-1, choice.group)]
        rows.append((number, choice.text))
    at = next((place for place, row in enumerate(rows) if row[0] == selected), 0)
    first = max(0, min(at - area.height // 2, len(rows) - area.height))
    for y, (number, text) in enumerate(rows[first : first + area.height]):
        if number < 0:
            area.put(1, y, text, TITLE)
            continue
        choice = choices[number]
        look = SELECTED if number == selected else TEXT
        room = area.width - 6 - len(choice.note)
        shown = text if len(text) <= room else text[: room - 1] + "\u2026"
        area.spot(0, y, area.width, 1, "row", number)
        mark = "\u25b6" if number == selected else " "
        area.put(1, y, f"{mark} {shown}".ljust(area.width - 3 - len(choice.note)), look)
        area.right(y, choice.note + " ", look if number == selected else NOTE_LOOKS[choice.kind])
    keys = canvas.area(Rect(0, height - 1, width, 1))
    keys.clear(BAR)
    x = keys.parts(1, 0, ("\u2191 \u2193", BAR_KEY), (" choose  ", BAR), ("enter", BAR_KEY))
    if choices and choices[selected].verb == "replay":
        x = keys.parts(
            x, 0, (" inspect  ", BAR), ("r", BAR_KEY), (" resume  ", BAR), ("d", BAR_KEY), (" delete  ", BAR)
        )
    else:
        x = keys.parts(x, 0, (" open  ", BAR))
    keys.parts(x, 0, ("I", BAR_KEY), (" colours  ", BAR), ("q", BAR_KEY), (" quit", BAR))
    if glyphs != "full":
        canvas.reduce(to_ascii=glyphs == "ascii")
    return canvas


def _draw_beside(area: Area, choice: Choice, previews: Mapping[str, Preview]) -> None:
    if choice.name == "missions":
        draw_missions_done(area, Board())
    elif choice.verb in ("replay", "attach"):
        draw_run(area, choice.about, previews.get(choice.name))
    else:
        draw_task(area, choice.text, choice.about)


class HomeApp(ThemedApp[Choice]):
    """Choose one line; the app ends with it."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [("q,escape,ctrl+q", "quit", "Quit"), ("ctrl+c", "interrupt", "Interrupt")]

    def __init__(self, home: Path, glyphs: str = "full", notice: str = "", settings: Settings | None = None) -> None:
        settings = settings or Settings()
        super().__init__(settings.theme, mouse=settings.mouse)
        self._home = home
        self.choices = all_choices(home)
        self.selected = 0
        self._doomed = ""
        """Run that the next d deletes."""
        self.interrupted = False
        self.previews: dict[str, Preview] = {}
        """By run, of those that were looked into."""
        self._looking = ""
        """Run that is being looked into."""
        newest = max(
            (choice for choice in self.choices if choice.verb in ("attach", "replay")), key=_name, default=None
        )
        abrupt = f"run {newest.name} ended abruptly: choose it below" if newest and newest.kind == "abrupt" else ""
        self.notice = safe_text(notice or damaged(), 200) or abrupt
        self._grid = Grid(
            lambda width, height: draw_home(
                width, height, self.choices, self.selected, self.notice, glyphs, self.previews
            ),
            self._key,
            self._mouse,
        )

    def compose(self) -> ComposeResult:
        """One widget."""
        yield self._grid

    def on_mount(self) -> None:
        """Show the list."""
        self._grid.focus()
        self._grid.tick()
        self.set_interval(LOOK_S, self._look)

    async def _look(self) -> None:
        """Look into the run that is selected, beside the screen; only one at a time."""
        choice = self.choices[self.selected]
        if self._looking or choice.verb not in ("replay", "attach") or choice.name in self.previews:
            return
        self._looking = choice.name
        self.previews[choice.name] = await asyncio.to_thread(preview, self._home / "runs" / choice.name)
        self._looking = ""
        self._grid.tick()

    def text_rows(self) -> list[str]:
        """Plain rows of the frame shown."""
        return self._grid.text_rows()

    def on_resize(self) -> None:
        """Draw at the new size."""
        self.call_after_refresh(self._grid.tick)

    def leave_at_once(self) -> None:
        """As ctrl-C."""
        self.action_interrupt()

    def action_interrupt(self) -> None:
        """Leave; whoever called is told how."""
        self.interrupted = True
        self.exit()

    def _mouse(self, pointed: Pointed) -> None:
        """A click chooses, on what is chosen it opens; the wheel goes through the list."""
        place = next((spot.value[0] for spot in pointed.spots if spot.kind == "row"), None)
        if self._doomed and pointed.what in ("wheel", "click"):
            self._doomed, self.notice = "", "nothing deleted"
        if pointed.what == "wheel":
            self.selected = max(0, min(len(self.choices) - 1, self.selected + pointed.times))
        elif pointed.what != "click" or not isinstance(place, int):
            return
        elif place == self.selected and self.choices[place].verb:
            self.exit(self.choices[place])
        else:
            self.selected = place
        self._grid.tick()

    def _delete(self, choice: Choice) -> None:
        """The first d asks, the second one deletes."""
        from workbench.runs.ended import remove, size_words

        folder = self._home / "runs" / choice.name
        if self._doomed != choice.name:
            self._doomed = choice.name
            self.notice = f"d again deletes {choice.name}, {size_words(folder)}, for good; any other key keeps it"
            return
        self._doomed = ""
        try:
            remove(folder)
            self.notice = f"{choice.name} is deleted"
        except (Refusal, OSError) as error:
            self.notice = f"not deleted: {safe_text(str(error), 200)}"
        self.choices = all_choices(self._home)
        self.selected = min(self.selected, len(self.choices) - 1)

    def _on_recorded_run(self, key: str) -> bool:
        """Keys that only a recorded run has; whether it was one of them."""
        choice = self.choices[self.selected]
        if choice.verb != "replay" or key not in ("d", "r"):
            if self._doomed:
                self._doomed, self.notice = "", "nothing deleted"
                self._grid.tick()
            return False
        if key == "r":
            self.exit(replace(choice, verb="resume"))
        else:
            self._delete(choice)
        self._grid.tick()
        return True

    def _key(self, event: events.Key) -> bool:
        if self._on_recorded_run(event.key):
            return True
        moves = {"up": -1, "down": 1, "k": -1, "j": 1, "pageup": -10, "pagedown": 10, "home": -999, "end": 999}
        if event.key == "enter" and self.choices[self.selected].verb:
            self.exit(self.choices[self.selected])
        elif event.key == "I":
            self.notice = self.wear_next()
            self._grid.tick()
        elif event.key in moves:
            self.selected = max(0, min(len(self.choices) - 1, self.selected + moves[event.key]))
            self._grid.tick()
        else:
            return False
        return True


def print_home(home: Path) -> int:
    """The same as lines, for a terminal that cannot move its cursor."""
    for choice in all_choices(home):
        print(ascii_text(f"{choice.group}: {choice.text}  ({choice.note})"))
    print("workbench --help lists the commands")
    return 0
