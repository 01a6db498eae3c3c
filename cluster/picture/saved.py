"""A picture as bytes and back, so that one of long ago need not be folded again.

What is read is checked field by field. A picture that was saved by other code than this one may still fit and mean
something else: who keeps such bytes has to know by which code they were made.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from typing import Any, Generic, Protocol, TypeVar, cast, get_args, get_origin, get_type_hints
from weakref import WeakValueDictionary

import msgspec

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry, EventId
from cluster.model.events import CATALOGUE
from cluster.model.ruling import Decision
from cluster.picture.cluster_state import ClusterState
from cluster.picture.decisions import Decisions, Waiting
from cluster.picture.part import Chunk, Journal, OffsetSet

P = TypeVar("P", bound=ClusterState)
PASSING = frozenset(("settled",))
"""What is only of use while the newest entry is taken in."""
_fields = msgspec.msgpack.Decoder(dict[str, msgspec.Raw]).decode
_told_entry = msgspec.msgpack.Decoder(
    tuple[str, tuple[str, int, int, int, int, int, int, EventId | None, str, Decision | None, msgspec.Raw]] | None
).decode
"""The name of an event, and the entry with the event's fields."""


_Rest = tuple[bool | None, int, int]
"""What a decision that waits has after its event."""


class Store(Protocol):
    """Where bytes are put and found again."""

    def put(self, content: bytes) -> int:
        """Keep these; where they are."""

    def get(self, place: int) -> bytes:
        """What was put there."""


class PictureCodec(Generic[P]):
    """Saves pictures of one class in one store. Long sequences are put there piece by piece, each piece once."""

    def __init__(self, kind: type[P], store: Store) -> None:
        self._kind = kind
        self._hints = _hints(cast(Any, kind))
        self._hints = _hints(kind)
        self._store = store
        self._chunks: WeakValueDictionary[int, Chunk[Any]] = WeakValueDictionary()
        """Those that some picture in memory has, by their places."""
        self._encode = msgspec.msgpack.Encoder(enc_hook=self._plain).encode
        self._decoders = {
            name: msgspec.msgpack.Decoder(hint, dec_hook=self._whole).decode
            for name, hint in self._hints.items()
            if hint != Entry | None
        }

    def encode(self, picture: P) -> bytes:
        """The picture, apart from the pieces that this puts into the store."""
        parts: dict[str, msgspec.Raw] = {}
        for name in self._hints:
            value = getattr(picture, name)
            parts[name] = msgspec.Raw(self._encode((value.event.name, value) if type(value) is Entry else value))
        return self._encode(parts)

    def decode(self, content: bytes) -> P:
        """The inverse. DecodeError when it is none of this class."""
        picture = self._kind()
        try:
            parts = _fields(content)
            for name in self._hints:
                decode = self._decoders.get(name)
                setattr(picture, name, _entry(parts[name]) if decode is None else decode(parts[name]))
        except (KeyError, ValueError, TypeError, msgspec.DecodeError) as error:
            raise DecodeError(f"not a saved picture: {error}") from error
        return picture

    def _plain(self, value: Any) -> Any:
        match value:
            case Journal():
                return value.saved(self._save)
            case OffsetSet():
                return value.ranges()
            case Decisions():
                return [(item.event.name, item) for item in value.waiting]
        raise TypeError(f"a picture does not hold a {type(value).__name__}")

    def _whole(self, hint: Any, value: Any) -> Any:
        origin = get_origin(hint) or hint
        if origin is Journal:
            (item,) = get_args(hint)
            most, skip, places, tail = msgspec.convert(value, tuple[int, int, list[int], Any])
            return Journal.restored(most, skip, [self._chunk(place, item) for place in places], _items(item, tail))
        if origin is OffsetSet:
            made = OffsetSet()
            for start, end in msgspec.convert(value, list[tuple[int, int]]):
                made.add(start, end)
            return made
        if origin is Decisions:
            return Decisions(_waiting(name, fields) for name, fields in value)
        if origin is Counter:
            return Counter(value)
        raise TypeError(f"a picture does not hold a {hint}")

    def _save(self, chunk: Chunk[Any]) -> int:
        if chunk.place < 0:
            chunk.place = self._store.put(self._encode(chunk.items))
            self._chunks[chunk.place] = chunk
        return chunk.place

    def _chunk(self, place: int, item: Any) -> Chunk[Any]:
        chunk = self._chunks.get(place)
        if chunk is None:
            chunk = self._chunks[place] = Chunk(partial(self._read, place, item), place=place)
        return chunk

    def _read(self, place: int, item: Any) -> tuple[Any, ...]:
        items: tuple[Any, ...] = msgspec.msgpack.decode(self._store.get(place), type=_tuple_of(item))
        return items


def _hints(kind: Any) -> dict[str, Any]:
    """Each field that is saved, with its type."""
    hints = get_type_hints(kind)
    names = [name for base in reversed(kind.__mro__) for name in getattr(base, "__slots__", ())]
    return {name: hints[name] for name in names if name not in PASSING}


@cache
def _tuple_of(item: Any) -> Any:
    return tuple[item, ...]


def _items(item: Any, values: Any) -> list[Any]:
    items: list[Any] = msgspec.convert(values, list[item])
    return items


def _entry(raw: msgspec.Raw) -> Entry | None:
    saved = _told_entry(raw)
    if saved is None:
        return None
    name, (run, node, incarnation, seq, t_ns, wall_ns, lamport, cause, trigger, decision, fields) = saved
    event: Any = msgspec.msgpack.decode(fields, type=CATALOGUE[name])
    return Entry(run, node, incarnation, seq, t_ns, wall_ns, lamport, cause, trigger, decision, event)


def _waiting(name: str, value: Any) -> Waiting:
    controller, epoch, fields, *rest = value
    event: Any = msgspec.convert(fields, CATALOGUE[name])
    return Waiting(*msgspec.convert((controller, epoch), tuple[int, int]), event, *msgspec.convert(rest, _Rest))
