"""The list of what happened: the story of a run, or its events that pass a filter, and which one is selected."""

from __future__ import annotations

from collections.abc import Callable

from cluster.model.entry import Entry
from workbench.session.matching import Matching
from workbench.session.pages import Pages
from workbench.session.recording import Recording
from workbench.session.story.headline import moment_at
from workbench.session.story.incident import Incident
from workbench.session.story.line import DETAILS, STORY
from workbench.session.story.rows import Row, rows_at
from workbench.telling.tell import describe, subject

ALL = "all"
CLUSTER = "cluster and clients"
"""All but what a lesson or a script checks."""
THIS_NODE = "this node"
LEVELS = (STORY, DETAILS)
"""Filters that show incidents; the others show events, one line each."""
FILTERS = (*LEVELS, ALL, CLUSTER, THIS_NODE, "votes and epochs", "faults", "partitions", "clients and groups")
_PREFIXES = {
    "votes and epochs": ("raft.election", "raft.vote", "raft.leader", "raft.role", "ctl.activated"),
    "faults": ("fault.", "power.", "proc.", "command.", "net.reset"),
    "clients and groups": ("op.", "client.", "group.", "consumer.", "producer."),
    "partitions": ("isr.", "part.", "ctl.partition", "rep.truncated", "rep.diverged", "produce.refused"),
}

SEARCHED_PAGES = 32
"""So far the next match is looked for at once: 130,000 events, which takes a second or two."""


class EventList:
    """Which entries pass the filter, around the one in view; or the rows of the story."""

    def __init__(self) -> None:
        self.filter = FILTERS[0]
        self.search = ""
        self.selected: int | None = None
        """Entry index; None follows the cursor."""
        self.node = 0
        """Whose events "this node" are."""
        self._matching = Matching(self._filter())
        self._entries = Pages()
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

    @property
    def searched(self) -> str:
        """Which events a search looks at, before the word "events"; empty for all, as in the story."""
        return "" if self.filter in (*LEVELS, ALL) else f"{self.filter} "

    def set_filter(self, name: str, node_id: int, search: str = "") -> None:
        """Start over with another filter."""
        self.filter, self.node, self.search = name, node_id, search.lower()
        self._matching, self.selected = Matching(self._filter()), None

    def look_for(self, text: str) -> None:
        """Show only what says the text; the filter stays. An empty text ends the search."""
        if text.lower() != self.search:
            self.set_filter(self.filter, self.node, text)

    @property
    def matching(self) -> list[int]:
        """All that pass, of a run up to SEARCHED_PAGES; of a longer one those of the newest pages."""
        count = len(self._entries)
        return self._matching.before(self._entries, count, count, SEARCHED_PAGES)

    @property
    def is_partial(self) -> bool:
        """Whether the run is too long to count what passes."""
        return self._entries.full_count > SEARCHED_PAGES

    def found(self, index: int, direction: int) -> int | None:
        """The next match after an entry, or before it with -1; None when there is none near."""
        entries, matching = self._entries, self._matching
        if direction > 0:
            return next(iter(matching.after(entries, index + 1, len(entries), 1, SEARCHED_PAGES)), None)
        return next(iter(matching.before(entries, index, 1, SEARCHED_PAGES)), None)

    def update(self, recording: Recording) -> None:
        """Show this recording, from the start when another run began."""
        self._recording, self._entries = recording, recording.entries
        if self._run != recording.run_count:
            self._run = recording.run_count
            self._matching, self.selected, self._opened = Matching(self._filter()), None, {}

    def _filter(self) -> Callable[[Entry], bool] | None:
        return None if self.filter in (*LEVELS, ALL) and not self.search else self.passes

    def passes(self, entry: Entry) -> bool:
        """Whether an entry is one of the list, by filter and search; a search in the story looks at all."""
        if self.filter == THIS_NODE:
            passes = subject(entry) == self.node != 0
        elif self.filter == CLUSTER:
            passes = not str(getattr(entry.event, "name", "")).startswith("lesson.")
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
        entries, matching = self._entries, self._matching
        if self.selected is None:
            return matching.before(entries, cursor, rows)
        shown = matching.after(entries, self.selected, cursor, max(1, rows // 2))
        shown = matching.before(entries, min(self.selected, cursor), rows - len(shown)) + shown
        more = matching.after(entries, shown[-1] + 1, cursor, rows - len(shown)) if shown else []
        return shown + more

    def move(self, cursor: int, count: int) -> None:
        """Select another row; past the newest one the list follows again."""
        if self.is_story:
            self._move_in_story(cursor, count)
            return
        at = cursor if self.selected is None else self.selected
        if count < 0:
            places = self._matching.before(self._entries, min(at, cursor), -count)
            self.selected = places[0] if places else self.selected
        elif self.selected is not None:
            places = self._matching.after(self._entries, at, cursor, count + 1)
            self.selected = places[count] if count < len(places) else None

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
