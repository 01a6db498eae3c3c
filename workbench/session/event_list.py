"""The event list: which entries pass the filter, and which one is selected."""

from __future__ import annotations

from collections.abc import Callable

from cluster.model.entry import Entry
from workbench.session.describe.sentences import describe, subject, tone
from workbench.session.describe.tones import DIM
from workbench.session.matching import Matching
from workbench.session.pages import Pages
from workbench.session.recording import Recording

THIS_NODE = "this node"
FILTERS = ("notable", "all", THIS_NODE, "votes and epochs", "faults", "partitions", "clients and groups")
_PREFIXES = {
    "votes and epochs": ("raft.election", "raft.vote", "raft.leader", "raft.role", "ctl.activated"),
    "faults": ("fault.", "power.", "proc.", "command.", "net.reset"),
    "clients and groups": ("op.", "client.", "group.", "consumer.", "producer."),
    "partitions": ("isr.", "part.", "ctl.partition", "rep.truncated", "rep.diverged", "produce.refused"),
}

SEARCHED_PAGES = 32
"""So far the next match is looked for at once: 130,000 events, which takes a second or two."""


class EventList:
    """Which entries pass the filter, around the one in view."""

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
        self._entries = recording.entries
        if self._run != recording.run_count:
            self._run = recording.run_count
            self._matching, self.selected = Matching(self._filter()), None

    def _filter(self) -> Callable[[Entry], bool] | None:
        return None if self.filter == "all" and not self.search else self.passes

    def passes(self, entry: Entry) -> bool:
        """Whether an entry is one of the list, by filter and search."""
        if self.filter == "notable":
            passes = tone(entry) != DIM
        elif self.filter == THIS_NODE:
            passes = subject(entry) == self.node
        elif self.filter in _PREFIXES:
            passes = str(getattr(entry.event, "name", "")).startswith(_PREFIXES[self.filter])
        else:
            passes = True
        return passes and (not self.search or self.search in describe(entry).lower())

    def window(self, cursor: int, rows: int) -> list[int]:
        """The entry indices to show in `rows` rows: the newest at or before the cursor, around the selection."""
        entries, matching = self._entries, self._matching
        if self.selected is None:
            return matching.before(entries, cursor, rows)
        shown = matching.after(entries, self.selected, cursor, max(1, rows // 2))
        shown = matching.before(entries, min(self.selected, cursor), rows - len(shown)) + shown
        more = matching.after(entries, shown[-1] + 1, cursor, rows - len(shown)) if shown else []
        return shown + more

    def move(self, cursor: int, count: int) -> None:
        """Select another event; past the newest one the list follows again."""
        at = cursor if self.selected is None else self.selected
        if count < 0:
            found = self._matching.before(self._entries, min(at, cursor), -count)
            self.selected = found[0] if found else self.selected
        elif self.selected is not None:
            found = self._matching.after(self._entries, at, cursor, count + 1)
            self.selected = found[count] if count < len(found) else None
