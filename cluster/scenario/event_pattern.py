"""Patterns of events: what a script can ask of the trace itself, in the words of the event catalogue."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import CATALOGUE
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.scenario.terms import GrammarError, Memory, node_of, shown

FORM = "EVENT [on N] [FIELD=VALUE ...], for example raft.leader_elected on 102 epoch>=2"
NO_ANSWER = -1
_FILTER = re.compile(r"([a-z_]+)(<=|>=|!=|=|<|>)(.*)")
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FieldFilter:
    """One field of an event compared with a word."""

    name: str
    """The field."""
    sign: str
    """One of = != < <= > >=; only numbers have an order."""
    word: str
    """As written; $name stands for a remembered value."""

    def fits(self, event: object, memory: Memory) -> bool:
        """Whether the field of this event compares so."""
        held = getattr(event, self.name)
        word = self.word
        if word.startswith("$"):
            word = shown(memory.get(word[1:]))
        if self.sign in ("=", "!="):
            return _SIGNS[self.sign](self._equals(held, word), True)
        return type(held) is int and _is_number(word) and _SIGNS[self.sign](held, int(word))

    def _equals(self, held: object, word: str) -> bool:
        if isinstance(held, bool):
            return word == ("yes" if held else "no")
        if isinstance(held, int):
            codes = {item.name: int(item) for item in ErrorCode} if self.name == "error" else {}
            wanted = codes.get(word, NO_ANSWER if word == "NO_ANSWER" else None)
            return held == (int(word) if wanted is None and _is_number(word) else wanted)
        if isinstance(held, tuple):
            return (",".join(map(_part, held)) or "none") == word
        return held == word


@dataclass(frozen=True, slots=True)
class EventPattern:
    """Which events are meant."""

    text: str
    """As written."""
    kind: type
    """The event's class."""
    node: str
    """A number or a remembered name; empty for any writer."""
    filters: tuple[FieldFilter, ...]
    """All must fit."""

    def matches(self, entry: Entry, memory: Memory) -> bool:
        """Whether this entry is meant."""
        if type(entry.event) is not self.kind:
            return False
        if self.node and node_of(self.node, memory) != writer_of(entry):
            return False
        return all(item.fits(entry.event, memory) for item in self.filters)


@dataclass(frozen=True, slots=True)
class EventCount:
    """How many events were told since the cluster began; a value in comparisons."""

    text: str
    """As written."""
    pattern: EventPattern
    """Which events."""


def writer_of(entry: Entry) -> NodeId:
    """The node an event is about: the lab speaks of others."""
    if entry.node == 0:
        return int(getattr(entry.event, "node_id", NO_NODE))
    return entry.node


class EventBook:
    """The entries that a script may ask for, in the order in which they were read."""

    def __init__(self, kinds: frozenset[type] | None = frozenset()) -> None:
        """Keep these classes of events only; None keeps all."""
        self._kinds = kinds
        self._mark = 0
        self._count = 0
        self._places: list[int] = []
        self.entries: list[Entry] = []
        """Kept so far."""

    def note(self, entry: Entry) -> None:
        """Take in one entry."""
        self._count += 1
        if self._kinds is None or type(entry.event) in self._kinds:
            self.entries.append(entry)
            self._places.append(self._count)

    def mark(self) -> None:
        """A command is about to be sent: what comes now comes after it."""
        self._mark = self._count

    def since_mark(self, pattern: EventPattern, memory: Memory) -> list[Entry]:
        """The events meant that came after the newest command."""
        found = []
        for place, entry in zip(reversed(self._places), reversed(self.entries), strict=True):
            if place <= self._mark:
                break
            if pattern.matches(entry, memory):
                found.append(entry)
        return found[::-1]

    def count(self, pattern: EventPattern, memory: Memory) -> int:
        """How many events meant there were since the cluster began."""
        return sum(pattern.matches(entry, memory) for entry in self.entries)


def _part(value: object) -> str:
    """One of several values; what belongs together is written with dashes: orders-0, or orders-0-7 for an offset."""
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


NO_EVENTS = EventBook()
"""For whoever asks of the state alone."""


def parse_pattern(words: list[str], names: frozenset[str]) -> EventPattern:
    """The pattern that all the words make."""
    if not words:
        raise GrammarError(f"an event is missing; the form is: {FORM}")
    kind = CATALOGUE.get(words[0])
    if kind is None:
        near = get_close_matches(words[0], CATALOGUE, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"allowed: {', '.join(sorted(CATALOGUE))}"
        raise GrammarError(f"no event is called '{words[0][:60]}'; {hint}")
    rest, node = words[1:], ""
    if rest[:1] == ["on"]:
        if len(rest) < 2:
            raise GrammarError(f"the form is: {FORM}")
        node, rest = _node(rest[1], names), rest[2:]
    return EventPattern(" ".join(words), kind, node, tuple(_filter(word, kind, names) for word in rest))


def _node(word: str, names: frozenset[str]) -> str:
    if (_is_number(word) and len(word) < 5) or word.removeprefix("$") in names:
        return word
    raise GrammarError(f"no node '{word[:40]}'; allowed: a node number or a remembered name")


def _filter(word: str, kind: type[Struct], names: frozenset[str]) -> FieldFilter:
    found = _FILTER.fullmatch(word)
    known = kind.__struct_fields__
    if found is None or found[1] not in known:
        raise GrammarError(f"not a field of this event: '{word[:60]}'; allowed: {', '.join(known)}, each with =VALUE")
    value = found[3]
    if value.startswith("$") and value[1:] not in names:
        raise GrammarError(f"nothing is remembered as '{value[1:40]}'")
    if found[2] not in ("=", "!=") and not (value.startswith("$") or _is_number(value)):
        raise GrammarError(f"only numbers have an order: '{word[:60]}'")
    return FieldFilter(found[1], found[2], value)


def _is_number(word: str) -> bool:
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 13
