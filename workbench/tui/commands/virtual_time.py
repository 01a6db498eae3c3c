"""Commands on virtual time: halt it, change its pace, go on by one event, hold at a mark that is to come."""

from __future__ import annotations

from workbench.session.pace import Pace
from workbench.support.safe_text import safe_text
from workbench.tui.answer import bad, dim, info, warn
from workbench.tui.commands.context import Group, Said, command
from workbench.tui.modes import Starting, Watching

RECORDED = "a recording has no time to halt: {branch} branches it"
REAL = (
    "real processes keep their own time: --slow stretches it, {cluster.freeze} freezes the nodes, "
    "lab --simulated can be halted"
)


class TimeCommands(Group):
    """Only a living simulation has a pace; elsewhere each of them says why not."""

    def _no_pace(self) -> Said:
        return warn(self.ui.keyboard.said(RECORDED if self.ui.replay else REAL))

    @command
    def halt(self, halted: bool | None = None) -> Said:
        """Halt virtual time, or let it go."""
        pace = self.ui.pace
        if pace is None:
            return self._no_pace()
        if pace.runs_to and self.session.driver is not None:
            self.session.driver.want("")
        else:
            pace.is_halted = not pace.is_halted if halted is None else halted
        return info("time is halted: nothing happens in the cluster" if pace.is_halted else f"time goes at {pace.text}")

    @command
    def pace(self, direction: int) -> Said:
        """Slower or faster."""
        if self.ui.pace is None:
            return self._no_pace()
        self.ui.pace.change(direction)
        return self._at(self.ui.pace)

    @command
    def pace_at(self, text: str) -> Said:
        """One speed."""
        if self.ui.pace is None:
            return self._no_pace()
        if not self.ui.pace.set(text):
            return bad("a speed is a number from 0.01 to 50, or max")
        return self._at(self.ui.pace)

    def _at(self, pace: Pace) -> Said:
        halted = self.ui.keyboard.said(", once it goes: {time.halt}") if pace.is_halted else ""
        return info(f"virtual time at {pace.text}{halted}")

    @command
    def advance(self, what: str) -> Said:
        """On to the next event or mark of the simulation, then halt; the view follows."""
        driver = self.session.driver
        if self.ui.pace is None or driver is None:
            return self._no_pace()
        self.ui.recording.go_live()
        driver.say = self.say
        driver.want(what)
        return dim(f"on to the next {what} ...")

    @property
    def goes_beyond(self) -> bool:
        """Whether the view stands at the newest event of halted time: what comes next is the simulation's to make."""
        recording, pace = self.ui.recording, self.ui.pace
        return pace is not None and pace.is_halted and recording.cursor >= len(recording.entries)

    def say(self, text: str) -> None:
        """What the driver of the simulation tells."""
        self.ui.answer = info(safe_text(text, 300))

    @command
    def break_at(self, text: str) -> Said:
        """Hold the view by itself at the next mark of a kind."""
        ui, point = self.ui, self.ui.break_point
        if ui.replay or ui.ended:
            return warn("no mark is to come any more: seek next vote goes to one that is there")
        if ui.reading:
            return self.context.refusal()
        wrong = point.set(text, ui.recording)
        if wrong:
            return bad(wrong)
        if not point.kinds:
            return dim("the view holds at nothing by itself")
        follow = "" if ui.recording.follows else ui.keyboard.said(", once it follows ({view.pause})")
        return info(f"the view holds at the next {' or '.join(point.kinds)}{follow}; break off ends that")

    def look_for_break(self) -> None:
        """Hold the view, and virtual time where there is any, at what was waited for."""
        ui = self.ui
        mark = ui.break_point.reached(ui.recording)
        if mark is None:
            return
        ui.recording.seek(mark.place + 1)
        if isinstance(ui.mode, Starting):  # what it is held at is to be seen
            ui.mode = Watching()
        if ui.pace is not None:
            ui.pace.is_halted = True
        ui.answer = info(f"held at: {mark.text}")
