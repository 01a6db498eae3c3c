"""Commands on branches and verdicts: a new run with the same past, the two side by side, what broke an invariant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.session.driver import Driver
from workbench.session.lesson.page import LessonPage
from workbench.session.pace import Pace
from workbench.session.paced import paced
from workbench.support.places import home_of
from workbench.support.refusal import Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.answer import bad, dim, good, info, warn
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.commands.virtual_time import TimeCommands
from workbench.tui.modes import Loading, Verdicts, Watching
from workbench.tui.panes.verdicts import chosen_violation

if TYPE_CHECKING:
    from workbench.session.branch import Past
    from workbench.session.paced_lab import PacedLab


class BranchCommands(Group):
    """Only a simulated run can be branched: processes never do the same twice."""

    def __init__(self, context: Context, time: TimeCommands) -> None:
        super().__init__(context)
        self._time = time

    @command
    def branch(self) -> Said:
        """A new run that begins at the event in view; this one stays as a recording."""
        ui, lab = self.ui, paced(self.session.lab)
        if ui.seed is None:
            return warn("real processes never do the same twice: only a simulated run can be branched")
        if ui.pace is not None and ui.recording.cursor >= len(ui.recording.entries):
            back = ui.keyboard.said("{step.back} or {scrub.mark.previous}")
            return warn(f"a branch begins in the past: go back first, with {back}")
        if ui.recording.cursor < 1:
            return warn("there is nothing before the first event")
        if isinstance(ui.mode, Loading) or lab is not None and lab.is_retracing:
            return warn("the run is not yet all here")
        return self._branch(lab)

    def _branch(self, lab: PacedLab | None) -> Said:
        from workbench.session.branch import BranchError, branch_off, past_of, past_of_recording

        session, recording = self.session, self.session.recording
        parent = session.run_folder.name
        seconds = recording.seconds(recording.t_ns)
        pace = self.ui.pace or Pace()
        try:
            past = past_of(lab) if lab is not None else past_of_recording(session.run_folder)
            child = branch_off(home_of(session.run_folder), past, recording.cursor, seconds, pace)
        except (BranchError, OSError, Refusal) as error:
            return bad(safe_text(str(error), 300))
        pace.is_halted = True
        answer = self._show(child, parent, past, seconds)
        player = self.host.player
        if player is not None:
            self.host.leave_lesson()
            self.host.spawn(player.close())
        elif lab is not None:
            self.host.spawn(lab.close())
        self.host.spawn(self._arrive(child, parent, seconds))
        return answer

    async def _arrive(self, child: PacedLab, parent: str, seconds: float) -> None:
        await child.arrived()
        halt = self.ui.keyboard.sign("time.halt")
        arrival = f"a branch of {parent} from {seconds:.3f} s on: time is halted, {halt} lets it go"
        self.ui.answer = good(safe_text(arrival, 300))

    def _show(self, child: PacedLab, parent: str, past: Past, seconds: float) -> Said:
        ui, session = self.ui, self.session
        ui.replay, ui.lesson, ui.zoom, ui.mode = False, False, "", Watching()
        ui.focus, ui.pace = "map", child.pace
        ui.drop_worlds()
        ui.page = branch_page(parent, seconds)
        if ui.verdicts is not None:
            ui.verdicts.is_complete = False
        if session.driver is None:
            session.driver = Driver(session.recording, child.pace)
            self.host.spawn(session.driver.run())
        session.driver.say = self._time.say
        session.attach(child, child.run_folder)
        self.host.watch_lab(child)
        return info(f"seed {past.spec.seed} once more, up to {seconds:.3f} s ...")

    @command
    def verdicts(self) -> None:
        """Open or close the table of verdicts."""
        self.ui.toggle(Verdicts())

    def show_broken(self) -> Said:
        """Take the timeline to what broke the chosen invariant."""
        ui = self.ui
        violation = chosen_violation(ui)
        if violation is None:
            return dim("nothing broke this rule")
        places = [place for event in violation.events if (place := ui.recording.index_of(event)) is not None]
        if not places:
            return warn("this recording does not hold the events")
        ui.recording.seek(max(places) + 1)
        ui.mode, ui.focus = Watching(), "events"
        ui.events.set_filter("all", ui.node)
        ui.events.selected = max(places)
        violated = safe_text(f"{violation.invariant}: {violation.sentence}", 400)
        return bad(violated) if violation.broken is None else warn(violated)


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
