"""What the picture is made of: parts that can be copied, and long sequences whose copies cost little.

A viewer that looks back keeps a copy of the picture at every so many events. Parts of which there may be many are
shared by the copies until one of them changes such a part, and what grows with the run shares its older stretches.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
S = TypeVar("S", bound="SharedPart")
CHUNK = 512


class Part:
    """Something of the picture that events change. Its slots hold values, other parts, or containers of both."""

    __slots__ = ()

    def copy(self) -> Self:
        """An independent copy."""
        twin = self.__new__(type(self))
        for kind in type(self).__mro__:
            for name in getattr(kind, "__slots__", ()):
                value = getattr(self, name)
                copier = _COPIERS.get(type(value))
                setattr(twin, name, copier(value) if copier is not None else copied(value))
        return twin


@dataclass(slots=True)
class SharedPart(Part):
    """A part that a picture and its copies have in common until one of them changes it; ask `own` for one to change."""

    is_shared: bool = field(default=False, kw_only=True, compare=False, repr=False)


def own(parts: dict[K, S], key: K) -> S | None:
    """The part to change: a copy of its own when others may have it, too; None when there is none."""
    if key not in parts:
        return None
    value = parts[key]
    if value.is_shared:
        value = parts[key] = value.copy()
        value.is_shared = False
    return value


def copied(value: T) -> T:
    """The same value where nobody changes it in place, else an independent copy."""
    copier = _COPIERS.get(type(value))
    if copier is None:
        share = _share if isinstance(value, SharedPart) else _same
        copier = _COPIERS[type(value)] = share if share is _share or not isinstance(value, Part) else type(value).copy
    copy_of_value: T = copier(value)
    return copy_of_value


def _same(value: Any) -> Any:
    return value


def _share(value: Any) -> Any:
    value.is_shared = True
    return value


_COPIERS: dict[type, Callable[[Any], Any]] = {
    dict: lambda found: {key: copied(value) for key, value in found.items()},
    list: lambda found: [copied(value) for value in found],
    set: set,
    Counter: Counter,
}
"""How each kind of value is copied; a kind that is met for the first time is added."""


class Chunk(Generic[T]):
    """Items of a journal that nobody changes any more. Saved ones are read when somebody looks at them."""

    __slots__ = ("__weakref__", "_items", "_read", "place")

    def __init__(self, read: Callable[[], tuple[T, ...]], items: tuple[T, ...] | None = None, place: int = -1) -> None:
        self._read = read
        self._items = items
        self.place = place
        """Where it was saved; -1 while it was not."""

    @property
    def items(self) -> tuple[T, ...]:
        """All items, read from disk the first time they are asked for."""
        if self._items is None:
            self._items = self._read()
        return self._items


class Journal(Part, Sequence[T], Generic[T]):
    """A sequence that grows at its end and is cut at either end. Copies share its full chunks."""

    __slots__ = ("_chunks", "_most", "_skip", "_tail")

    def __init__(self, items: Iterable[T] = (), most: int = 1 << 62) -> None:
        """`most`: how many are kept when there are more than twice as many, the newest."""
        self._most = most
        self._chunks: list[Chunk[T]] = []
        self._tail: list[T] = []
        self._skip = 0
        """Items of the first chunk, or of the tail, that are gone."""
        self.extend(items)

    def append(self, item: T) -> None:
        """Add one item at the end."""
        self._tail.append(item)
        if len(self._tail) >= CHUNK:
            self._fill_chunks()

    def extend(self, items: Iterable[T]) -> None:
        """Add items at the end, in this order."""
        self._tail.extend(items)
        if len(self._tail) >= CHUNK:
            self._fill_chunks()

    def _fill_chunks(self) -> None:
        while len(self._tail) >= CHUNK:
            self._chunks.append(Chunk(tuple, tuple(self._tail[:CHUNK])))
            del self._tail[:CHUNK]
        if len(self) > 2 * self._most:
            self.drop(len(self) - self._most)

    def __len__(self) -> int:
        return len(self._chunks) * CHUNK + len(self._tail) - self._skip

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            places = range(*place.indices(len(self)))
            return self._between(places.start, places.stop) if places.step == 1 else [self[index] for index in places]
        count = len(self)
        if not -count <= place < count:
            raise IndexError(place)
        chunk, within = divmod(place % count + self._skip, CHUNK)
        return self._tail[within] if chunk == len(self._chunks) else self._chunks[chunk].items[within]

    def _between(self, first: int, end: int) -> list[T]:
        """Chunk by chunk."""
        items: list[T] = []
        first, end, full = first + self._skip, end + self._skip, len(self._chunks)
        while first < end:
            number = min(first // CHUNK, full)
            part = self._chunks[number].items if number < full else self._tail
            items += part[first - number * CHUNK : min(end - number * CHUNK, len(part))]
            first = (number + 1) * CHUNK if number < full else end
        return items

    def __iter__(self) -> Iterator[T]:
        return islice(chain(*(chunk.items for chunk in self._chunks), self._tail), self._skip, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def cut(self, count: int) -> None:
        """Keep the first so many."""
        end = min(count, len(self)) + self._skip
        while end < len(self._chunks) * CHUNK:
            self._tail = list(self._chunks.pop().items)
        del self._tail[end - len(self._chunks) * CHUNK :]

    def drop(self, count: int) -> None:
        """Forget the first so many."""
        gone = min(count, len(self)) + self._skip
        whole = min(gone // CHUNK, len(self._chunks))
        del self._chunks[:whole]
        self._skip = gone - whole * CHUNK
        if not self._chunks:
            del self._tail[: self._skip]
            self._skip = 0

    def saved(self, save: Callable[[Chunk[T]], int]) -> tuple[int, int, list[int], list[T]]:
        """What `restored` makes it of again. save: puts a chunk where it can be found again, and says where."""
        return self._most, self._skip, [save(chunk) for chunk in self._chunks], self._tail

    @classmethod
    def restored(cls, most: int, skip: int, chunks: list[Chunk[T]], tail: list[T]) -> Self:
        """The inverse of saved."""
        made = cls(most=most)
        made._chunks, made._tail, made._skip = chunks, tail, skip
        return made


class OffsetSet(Part):
    """Offsets, kept as ranges: what is read in order is one range however long it is."""

    __slots__ = ("_ends", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """Put [start, end) in."""
        if start >= end:
            return
        first, last = bisect_left(self._ends, start), bisect_right(self._starts, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last], self._ends[first:last] = [start], [end]

    def ranges(self) -> list[tuple[int, int]]:
        """Each range with its end (exclusive), ascending."""
        return list(zip(self._starts, self._ends, strict=True))

    def __len__(self) -> int:
        return sum(self._ends) - sum(self._starts)
