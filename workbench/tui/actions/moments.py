"""The actions on moments of a run: go to one, mark one, choose one from a list."""

from __future__ import annotations

from bisect import bisect_right

from workbench.session.bookmarks import TEXT_MAX, Bookmarks
from workbench.session.describe.sentences import describe, who
from workbench.tui.actions.lesson import LessonActions
from workbench.tui.break_point import OFF
from workbench.tui.seek import seek


class MomentActions(LessonActions):
    """Mixed into the main screen."""

    bookmarks: Bookmarks

    def action_seek(self, text: str) -> None:
        """To a time, a mark or an event."""
        recording = self.ui.recording
        found = seek(text, recording)
        if found.wrong:
            self.ui.answer = found.wrong, "bad"
        elif found.live:
            recording.go_live()
            self.ui.answer = "at the newest event", "info"
        else:
            self._go(found.cursor)

    def _go(self, cursor: int) -> None:
        recording = self.ui.recording
        recording.seek(cursor)
        entry = recording.entries[recording.cursor - 1]
        own = next((mark.text for mark in recording.timeline.own if mark.place == recording.cursor - 1), "")
        what = f"your mark: {own}" if own else f"{who(entry)} {describe(entry)}"
        place = f"{recording.seconds(entry.t_ns):.3f} s, event {recording.cursor}"
        self.ui.answer = f"{place}: {what}", "info"

    def action_mark_own(self, text: str) -> None:
        """A mark of the viewer's own at the event in view, or off with it."""
        recording, words = self.ui.recording, text.strip().strip("\"'").strip()
        if words == OFF:
            wrong, done = self.bookmarks.remove(), "your mark is taken away"
            wrong = self.ui.keyboard.said(wrong)
        elif len(words) > TEXT_MAX:
            wrong, done = f"a mark has at most {TEXT_MAX} characters", ""
        else:
            wrong = self.bookmarks.add(words or "here")
            done = self.ui.keyboard.said(
                f"marked at {recording.seconds(recording.t_ns):.3f} s; {{scrub.mark.previous}} and {{scrub.mark.next}} "
                "come here, mark off takes it away"
            )
        self.ui.answer = (wrong, "bad") if wrong else (done, "good")

    def action_jump(self) -> None:
        """Open or close the list of all marks, at the one that was last before the event in view."""
        ui = self.ui
        if ui.overlay == "jump":
            ui.overlay = ""
            return
        marks = ui.recording.timeline.all_marks()
        last = bisect_right(marks, ui.recording.cursor - 1, key=lambda mark: mark.place)
        ui.overlay, ui.overlay_scroll = "jump", max(0, last - 1)

    def jump_there(self) -> None:
        """To the chosen mark."""
        ui = self.ui
        marks = ui.recording.timeline.all_marks()
        ui.overlay = ""
        if marks:
            self._go(marks[min(ui.overlay_scroll, len(marks) - 1)].place + 1)
