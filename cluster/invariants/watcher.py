"""Which method is told of which events: its mark says when, and the class of the event that it takes says of which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import NoneType
from typing import Any, Protocol, TypeAlias, TypeVar, get_args, get_type_hints, runtime_checkable

from cluster.model import events as ev
from cluster.model.entry import Entry

Handler: TypeAlias = Callable[[Entry, Any], None]
"""Told an entry and its event."""
Method = TypeVar("Method", bound=Callable[..., None])
BEFORE, FOLD, AFTER = "before", "fold", "after"
_STAGE = "__stage__"
OF_CLIENTS = {kind for union in (ev.ClientEvent, ev.ConsumerEvent, ev.LoadEvent) for kind in get_args(union)}
"""Events that are about a partition or about none."""


def before(method: Method) -> Method:
    """Have a method told of an event while the ghost still stands before it."""
    setattr(method, _STAGE, BEFORE)
    return method


def fold(method: Method) -> Method:
    """Have a method of the ghost take an event in."""
    setattr(method, _STAGE, FOLD)
    return method


def after(method: Method) -> Method:
    """Have a method told of an event when the ghost has taken it in."""
    setattr(method, _STAGE, AFTER)
    return method


@runtime_checkable
class Placed(Protocol):
    """What names a partition: a TopicPartition, or an event about one."""

    @property
    def topic(self) -> str:
        """That of METADATA for the quorum."""

    @property
    def partition(self) -> int:
        """From 0."""


def names_partition(kind: type[Any]) -> bool:
    """Whether each event of a class is about one partition."""
    return {"topic", "partition"} <= set(kind.__struct_fields__) and kind not in OF_CLIENTS


class Watcher:
    """Is told of events: each marked method takes an entry, and its event of one class or of several.

    Two of one class are told in the order in which they stand.
    """

    def handlers(self, stage: str) -> Iterator[tuple[type, Handler]]:
        """Whom to call for each class of event, at BEFORE, FOLD or AFTER."""
        bases = reversed(type(self).__mro__)
        methods = {name: method for base in bases for name, method in vars(base).items()}
        marked = [(name, method) for name, method in methods.items() if getattr(method, _STAGE, "") == stage]
        return ((kind, getattr(self, name)) for name, method in marked for kind in events_of(method))


def dispatch(watchers: Iterable[Watcher]) -> dict[type, tuple[Handler, ...]]:
    """Whom to call for each class of event, in order: made once, so that an entry costs one look-up."""
    watchers, table = tuple(watchers), defaultdict[type, list[Handler]](list)
    for stage in (BEFORE, FOLD, AFTER):
        for kind, handler in (each for watcher in watchers for each in watcher.handlers(stage)):
            table[kind].append(handler)
    return {kind: tuple(handlers) for kind, handlers in table.items()}


@cache
def events_of(method: Callable[..., object]) -> tuple[type, ...]:
    """The classes of event that a method takes, by its annotation of `event`; None is for callers that have none."""
    event = next(kind for name, kind in get_type_hints(method).items() if name.lstrip("_") == "event")
    return tuple(kind for kind in get_args(event) if kind is not NoneType) or (event,)
