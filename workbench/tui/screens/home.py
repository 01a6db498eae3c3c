"""The first screen: what there is, as a list, and what is selected beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from workbench.course.progress import damaged
from workbench.session.missions.board import Board
from workbench.session.packing import pack_recording
from workbench.session.preview import Preview, preview
from workbench.support.platform import in_background
from workbench.support.refusal import Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area, Canvas, Rect, ascii_text, fit, panel, wrap
from workbench.tui.drawing.grid import Grid
from workbench.tui.drawing.spots import Pointed
from workbench.tui.drawing.svg import free_name
from workbench.tui.panes.home_keys import draw_home_help, draw_home_keys
from workbench.tui.panes.home_preview import draw_missions_done, draw_run, draw_task
from workbench.tui.remembered import strange
from workbench.tui.screens.home_choices import Choice, all_choices
from workbench.tui.settings import Settings
from workbench.tui.theme.palette import DIM, GOOD, SELECTED, TEXT, TITLE, WARN
from workbench.tui.theme.themed import ThemedApp

WIDTH_MAX = 110
BESIDE_FROM = 100
"""Columns from which what is selected is told beside the list."""
TITLE_WIDTH = 25
"""Columns of the title and of what is around it: what is to be said and has no room beside it stands below the list."""
NOTICE_ROWS = 2
LOOK_S = 0.1
"""How often it is looked whether another run is selected."""
NOTE_LOOKS = {"done": GOOD, "abrupt": WARN, "up": GOOD, "": DIM}


def _name(choice: Choice) -> str:
    return choice.name


def draw_home(
    width: int, height: int, choices: list[Choice], selected: int, notice: str, glyphs: str,
    previews: Mapping[str, Preview] = MappingProxyType({}), *, needs_help: bool = False,
) -> Canvas:  # fmt: skip
    """Groups with their lines, scrolled so that the selected one is in sight; beside them what is selected."""
    canvas = Canvas(width, height)
    if width < 40 or height < 8:
        canvas.put(0, 0, "needs 40 x 8", WARN)
        return canvas
    beside = width >= BESIDE_FROM
    wide = width * 52 // 100 if beside else min(WIDTH_MAX, width)
    left = 0 if beside else (width - wide) // 2
    notice_lines = wrap(notice, width - 2)[:NOTICE_ROWS] if len(notice) > wide - TITLE_WIDTH else []
    low = height - 1 - len(notice_lines)
    for y, line in enumerate(notice_lines, start=low):
        canvas.put(1, y, line, WARN)
    area = panel(canvas, Rect(left, 0, wide, low), "KRaft Workbench", "" if notice_lines else notice, focused=True)
    if needs_help and not beside:
        draw_home_help(area)
        return canvas
    if beside and choices:
        right = panel(canvas, Rect(wide, 0, width - wide, low), choices[selected].group)
        if needs_help:
            draw_home_help(right)
        else:
            _draw_beside(right, choices[selected], previews)
    rows: list[tuple[int, str]] = []
    for number, choice in enumerate(choices):
        if number == 0 or choice.group != choices[number - 1].group:
            rows += [(-1, ""), (-1, choice.group)] if rows else [(-1, choice.group)]
        rows.append((number, choice.text))
    at = next((place for place, row in enumerate(rows) if row[0] == selected), 0)
    first = max(0, min(at - area.height // 2, len(rows) - area.height))
    _tell_below(canvas.area(Rect(left + 3, low - 1, wide - 6, 1)), rows[first + area.height :])
    for y, (number, text) in enumerate(rows[first : first + area.height]):
        if number < 0:
            area.put(1, y, text, TITLE)
            continue
        choice = choices[number]
        look = SELECTED if number == selected else TEXT
        room = area.width - 6 - len(choice.note)
        shown = fit(text, room)
        area.spot(0, y, area.width, 1, "row", number)
        mark = "\u25b8" if number == selected else " "
        area.put(1, y, f"{mark} {shown}".ljust(area.width - 2 - len(choice.note)), look)
        area.right(y, choice.note + " ", look if number == selected else NOTE_LOOKS[choice.kind])
    draw_home_keys(canvas.area(Rect(0, height - 1, width, 1)), choices[selected].verb if choices else "")
    canvas.reduce(glyphs)
    return canvas


def _tell_below(area: Area, rows: list[tuple[int, str]]) -> None:
    """Which groups begin below the rows in sight, in the lower edge of the list."""
    below = [text for number, text in rows if number < 0 and text]
    if below:
        area.put(0, 0, fit(f" \u2193 {', '.join(below)} ", area.width), DIM)


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
    BINDINGS: ClassVar[list[BindingType]] = [("q,ctrl+q", "quit", "Quit"), ("ctrl+c", "interrupt", "Interrupt")]

    def __init__(self, home: Path, glyphs: str = "full", notice: str = "", settings: Settings | None = None) -> None:
        settings = settings or Settings()
        super().__init__(settings.theme, mouse=settings.mouse)
        self._home = home
        self.choices = all_choices(home)
        self.selected = 0
        self._doomed = ""
        """Run that the next d deletes."""
        self._marked = ""
        """Run that the next c compares another one with."""
        self._sought: str | None = None
        """What is typed to find a line; None while nothing is searched."""
        self._needs_help = False
        self.interrupted = False
        self.previews: dict[str, Preview] = {}
        """By run, of those that were looked into."""
        self._looking = ""
        """Run that is being looked into."""
        newest = max(
            (choice for choice in self.choices if choice.verb in ("attach", "replay")), key=_name, default=None
        )
        abrupt = f"run {newest.name} ended abruptly: choose it below" if newest and newest.kind == "abrupt" else ""
        self.notice = safe_text(notice or damaged() or next(iter(settings.refused), "") or strange(), 200) or abrupt
        self._grid = Grid(
            lambda width, height: draw_home(
                width,
                height,
                self.choices,
                self.selected,
                self.notice,
                glyphs,
                self.previews,
                needs_help=self._needs_help,
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
        self.previews[choice.name] = await in_background(preview, self._home / "runs" / choice.name)
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
        if choice.verb != "replay" or key not in ("d", "r", "e", "c"):
            if self._doomed:
                self._doomed, self.notice = "", "nothing deleted"
                self._grid.tick()
            return False
        if key == "r":
            self.exit(replace(choice, verb="resume"))
        elif key == "e":
            self.run_worker(self._export(choice.name))
        elif key == "c":
            self._compare(choice)
        else:
            self._delete(choice)
        self._grid.tick()
        return True

    async def _export(self, name: str) -> None:
        """The run as one file where the program was started."""
        file = free_name(Path.cwd(), name, ".tar.gz")
        self.notice = f"packing {name} ..."
        self._grid.tick()
        try:
            await in_background(pack_recording, self._home / "runs" / name, str(file))
            self.notice = f"{safe_text(str(file), 120)} holds the run"
        except (Refusal, OSError) as error:
            self.notice = f"not exported: {safe_text(str(error), 200)}"
        self._grid.tick()

    def _compare(self, choice: Choice) -> None:
        """The first c chooses one run, c on another shows both."""
        if self._marked in ("", choice.name):
            self._marked = "" if self._marked else choice.name
            self.notice = f"c on another run compares it with {choice.name}" if self._marked else ""
        else:
            self.exit(replace(choice, verb="compare", text=self._marked))

    def _seek(self, event: events.Key) -> None:
        """One key of the search: what is typed chooses the first line that says it."""
        typed = event.character if event.character is not None and event.is_printable else ""
        if event.key in ("enter", "escape"):
            self._sought, self.notice = None, ""
        else:
            before = self._sought or ""
            sought = self._sought = before[:-1] if event.key == "backspace" else before + typed
            fitting = [place for place, item in enumerate(self.choices) if sought.lower() in item.text.lower()]
            self.selected = fitting[0] if fitting else self.selected
            self.notice = f"/{safe_text(sought, 40)}" + ("" if fitting else "   nothing here says it")
        self._grid.tick()

    def _next_group(self, by: int) -> None:
        """Choose the first line of the next group, or of the one before."""
        groups = list(dict.fromkeys(choice.group for choice in self.choices))
        wanted = groups[(groups.index(self.choices[self.selected].group) + by) % len(groups)]
        self.selected = next(place for place, choice in enumerate(self.choices) if choice.group == wanted)
        self._grid.tick()

    def _key(self, event: events.Key) -> bool:
        if self._sought is not None:
            self._seek(event)
            return True
        if event.key in ("question_mark", "f1", "escape") and (self._needs_help or event.key != "escape"):
            self._needs_help = not self._needs_help
            self._grid.tick()
            return True
        if event.key == "slash":
            self._sought, self.notice = "", "/"
            self._grid.tick()
            return True
        is_kept = bool(self._doomed)
        if self._on_recorded_run(event.key):
            return True
        if event.key == "escape":  # it closes what is open: who presses it once too often does not leave
            self.notice = self.notice if is_kept else "q quits"
            self._grid.tick()
            return True
        if event.key == "c":
            self.selected = next(at for at, choice in enumerate(self.choices) if choice.group == "Challenges")
            self._grid.tick()
            return True
        moves = {"up": -1, "down": 1, "k": -1, "j": 1, "pageup": -10, "pagedown": 10, "home": -999, "end": 999}
        if event.key in ("tab", "shift+tab"):
            self._next_group(1 if event.key == "tab" else -1)
        elif event.key == "enter" and self.choices[self.selected].verb:
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
