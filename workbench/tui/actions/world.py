"""The actions on virtual time, on branches and on verdicts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Protocol, cast

from cluster.runtime.run.folder import RunError, read_facts
from cluster.trace.reader import TraceError
from workbench.session.branch import BranchError, Past, branch_off, past_of, past_of_recording
from workbench.session.comparison import Parent, parent_of, read_parent
from workbench.session.driver import Driver
from workbench.session.lesson.page import LessonPage
from workbench.session.pace import Pace
from workbench.session.paced_lab import PacedLab
from workbench.session.session import Session
from workbench.support.places import home_of
from workbench.support.refusal import Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.actions.moments import MomentActions
from workbench.tui.input.suggest import mistake
from workbench.tui.input.words import find_word
from workbench.tui.panes.verdicts import chosen_violation


class Host(Protocol):
    """What the actions ask of the app that shows the screen."""

    def leave_lesson(self) -> None:
        """The lab on screen is no lesson's any more."""

    def own_the_run(self) -> None:
        """The run lives in this process."""

    def watch_lab(self, lab: Any) -> None:
        """Another lab is on screen."""


class WorldActions(MomentActions):
    """Mixed into the main screen, which owns session and state."""

    session: Session

    def obey(self, text: str) -> bool:
        """Carry out a word that means the screen; False when the text is a command of the cluster."""
        found = find_word(text)
        offered = self.ui.suggestions
        if found is None and len(offered) == 1 and mistake(text):
            found = find_word(offered[0])
        if found is None:
            return False
        self.ui.line.remember()
        word, rest = found
        if rest and not word.takes:
            self.ui.answer = f"{word.name} stands alone", "bad"
        else:
            arguments = (*word.arguments, rest) if word.takes else word.arguments
            getattr(self, f"action_{word.action}")(*arguments)
        return True

    def action_break_at(self, text: str) -> None:
        """Hold the view by itself at the next mark of a kind."""
        point = self.ui.break_point
        if self.ui.replay or self.ui.ended:
            self.ui.answer = "no mark is to come any more: seek next vote goes to one that is there", "warn"
            return
        wrong = point.set(text, self.ui.recording)
        if wrong:
            self.ui.answer = wrong, "bad"
        elif point.kinds:
            follow = "" if self.ui.recording.follows else self.ui.keyboard.said(", once it follows ({view.pause})")
            self.ui.answer = (
                f"the view holds at the next {' or '.join(point.kinds)}{follow}; break off ends that",
                "info",
            )
        else:
            self.ui.answer = "the view holds at nothing by itself", "dim"

    def look_for_break(self) -> None:
        """Hold the view, and virtual time where there is any, at what was waited for."""
        mark = self.ui.break_point.reached(self.ui.recording)
        if mark is None:
            return
        self.ui.recording.seek(mark.place + 1)
        self.ui.starting = False  # what it is held at is to be seen
        self.ui.answer = f"held at: {mark.text}", "info"
        if self.ui.pace is not None and not self.ui.pace.is_halted:
            self.action_halt(True)
            self.ui.answer = f"held at: {mark.text}", "info"

    def _pace(self) -> Pace | None:
        """The pace, when there is one; else say why not."""
        if self.ui.pace is None:
            self.ui.answer = self.ui.keyboard.said(RECORDED if self.ui.replay else REAL), "warn"
        return self.ui.pace

    def action_halt(self, wanted: bool | None = None) -> None:
        """Halt virtual time, or let it go."""
        pace = self._pace()
        if pace is not None:
            pace.is_halted = not pace.is_halted if wanted is None else wanted
            said = "time is halted: nothing happens in the cluster" if pace.is_halted else f"time goes at {pace.text}"
            self.ui.answer = said, "info"

    def action_pace(self, direction: int) -> None:
        """Slower or faster."""
        pace = self._pace()
        if pace is not None:
            pace.change(direction)
            self._say_pace(pace)

    def action_pace_at(self, text: str) -> None:
        """One speed."""
        pace = self._pace()
        if pace is None:
            return
        if pace.set(text):
            self._say_pace(pace)
        else:
            self.ui.answer = "a speed is a number from 0.01 to 50, or max", "bad"

    def _say_pace(self, pace: Pace) -> None:
        halted = self.ui.keyboard.said(", once it goes: {time.halt}") if pace.is_halted else ""
        self.ui.answer = f"virtual time at {pace.text}{halted}", "info"

    def action_advance(self, what: str) -> None:
        """On to the next event or mark of the simulation, then halt; the view follows."""
        driver = self.session.driver
        if self._pace() is not None and driver is not None:
            self.ui.recording.go_live()
            self.ui.answer = f"on to the next {what} ...", "dim"
            driver.say = self._say
            driver.want(what)

    def goes_beyond(self, what: str) -> bool:
        """Whether the view stands at the newest event of halted time; then the simulation goes on to its next."""
        recording, pace = self.ui.recording, self.ui.pace
        if pace is None or not pace.is_halted or recording.cursor < len(recording.entries):
            return False
        self.action_advance(what)
        return True

    def _say(self, text: str) -> None:
        self.ui.answer = safe_text(text, 300), "info"

    def action_branch(self) -> None:
        """A new run that begins at the event in view; this one stays as a recording."""
        ui, lab = self.ui, self.session.lab
        if ui.seed is None:
            ui.answer = "real processes never do the same twice: only a simulated run can be branched", "warn"
        elif ui.pace is not None and ui.recording.cursor >= len(ui.recording.entries):
            back = ui.keyboard.said("{step.back} or {scrub.mark.previous}")
            ui.answer = f"a branch begins in the past: go back first, with {back}", "warn"
        elif ui.recording.cursor < 1:
            ui.answer = "there is nothing before the first event", "warn"
        elif ui.loading or isinstance(lab, PacedLab) and lab.is_retracing:
            ui.answer = "the run is not yet all here", "warn"
        else:
            self._branch(lab)

    def _branch(self, lab: object) -> None:
        ui, session = self.ui, self.session
        recording = session.recording
        parent = parent_of(session.run_folder.name, recording.cursor, recording)
        seconds = recording.seconds(recording.t_ns)
        pace = ui.pace or Pace()
        try:
            past = past_of(lab) if isinstance(lab, PacedLab) else past_of_recording(session.run_folder)
            child = branch_off(home_of(session.run_folder), past, recording.cursor, seconds, pace)
        except (BranchError, OSError, Refusal) as error:
            ui.answer = safe_text(str(error), 300), "bad"
            return
        pace.is_halted = True
        self._show(child, parent, past, seconds)
        player, self.player = self.player, None
        if player is not None:
            cast(Host, self.app).leave_lesson()
            self.spawn(player.close())
        elif isinstance(lab, PacedLab):
            self.spawn(lab.close())
        self.spawn(self._arrive(child, parent, seconds))

    async def _arrive(self, child: PacedLab, parent: Parent, seconds: float) -> None:
        await child.arrived()
        self.ui.parent = parent._replace(branch_events=child.facts.branch_events)
        halt = self.ui.keyboard.sign("time.halt")
        said = f"a branch of {parent.run} from {seconds:.3f} s on: time is halted, {halt} lets it go"
        self.ui.answer = safe_text(said, 300), "good"

    def _show(self, child: PacedLab, parent: Parent, past: Past, seconds: float) -> None:
        ui, session = self.ui, self.session
        ui.replay, ui.lesson, ui.zoom, ui.overlay = False, False, "", ""
        ui.focus, ui.pace, ui.parent = "map", child.pace, parent
        ui.page = branch_page(parent.run, seconds)
        ui.answer = f"seed {past.config.seed} once more, up to {seconds:.3f} s ...", "info"
        if ui.verdicts is not None:
            ui.verdicts.is_complete = False
        if session.driver is None:
            session.driver = Driver(session.recording, child.pace)
            cast(Host, self.app).own_the_run()
            self.spawn(session.driver.run())
        session.driver.say = self._say
        session.attach(child, child.run_folder)
        cast(Host, self.app).watch_lab(child)

    def action_compare(self) -> None:
        """Open or close the comparison with the run it branched from."""
        ui = self.ui
        if ui.overlay == "compare":
            ui.overlay = ""
        elif ui.parent is not None:
            ui.overlay, ui.overlay_scroll = "compare", 0
        else:
            self.spawn(self._read_parent(self.session.run_folder))

    async def _read_parent(self, folder: Path) -> None:
        ui = self.ui
        try:
            facts = read_facts(folder)
            if not facts.parent:
                back = ui.keyboard.said("go back with {step.back} or {scrub.mark.previous}, then {branch}")
                way = back if facts.seed is not None else "only a simulated run can have one"
                ui.answer = f"this run is no branch: {way}", "warn"
                return
            ui.answer = f"reading {safe_text(facts.parent, 80)} ...", "dim"
            ui.parent = await asyncio.to_thread(
                read_parent, folder.parent / Path(facts.parent).name, facts.branch_events
            )
        except (RunError, TraceError, OSError) as error:
            ui.answer = f"the run it came from cannot be read: {safe_text(str(error), 200)}", "bad"
            return
        ui.answer = "", "dim"
        ui.overlay, ui.overlay_scroll = "compare", 0

    def action_verdicts(self) -> None:
        """Open or close the table of verdicts."""
        self.ui.overlay, self.ui.overlay_scroll = ("" if self.ui.overlay == "verdicts" else "verdicts"), 0

    def show_broken(self) -> None:
        """Take the timeline to what broke the chosen rule."""
        ui = self.ui
        violation = chosen_violation(ui)
        if violation is None:
            ui.answer = "nothing broke this rule", "dim"
            return
        places = [place for event in violation.events if (place := ui.recording.index_of(event)) is not None]
        if not places:
            ui.answer = "this recording does not hold the events", "warn"
            return
        ui.recording.seek(max(places) + 1)
        ui.overlay, ui.focus = "", "events"
        ui.events.set_filter("all", ui.node)
        ui.events.selected = max(places)
        ui.answer = (
            safe_text(f"{violation.invariant}: {violation.sentence}", 400),
            "bad" if violation.broken is None else "warn",
        )


RECORDED = "a recording has no time to halt: {branch} branches it"
REAL = (
    "real processes keep their own time: --slow stretches it, {cluster.freeze} freezes the nodes, "
    "lab --simulated can be halted"
)


def branch_page(run: str, seconds: float) -> LessonPage:
    """What the lesson pane says of a branch."""
    return LessonPage(
        title="Branch",
        heading=f"From {seconds:.3f} s on",
        names_keys=True,
        prose=(
            f"This run has the seed of {safe_text(run, 80)} and got the same commands at the same moments, so up to "
            "here it is the same run, to the byte. From here on it is yours.\n\n"
            "Time is halted. Inject something else now, then {time.halt} lets time go; {time.event} and {time.mark} go "
            "on by one event or to the next mark.\n\n"
            "{compare} shows both runs side by side from here on. The run it came from stays a recording: workbench "
            "replay "
            f"{safe_text(run, 80)}"
        ),
    )
