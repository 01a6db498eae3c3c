"""The entries of a run, however many, and the view at any of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry, EventId
from cluster.picture.agreement import Agreement
from cluster.trace.places import Origin
from cluster.trace.reader import Place
from workbench.session.fold_state import pack_folds
from workbench.session.index_file import DamagedIndex
from workbench.session.pages import PAGE, Pages
from workbench.session.run_index import RunIndex
from workbench.session.steps.decisions import DECIDING
from workbench.session.steps.sequence import Steps
from workbench.session.story.story import Story
from workbench.session.timeline import LOST, MARKED, Mark, Timeline
from workbench.session.views.cluster import ClusterView, loss_words

FOLDS = ("timeline", "steps", "story")
"""What grows with the entries beside the view, by the names below. The next screen of the run has it at once."""
STATE_EVERY, STATE_SHARE = 16, 64
"""The folds are kept after so many pages, and after so small a part of the run: what came since is folded anew. They
grow with the run, so that a fixed number of pages would cost more and more."""


class Recording:
    """Entries in order, a folded live view, saved views to seek fast, and a cursor.

    The cursor counts applied entries: 0 is before the first, len(entries) the newest. Of a run whose trace lies in
    files only the newest entries and those looked at lately are in memory.
    """

    def __init__(self, page_size: int = PAGE) -> None:
        """page_size: entries between two saved views."""
        self._page_size = page_size
        self.run_count = 0
        """Runs shown so far; a list of indices into the entries is good for one of them."""
        self._index: RunIndex | None = None
        self.reset()

    def reset(self) -> None:
        """Forget everything: another run begins."""
        self.close()
        self.run_count += 1
        self.entries = Pages(size=self._page_size)
        self.timeline = Timeline()
        self.steps = Steps()
        self.story = Story()
        self.live = ClusterView()
        self.agreement = Agreement()
        self.cursor = 0
        self.follows = True
        """Whether the cursor stays at the newest entry."""
        self._views: dict[int, ClusterView] = {}
        """The view after each page that no index keeps."""
        self._waiting: deque[tuple[bytes, bytes]] = deque()
        """For each page that is not in its files yet, the view after it and, where they are to be kept, the folds."""
        self._folds_due = STATE_EVERY
        """After how many pages the folds are kept next."""
        self._seen = ClusterView()
        self._seen_at = 0
        self._base = (-1, ClusterView())
        """The number of the page after which a view was restored last, and that view."""

    @classmethod
    def folded(cls, timeline: Timeline, story: Story, live: ClusterView) -> Recording:
        """What was made of a run whose entries nobody keeps: it stands at its end."""
        made = cls()
        made.timeline, made.story, made.live = timeline, story, live
        return made

    def close(self) -> None:
        """Let go of the files of the run."""
        if self._index is not None:
            self._index.close()
        self._index = None

    def keep_in(self, run_folder: Path) -> dict[Origin, Place]:
        """From now on what is long ago is read again from the trace in that folder.

        Takes in what an earlier screen kept of this run. Returns what of each file is to be given to `extend` next;
        what is not named from its beginning. A recording that has entries already stays as it is.
        """
        if len(self.entries) or self._index is not None:
            return {}
        index = self._index = RunIndex(run_folder)
        self.entries = Pages(index.entries, self._page_size)
        loaded = index.load(self.entries)
        if loaded is None:
            index.forget()
            self.entries = Pages(index.entries, self._page_size)
        else:
            self.live, folds = loaded
            for name in FOLDS:
                setattr(self, name, folds[name])
            self._folds_due = self.entries.full_count + STATE_EVERY
            self.timeline.own = []  # the viewer's marks are kept by themselves
        if self.follows:
            self.cursor = len(self.entries)
        return index.reached

    @property
    def trouble(self) -> str:
        """Why what is long ago cannot be shown; empty while all is well."""
        return self._index.trouble if self._index is not None else ""

    def extend(self, entries: Iterable[Entry]) -> int:
        """Take in new entries; returns how many."""
        before = index = len(self.entries)
        live, timeline, steps, story = self.live, self.timeline, self.steps, self.story
        append, kinds_told, lost_count = self.entries.append, story.told, len(live.losses)
        for entry in entries:
            is_full = append(entry)
            live.apply(entry)
            kind = type(entry.event)
            if kind in kinds_told:
                story.apply(entry, index, live)
            if kind in MARKED:
                timeline.apply(entry, index, live, story.said_at(index))
            else:
                timeline.count(entry.t_ns)
            if kind in DECIDING:
                steps.apply(entry, index, live, has_lost=len(live.losses) != lost_count)
            index += 1
            if len(live.losses) != lost_count:
                for loss in live.losses[lost_count:]:
                    timeline.add_mark(entry, index - 1, LOST, f"committed and lost: {loss_words(loss)}")
                lost_count = len(live.losses)
            if is_full:
                self._end_page()
        if self.follows:
            self.cursor = index
        return index - before

    def _end_page(self) -> None:
        """Have the view after the page that is full now, one way or the other."""
        pages, index = self.entries, self._index
        if index is None or index.trouble:
            self._views[pages.full_count - 1] = self.live.copy()
            return
        folds = b""
        if pages.full_count >= self._folds_due:
            self._folds_due = pages.full_count + max(STATE_EVERY, pages.full_count // STATE_SHARE)
            folds = pack_folds({name: getattr(self, name) for name in FOLDS})
        self._waiting.append((index.save(self.live), folds))
        while self._waiting and index.keep(pages.page(index.page_count), *self._waiting[0]):
            self._waiting.popleft()
        if index.page_count:
            pages.release(index.page_count - 1)

    @property
    def view(self) -> ClusterView:
        """The view at the cursor."""
        if self.follows or self.cursor == len(self.entries):
            return self.live
        if self._seen_at > self.cursor or self.cursor // self._page_size != self._seen_at // self._page_size:
            self._seen, self._seen_at = self._view_after(self.cursor // self._page_size - 1)
        for entry in self.entries[self._seen_at : self.cursor]:
            self._seen.apply(entry)
        self._seen_at = self.cursor
        return self._seen

    def _view_after(self, number: int) -> tuple[ClusterView, int]:
        """A view of its own after a page, or after the nearest before it of which there is one; and how far it is."""
        while number >= 0:
            if self._base[0] == number:
                return self._base[1].copy(), (number + 1) * self._page_size
            with suppress(DecodeError, DamagedIndex, OSError):
                if (saved := self._saved_view(number)) is not None:
                    self._base = number, saved
                    return saved.copy(), (number + 1) * self._page_size
            number -= 1
        return ClusterView(), 0

    def _saved_view(self, number: int) -> ClusterView | None:
        index = self._index
        if index is None or number in self._views:
            return self._views.get(number)
        if number < index.page_count:
            return index.picture(number)
        waits = number - index.page_count
        return index.restore(self._waiting[waits][0]) if waits < len(self._waiting) else None

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
        return self.entries.count_until(t_ns)

    def step(self, count: int) -> None:
        """Move the cursor by entries."""
        self.seek(self.cursor + count)

    def scrub(self, share: float) -> None:
        """Move the cursor by a share of the run's time."""
        span = self.timeline.end_ns - self.timeline.start_ns
        self.seek_time(self.t_ns + int(span * share))

    def next_mark(self) -> str:
        """Go to the next mark; its text, or empty at the end."""
        return self._seek_mark(self.timeline.next_mark(self.cursor - 1))

    def previous_mark(self) -> str:
        """Go to the mark before; its text, or empty at the start."""
        return self._seek_mark(self.timeline.previous_mark(self.cursor - 1))

    def _seek_mark(self, mark: Mark | None) -> str:
        if mark is None:
            return ""
        self.seek(mark.place + 1)
        return mark.text

    def index_of(self, event_id: EventId) -> int | None:
        """Where an event lies, None when this recording lacks it."""
        return self.entries.index_of(event_id)
