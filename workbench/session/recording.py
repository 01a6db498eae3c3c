"""All entries of a run in memory, and the view at any of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from cluster.model.entry import Entry, EventId
from workbench.session.story.story import Story
from workbench.session.timeline import LOST, Timeline
from workbench.session.views.cluster import ClusterView, loss_words

CHECKPOINT_EVERY = 2000


class Recording:
    """Entries in order, a folded live view, checkpoints to seek fast, and a cursor.

    The cursor counts applied entries: 0 is before the first, len(entries) the newest.
    """

    def __init__(self) -> None:
        self.run_count = 0
        """Runs shown so far; a list of indices into the entries is good for one of them."""
        self.reset()

    def reset(self) -> None:
        """Forget everything: another run begins."""
        self.run_count += 1
        self.entries: list[Entry] = []
        self.timeline = Timeline()
        self.story = Story()
        self.live = ClusterView()
        self._positions: dict[EventId, int] = {}
        """Event id -> index, of the entries that were looked for so far: few ever are."""
        self._placed = 0
        self.cursor = 0
        self.follows = True
        """Whether the cursor stays at the newest entry."""
        self._checkpoints: list[ClusterView] = [ClusterView()]
        self._seen = ClusterView()
        self._seen_at = 0

    def extend(self, entries: Iterable[Entry]) -> int:
        """Take in new entries; returns how many."""
        before = index = len(self.entries)
        live, timeline, story, lost_count = self.live, self.timeline, self.story, len(self.live.losses)
        for entry in entries:
            self.entries.append(entry)
            live.apply(entry)
            story.apply(entry, index, live)
            timeline.apply(entry, index, live, story.said_at(index))
            index += 1
            if len(live.losses) != lost_count:
                for loss in live.losses[lost_count:]:
                    timeline.add_mark(entry, index - 1, LOST, f"committed and lost: {loss_words(loss)}")
                lost_count = len(live.losses)
            if index % CHECKPOINT_EVERY == 0:
                self._checkpoints.append(live.copy())
        if self.follows:
            self.cursor = index
        return index - before

    @property
    def view(self) -> ClusterView:
        """The view at the cursor."""
        if self.cursor == len(self.entries):
            return self.live
        if self._seen_at > self.cursor or self.cursor - self._seen_at > CHECKPOINT_EVERY:
            base = self.cursor // CHECKPOINT_EVERY
            self._seen, self._seen_at = self._checkpoints[base].copy(), base * CHECKPOINT_EVERY
        for entry in self.entries[self._seen_at : self.cursor]:
            self._seen.apply(entry)
        self._seen_at = self.cursor
        return self._seen

    @property
    def t_ns(self) -> int:
        """Time at the cursor."""
        if not self.entries:
            return 0
        return self.entries[max(0, self.cursor - 1)].t_ns

    def seconds(self, t_ns: int) -> float:
        """Seconds since the run's first entry."""
        return (t_ns - self.timeline.start_ns) / 1e9 if self.entries else 0.0

    def pause(self) -> None:
        """Hold the cursor while entries keep coming."""
        self.follows = False

    def go_live(self) -> None:
        """Follow the newest entry."""
        self.follows, self.cursor = True, len(self.entries)

    def seek(self, cursor: int) -> None:
        """Hold the cursor after `cursor` entries, clamped."""
        self.follows = False
        self.cursor = max(0, min(cursor, len(self.entries)))

    def seek_time(self, t_ns: int) -> None:
        """Hold the cursor after the last entry not later than t_ns."""
        self.seek(self.cursor_at(t_ns))

    def cursor_at(self, t_ns: int) -> int:
        """The cursor after the last entry not later than t_ns."""
        return bisect_right(self.entries, t_ns, key=lambda entry: entry.t_ns)

    def step(self, count: int) -> None:
        """Move the cursor by entries."""
        self.seek(self.cursor + count)

    def scrub(self, share: float) -> None:
        """Move the cursor by a share of the run's time."""
        span = self.timeline.end_ns - self.timeline.start_ns
        self.seek_time(self.t_ns + int(span * share))

    def next_mark(self) -> str:
        """Go to the next mark; its text, or empty at the end."""
        mark = self.timeline.next_mark(self.cursor - 1)
        if mark is None:
            return ""
        self.seek(mark.place + 1)
        return mark.text

    def previous_mark(self) -> str:
        """Go to the mark before; its text, or empty at the start."""
        mark = self.timeline.previous_mark(self.cursor - 1)
        if mark is None:
            return ""
        self.seek(mark.place + 1)
        return mark.text

    def index_of(self, event_id: EventId) -> int | None:
        """Where an event lies, None when this recording lacks it."""
        for index in range(self._placed, len(self.entries)):
            self._positions[self.entries[index].id] = index
        self._placed = len(self.entries)
        return self._positions.get(event_id)
