"""The event list: which entries pass the filter, and which one is selected."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from workbench.session.describe.sentences import describe, subject, tone
from workbench.session.describe.tones import DIM
from workbench.session.recording import Recording

THIS_NODE = "this node"
FILTERS = ("notable", "all", THIS_NODE, "votes and epochs", "faults", "partitions", "clients and groups")
_PREFIXES = {
    "votes and epochs": ("raft.election", "raft.vote", "raft.leader", "raft.role", "ctl.activated"),
    "faults": ("fault.", "power.", "proc.", "command.", "net.reset"),
    "clients and groups": ("op.", "client.", "group.", "consumer.", "producer."),
    "partitions": ("isr.", "part.", "ctl.partition", "rep.truncated", "rep.diverged", "produce.refused"),
}


class EventList:
    """Indices of entries that pass, grown as the recording grows."""

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

    def set_filter(self, name: str, node_id: int, search: str = "") -> None:
        """Start over with another filter."""
        self.filter, self.node, self.search = name, node_id, search.lower()
        self.matching, self._checked, self.selected = [], 0, None

    def look_for(self, text: str) -> None:
        """Show only what says the text; the filter stays. An empty text ends the search."""
        if text.lower() != self.search:
            self.set_filter(self.filter, self.node, text)

    def found(self, index: int, direction: int) -> int | None:
        """The next match after an entry, or before it with -1; None when there is none."""
        place = bisect_right(self.matching, index) if direction > 0 else bisect_left(self.matching, index) - 1
        return self.matching[place] if 0 <= place < len(self.matching) else None

    def update(self, recording: Recording) -> None:
        """Check entries that came since; all of them when another run began."""
        if self._run != recording.run_count:
            self._run = recording.run_count
            self.matching, self._checked, self.selected = [], 0, None
        for index in range(self._checked, len(recording.entries)):
            if self.passes(recording, index):
                self.matching.append(index)
        self._checked = len(recording.entries)

    def passes(self, recording: Recording, index: int) -> bool:
        """Whether an entry is one of the list, by filter and search."""
        entry = recording.entries[index]
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
        end = bisect_left(self.matching, cursor)
        if self.selected is not None:
            place = bisect_left(self.matching, self.selected)
            end = min(end, max(place + rows // 2, rows))
        return self.matching[max(0, end - rows) : end]

    def move(self, cursor: int, count: int) -> None:
        """Select another event; past the newest one the list follows again."""
        end = bisect_left(self.matching, cursor)
        if not end:
            return
        place = end if self.selected is None else bisect_left(self.matching, self.selected)
        place += count
        self.selected = None if place >= end else self.matching[max(0, place)]
