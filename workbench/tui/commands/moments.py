"""Commands on moments of a run: go to one, step, scrub, mark one, choose one from a list."""

from __future__ import annotations

from bisect import bisect_right

from workbench.session.bookmarks import TEXT_MAX
from workbench.session.event_list import EventList
from workbench.support.safe_text import safe_text
from workbench.telling.tell import who
from workbench.telling.words import plural
from workbench.tui.answer import Answer, bad, dim, good, info, warn
from workbench.tui.break_point import OFF
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.commands.direction import DirectionCommands
from workbench.tui.commands.virtual_time import TimeCommands
from workbench.tui.modes import Jump, Watching
from workbench.tui.panes.events import sentence_of
from workbench.tui.seek import seek


class MomentCommands(Group):
    """At the newest event of halted time, going on means the simulation's next."""

    def __init__(self, context: Context, time: TimeCommands, direction: DirectionCommands) -> None:
        super().__init__(context)
        self._time, self._direction = time, direction

    @command
    def hold(self) -> Said:
        """Play or stop what is directed, and a recorded run; else hold or follow the view; the cluster runs on."""
        if self.ui.director.is_on or self.ui.replay:
            return self._direction.play_or_stop()
        if self.ui.recording.follows:
            self.ui.recording.pause()
        else:
            self.ui.recording.go_live()
        return None

    def bet(self, number: int) -> Said:
        """On an option of the bet that is open."""
        return self._direction.place_bet(number)

    @command
    def step(self, count: int) -> Said:
        """One event on or back, one moment while directed; from the newest event of halted time the simulation's
        next."""
        if self.ui.director.is_on:
            self.ui.director.walk(count)
            return None
        if count < 0 or not self._time.goes_beyond:
            self.ui.recording.step(count)
            return self._in_view()
        return self._time.advance("event")

    @command
    def mark(self, direction: int) -> Said:
        """Next or previous mark."""
        recording = self.ui.recording
        if direction > 0 and self._time.goes_beyond:
            return self._time.advance("mark")
        text = recording.next_mark() if direction > 0 else recording.previous_mark()
        return info(text) if text else dim("no more marks this way")

    def search(self, text: str) -> Said:
        """Show only events that say the text, as far as the filter passes them; nothing ends the search."""
        ui, events = self.ui, self.ui.events
        if not text:
            events.look_for("")
            return dim(f"the search has ended: {events.filter} again")
        events.look_for(text)
        events.update(ui.recording)
        if count := len(events.matching):
            is_after = events.matching[-1] < self._looks_from
            ways = "{lesson.next} next, {found.previous} previous"
            if is_after:
                ways = "{found.previous} goes to the newest"
            keys = ui.keyboard.said(ways + ", {close} ends the search")
            some, verb = "at least " if events.is_partial else "", "says" if count == 1 else "say"
            return info(f'{some}{plural(count, f"{events.searched}event")} {verb} "{safe_text(text, 60)}": {keys}')
        every = EventList()
        every.set_filter("all", 0, text)
        every.update(ui.recording)
        if every.matching:
            also = ui.keyboard.said("{filter} goes to another filter, {close} ends the search")
            return warn(f"no {events.searched}event says it, but {len(every.matching)} of all do: {also}")
        events.look_for("")
        near = " that is near the newest" if every.is_partial else ""
        return warn(f'no event{near} says "{safe_text(text, 60)}"')

    @property
    def _looks_from(self) -> int:
        """Place of the event in view; while the newest is followed none is, and the newest may be found too."""
        recording = self.ui.recording
        return recording.cursor if recording.follows else recording.cursor - 1

    @command
    def next_found(self, direction: int) -> Said:
        """Go to the next event that a search found, or the one before."""
        events, recording = self.ui.events, self.ui.recording
        if not events.search:
            return dim(self.ui.keyboard.said("nothing is searched for: {search} searches the events"))
        events.update(recording)
        place = events.found(self._looks_from if direction < 0 else recording.cursor - 1, direction)
        if place is None:
            return dim("no more this way")
        recording.seek(place + 1)
        events.selected = place
        answer = self._in_view()
        if events.is_partial:
            return answer
        return answer._replace(text=f"{events.matching.index(place) + 1} of {len(events.matching)}: {answer.text}")

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
        target = seek(text, recording)
        if target.wrong:
            return bad(target.wrong)
        if target.live:
            recording.go_live()
            return info("at the newest event")
        recording.seek(target.cursor)
        return self._in_view()

    def _in_view(self) -> Answer:
        """Time, number and sentence of the event in view, and whether the list leaves it out."""
        ui, recording, index = self.ui, self.ui.recording, self.ui.recording.cursor - 1
        if index < 0:
            return dim("before the first event")
        entry = recording.entries[index]
        own = next((mark.text for mark in recording.timeline.own if mark.place == index), "")
        what = f"your mark: {own}" if own else f"{who(entry)} {sentence_of(ui, entry)}"
        hidden = "" if ui.events.passes(recording.entries[index]) else ui.keyboard.said("  (hidden by {filter})")
        return info(f"{recording.seconds(entry.t_ns):.3f} s, event {recording.cursor}: {what}{hidden}")

    @command
    def mark_own(self, text: str) -> Said:
        """A mark of the viewer's own at the event in view, or off with it."""
        recording, words, worded = self.ui.recording, text.strip().strip("\"'").strip(), self.ui.keyboard.said
        if self.ui.watches:
            return warn("this screen only watches: a mark would stay with the recording of somebody else")
        if words == OFF:
            wrong = worded(self.context.bookmarks.remove())
            return bad(wrong) if wrong else good("your mark is taken away")
        if len(words) > TEXT_MAX:
            return bad(f"a mark has at most {TEXT_MAX} characters")
        wrong = self.context.bookmarks.add(words or "here")
        place = f"marked at {recording.seconds(recording.t_ns):.3f} s"
        then = worded("{scrub.mark.previous} and {scrub.mark.next} come here, mark off takes it away")
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
        if not marks:
            return None
        self.ui.recording.seek(marks[min(self.ui.overlay_scroll, len(marks) - 1)].place + 1)
        return self._in_view()
