"""The list of what happened: the story of a run, or its events that pass a filter, and which one is selected."""

from __future__ import annotations

from bisect import bisect_left

from workbench.session.describe.sentences import describe, subject
from workbench.session.recording import Recording
from workbench.session.story.headline import moment_at
from workbench.session.story.incident import Incident
from workbench.session.story.line import DETAILS, STORY
from workbench.session.story.rows import Row, rows_at

ALL = "all"
THIS_NODE = "this node"
LEVELS = (STORY, DETAILS)
"""Filters that show incidents; the others show events, one line each."""
FILTERS = (*LEVELS, ALL, THIS_NODE, "votes and epochs", "faults", "partitions", "clients and groups")
_PREFIXES = {
    "votes and epochs": ("raft.election", "raft.vote", "raft.leader", "raft.role", "ctl.activated"),
    "faults": ("fault.", "power.", "proc.", "command.", "net.reset"),
    "clients and groups": ("op.", "client.", "group.", "consumer.", "producer."),
    "partitions": ("isr.", "part.", "ctl.partition", "rep.truncated", "rep.diverged", "produce.refused"),
}


class EventList:
    """Indices of entries that pass, grown as the recording grows; or the rows of the story."""

    def __init__(self) -> None:
        self.filter = FILTERS[0]
        self.search = ""
        self.selected: int | None = None
        """Entry index; None follows the cursor."""
        self.matching: list[int] = []
        self.node = 0
        """Whose events "this node" are."""
        self._checked = 0
        self._run = 0
        self._recording: Recording | None = None
        self._opened: dict[int, bool] = {}
        """Incidents that were opened or closed by hand, by number."""
        self._incident = -1
        """Of the selected row."""

    @property
    def is_story(self) -> bool:
        """Whether incidents are shown."""
        return self.filter in LEVELS and not self.search

    def set_filter(self, name: str, node_id: int, search: str = "") -> None:
        """Start over with another filter."""
        self.filter, self.node, self.search = name, node_id, search.lower()
        self.matching, self._checked, self.selected = [], 0, None

    def update(self, recording: Recording) -> None:
        """Check entries that came since; all of them when another run began."""
        self._recording = recording
        if self._run != recording.run_count:
            self._run = recording.run_count
            self.matching, self._checked, self.selected, self._opened = [], 0, None, {}
        if self.is_story:
            return
        for index in range(self._checked, len(recording.entries)):
            if self._passes(recording, index):
                self.matching.append(index)
        self._checked = len(recording.entries)

    def _passes(self, recording: Recording, index: int) -> bool:
        entry = recording.entries[index]
        if self.filter == THIS_NODE:
            passes = subject(entry) == self.node != 0
        elif self.filter in _PREFIXES:
            passes = str(getattr(entry.event, "name", "")).startswith(_PREFIXES[self.filter])
        else:
            passes = True
        return passes and (not self.search or self.search in describe(entry).lower())

    def rows(self, cursor: int, now_ns: int) -> list[Row]:
        """The story as it is at the cursor, at an instant: the newest incident is open, and those that were opened."""
        recording = self._recording
        if recording is None:
            return []
        newest = max((item.number for item in recording.story.incidents if item.head.at(cursor)), default=-1)

        def opened(incident: Incident) -> bool:
            return self._opened.get(incident.number, incident.number == newest)

        start_ns = recording.timeline.start_ns
        return list(rows_at(recording.story, cursor, now_ns, start_ns, opened=opened, level=self.filter))

    def is_selected(self, row: Row) -> bool:
        """Whether keys act on the row."""
        return row.place == self.selected and row.incident == self._incident and row.kind in ("head", "step")

    def choose(self, place: int, incident: int = -1) -> None:
        """Select the entry at an index; in the story a row of an incident."""
        self.selected, self._incident = place, incident

    def turn(self, direction: int) -> bool:
        """Open (1) or close (-1) the incident of the selected row; false when the story is not shown, or none is."""
        if not self.is_story or self.selected is None or self._recording is None:
            return False
        self._opened[self._incident] = direction > 0
        if direction < 0:
            self.selected = self._recording.story.incidents[self._incident].place
        return True

    def window(self, cursor: int, rows: int) -> list[int]:
        """The entry indices to show in `rows` rows: the newest at or before the cursor, around the selection.

        Of the story the one that its newest headline told of.
        """
        if self.is_story:
            moment = moment_at(self._recording.story, cursor) if self._recording is not None else None
            return [moment.place] if moment is not None else []
        end = bisect_left(self.matching, cursor)
        if self.selected is not None:
            place = bisect_left(self.matching, self.selected)
            end = min(end, max(place + rows // 2, rows))
        return self.matching[max(0, end - rows) : end]

    def move(self, cursor: int, count: int) -> None:
        """Select another row; past the newest one the list follows again."""
        if self.is_story:
            self._move_in_story(cursor, count)
            return
        end = bisect_left(self.matching, cursor)
        if not end:
            return
        place = end if self.selected is None else bisect_left(self.matching, self.selected)
        place += count
        self.selected = None if place >= end else self.matching[max(0, place)]

    def _move_in_story(self, cursor: int, count: int) -> None:
        """The newest stands first: up from there the list follows again."""
        rows = [row for row in self.rows(cursor, 0) if row.kind in ("head", "step")]
        at = next((index for index, row in enumerate(rows) if self.is_selected(row)), -1)
        place = max(0, at + count) if at < 0 else at + count
        if place < 0 or not rows:
            self.selected, self._incident = None, -1
        else:
            row = rows[min(place, len(rows) - 1)]
            self.choose(row.place, row.incident)
