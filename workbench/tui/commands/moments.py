"""Commands on moments of a run: go to one, step, scrub, mark one, choose one from a list."""

from __future__ import annotations

from bisect import bisect_right

from workbench.session.bookmarks import TEXT_MAX
from workbench.session.describe.sentences import describe, who
from workbench.tui.answer import bad, dim, good, info
from workbench.tui.break_point import OFF
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.commands.virtual_time import TimeCommands
from workbench.tui.modes import Jump, Watching
from workbench.tui.seek import seek


class MomentCommands(Group):
    """At the newest event of halted time, going on means the simulation's next."""

    def __init__(self, context: Context, time: TimeCommands) -> None:
        super().__init__(context)
        self._time = time

    @command
    def hold(self) -> None:
        """Hold or follow the view; the cluster runs on."""
        if self.ui.recording.follows:
            self.ui.recording.pause()
        else:
            self.ui.recording.go_live()

    @command
    def step(self, count: int) -> None:
        """One event on or back; on from the newest one while time is halted: the simulation's next."""
        if count < 0 or not self._time.goes_beyond:
            self.ui.recording.step(count)
            return
        self._time.advance("event")

    @command
    def mark(self, direction: int) -> Said:
        """Next or previous mark."""
        recording = self.ui.recording
        if direction > 0 and self._time.goes_beyond:
            return self._time.advance("mark")
        text = recording.next_mark() if direction > 0 else recording.previous_mark()
        return info(text) if text else dim("no more marks this way")

    @command
    def scrub(self, percent: int) -> None:
        """Along the whole run."""
        self.ui.recording.scrub(percent / 100)

    @command
    def start(self) -> None:
        """Before the first event."""
        self.ui.recording.seek(1)

    @command
    def live(self) -> None:
        """The newest event."""
        self.ui.recording.go_live()
        self.ui.events.selected = None
        self.ui.log_back = self.ui.rows_back = self.ui.group_back = 0

    @command
    def seek(self, text: str) -> Said:
        """To a time, a mark or an event."""
        recording = self.ui.recording
        found = seek(text, recording)
        if found.wrong:
            return bad(found.wrong)
        if found.live:
            recording.go_live()
            return info("at the newest event")
        return self._go(found.cursor)

    def _go(self, cursor: int) -> Said:
        recording = self.ui.recording
        recording.seek(cursor)
        entry = recording.entries[recording.cursor - 1]
        own = next((mark.text for mark in recording.timeline.own if mark.place == recording.cursor - 1), "")
        what = f"your mark: {own}" if own else f"{who(entry)} {describe(entry)}"
        return info(f"{recording.seconds(entry.t_ns):.3f} s, event {recording.cursor}: {what}")

    @command
    def mark_own(self, text: str) -> Said:
        """A mark of the viewer's own at the event in view, or off with it."""
        recording, words, said = self.ui.recording, text.strip().strip("\"'").strip(), self.ui.keyboard.said
        if words == OFF:
            wrong = said(self.context.bookmarks.remove())
            return bad(wrong) if wrong else good("your mark is taken away")
        if len(words) > TEXT_MAX:
            return bad(f"a mark has at most {TEXT_MAX} characters")
        wrong = self.context.bookmarks.add(words or "here")
        place = f"marked at {recording.seconds(recording.t_ns):.3f} s"
        then = said("{scrub.mark.previous} and {scrub.mark.next} come here, mark off takes it away")
        return bad(wrong) if wrong else good(f"{place}; {then}")

    @command
    def jump(self) -> None:
        """Open or close the list of all marks, at the one that was last before the event in view."""
        marks = self.ui.recording.timeline.all_marks()
        last = bisect_right(marks, self.ui.recording.cursor - 1, key=lambda mark: mark.place)
        self.ui.toggle(Jump(), scroll=max(0, last - 1))

    def jump_there(self) -> Said:
        """To the chosen mark."""
        marks = self.ui.recording.timeline.all_marks()
        self.ui.mode = Watching()
        return self._go(marks[min(self.ui.overlay_scroll, len(marks) - 1)].place + 1) if marks else None
