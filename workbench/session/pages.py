"""The entries of a run, page by page: the newest in memory, those of long ago read again when somebody looks."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import eq
from typing import NamedTuple, overload

from cluster.model.entry import Entry, EventId
from cluster.trace.places import Origin

PAGE = 2048
"""Entries of a page."""
NEWEST_PAGES = 4
"""So many pages stay in memory while they are the newest: a page is 1.5 to 2 MB."""
READ_PAGES = 12
"""So many of those that were read again stay in memory."""


class Lane(NamedTuple):
    """On which pages entries of one file are, and the sequence number of its first on each."""

    pages: array[int]
    seqs: array[int]


class Pages(Sequence[Entry]):
    """All entries of a run so far, in order. Those that cannot be read again are all in memory."""

    def __init__(self, again: Callable[[int], list[Entry]] | None = None, size: int = PAGE) -> None:
        """`again`: reads a page that was released. `size`: entries of a page."""
        self.size = size
        self._again = again
        self._open: list[Entry] = []
        """The page that is not full."""
        self._full: OrderedDict[int, list[Entry]] = OrderedDict()
        """Full pages that are here as they came."""
        self._read: OrderedDict[int, list[Entry]] = OrderedDict()
        """Pages that were read again, the one looked at last at the end."""
        self._first_ns = array("q")
        self._lanes: dict[Origin, Lane] = {}

    @property
    def full_count(self) -> int:
        """How many pages are full."""
        return len(self._first_ns)

    def __len__(self) -> int:
        return len(self._first_ns) * self.size + len(self._open)

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> list[Entry]: ...
    def __getitem__(self, place: int | slice) -> Entry | list[Entry]:
        count = len(self)
        if isinstance(place, slice):
            places = range(*place.indices(count))
            if places.step == 1:
                return self._between(places.start, places.stop)
            return [self[index] for index in places]
        if not -count <= place < count:
            raise IndexError(place)
        page, within = divmod(place % count, self.size)
        return self.page(page)[within]

    def _between(self, first: int, end: int) -> list[Entry]:
        entries: list[Entry] = []
        while first < end:
            page, within = divmod(first, self.size)
            part = self.page(page)[within : within + end - first]
            entries += part
            first += len(part)
        return entries

    def __iter__(self) -> Iterator[Entry]:
        for page in range(len(self._first_ns) + 1):
            yield from self.page(page)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def append(self, entry: Entry) -> bool:
        """Add one; whether that made a page full."""
        self._open.append(entry)
        if len(self._open) < self.size:
            return False
        firsts: dict[Origin, int] = {}
        for item in self._open:
            firsts.setdefault((item.node, item.incarnation), item.seq)
        self._full[len(self._first_ns)] = self._open
        self.add_full(self._open[0].t_ns, firsts.items())
        self._open = []
        return True

    def add_full(self, first_ns: int, firsts: Iterable[tuple[Origin, int]]) -> None:
        """A page that can be read again, the time of its first entry and the first of each file on it."""
        for origin, seq in firsts:
            lane = self._lanes.get(origin)
            if lane is None:
                lane = self._lanes[origin] = Lane(array("I"), array("q"))
            lane.pages.append(len(self._first_ns))
            lane.seqs.append(seq)
        self._first_ns.append(first_ns)

    def release(self, number: int) -> None:
        """All pages up to this one can be read again: only the newest stay."""
        last = min(number, len(self._first_ns) - 1 - NEWEST_PAGES)
        while self._full and next(iter(self._full)) <= last:
            self._full.popitem(last=False)

    def page(self, number: int) -> list[Entry]:
        """The entries of a page, which may be the one that is not full."""
        if number == len(self._first_ns):
            return self._open
        entries = self._full.get(number)
        if entries is not None:
            return entries
        entries = self._read.pop(number, None)
        if entries is None:
            assert self._again is not None, "only a page that can be read again is released"
            entries = self._again(number)
        self._read[number] = entries
        if len(self._read) > READ_PAGES:
            self._read.popitem(last=False)
        return entries

    def count_until(self, t_ns: int) -> int:
        """How many entries are not later than t_ns."""
        number = max(0, bisect_right(self._first_ns, t_ns) - 1)
        if number == len(self._first_ns) - 1 and self._open and self._open[0].t_ns <= t_ns:
            number += 1
        return number * self.size + bisect_right(self.page(number), t_ns, key=lambda entry: entry.t_ns)

    def index_of(self, event_id: EventId) -> int | None:
        """Where an event is; None when it is not here."""
        lane = self._lanes.get((event_id.node, event_id.incarnation))
        numbers = [len(self._first_ns)]
        if lane is not None and (place := bisect_right(lane.seqs, event_id.seq)):
            numbers.insert(0, lane.pages[place - 1])
        for number in numbers:
            for within, entry in enumerate(self.page(number)):
                if entry.seq == event_id.seq and entry.id == event_id:
                    return number * self.size + within
        return None
