"""Whatever a fold has made of a run so far, as bytes and back: a timeline, a story, the steps of a play.

A fold is an object of ours that grows with the run. It is taken apart down to plain values; an object that is met
twice comes back as one. Bytes are only ever read that this program has written and sealed itself.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable
from enum import Enum
from types import MethodType
from typing import Any

import msgspec

from cluster.model.codec import DecodeError

PLAIN = (type(None), bool, int, float, str, bytes)
ROOMS = ("cluster.", "workbench.")
"""Where the classes of what is kept come from."""
SAVED: dict[str, type] = {
    "list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict, "Counter": Counter,
}  # fmt: skip
"""Containers that are made of their items alone."""
_encode = msgspec.msgpack.Encoder().encode


def pack_folds(folds: dict[str, Any]) -> bytes:
    """All of them together: they may share what they know. TypeError when one holds what cannot be kept."""
    return _encode(_Apart().take(folds))


def unpack_folds(content: bytes) -> dict[str, Any]:
    """The inverse. DecodeError when it is not what pack_folds made."""
    try:
        folds: dict[str, Any] = _Together().make(msgspec.msgpack.decode(content))
    except (ValueError, TypeError, LookupError, AttributeError, msgspec.DecodeError) as error:
        raise DecodeError(f"not the state of folds: {error}") from error
    return folds


class _Apart:
    """Takes values apart, each object once."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def take(self, value: Any) -> Any:
        kind = type(value)
        if kind in PLAIN:
            return value
        if kind.__name__ in SAVED and SAVED[kind.__name__] is kind:
            items = value.items() if issubclass(kind, dict) else value
            if kind in (set, frozenset):  # one that came back may have another order
                return [kind.__name__, *sorted(map(self.take, value), key=_encode)]
            return [kind.__name__, *map(self.take, items)]
        if kind is deque:
            return ["deque", value.maxlen, *map(self.take, value)]
        if kind is MethodType:
            return ["method", value.__name__, self.take(value.__self__)]
        if kind is type or kind is msgspec.StructMeta:
            return ["class", _name(value)]
        if isinstance(value, Enum):
            return ["enum", _name(kind), value.value]
        if issubclass(kind, tuple):
            return ["named", _name(kind), *map(self.take, value)]
        if isinstance(value, msgspec.Struct):
            return ["struct", _name(kind), *(self.take(getattr(value, name)) for name in value.__struct_fields__)]
        return self._object(value)

    def _object(self, value: Any) -> list[Any]:
        number = self._numbers.get(id(value))
        if number is not None:
            return ["again", number]
        self._numbers[id(value)] = len(self._numbers)
        fields = {name: self.take(getattr(value, name)) for name in _fields(value)}
        return ["object", _name(type(value)), fields]


class _Together:
    """Puts them together again."""

    def __init__(self) -> None:
        self._objects: list[Any] = []
        self._makers: dict[str, Callable[..., Any]] = {
            "deque": lambda most, *items: deque(map(self.make, items), most),
            "method": lambda name, owner: getattr(self.make(owner), name),
            "class": _class,
            "enum": lambda name, value: _class(name)(value),
            "named": lambda name, *items: _class(name)._make(map(self.make, items)),
            "struct": lambda name, *items: _class(name)(*map(self.make, items)),
            "object": self._object,
            "again": lambda number: self._objects[number],
        }

    def make(self, told: Any) -> Any:
        if type(told) in PLAIN:
            return told
        kind, *rest = told
        if kind in SAVED:
            return SAVED[kind](map(self.make, rest)) if kind != "Counter" else Counter(dict(map(self.make, rest)))
        return self._makers[kind](*rest)

    def _object(self, name: str, told: dict[str, Any]) -> Any:
        kind = _class(name)
        made = kind.__new__(kind)
        self._objects.append(made)
        for field, value in told.items():
            object.__setattr__(made, field, self.make(value))
        return made


def _fields(value: Any) -> list[str]:
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*(name for name in slots if hasattr(value, name)), *getattr(value, "__dict__", {})]


def _name(kind: type) -> str:
    if not kind.__module__.startswith(ROOMS):
        raise TypeError(f"a fold that is to be kept holds a {kind.__module__}.{kind.__qualname__}")
    return f"{kind.__module__}:{kind.__qualname__}"


def _class(name: str) -> Any:
    module, _, path = name.partition(":")
    if not module.startswith(ROOMS):
        raise TypeError(f"{module} is none of our modules")
    member: Any = sys.modules[module]
    for part in path.split("."):
        member = getattr(member, part)
    if not isinstance(member, type):
        raise TypeError(f"{name} is no class")
    return member
