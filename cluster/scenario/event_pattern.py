"""Patterns of events: what a script can ask of the trace itself, in the words of the event catalogue."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from msgspec import Struct

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.events import CATALOGUE
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.scenario.event_fields import FieldFilter, joined, parse_filter
from cluster.scenario.terms import GrammarError, Memory, node_of

FORM = "EVENT [on N] [FIELD=VALUE ...], for example raft.leader_elected on 102 epoch>=2"
_FILTER = re.compile(r"([a-z_]+)(<=|>=|!=|=|<|>)(.*)")
_TELLERS = {"client": "a client", "consumer": "a client"}
_OF_THE_LAB = frozenset(
    (ev.RunStarted, ev.RunEnded, ev.RunResumed, ev.FaultInjected, ev.FaultApplied, ev.FaultReverted, ev.CommandRejected)
)


@dataclass(frozen=True, slots=True)
class EventPattern:
    """Which events are meant."""

    text: str
    kind: type
    node: str
    """A number or a remembered name; empty for any writer."""
    filters: tuple[FieldFilter, ...]

    def matches(self, entry: Entry, memory: Memory) -> bool:
        """Whether this entry is meant."""
        if type(entry.event) is not self.kind:
            return False
        if self.node and node_of(self.node, memory) != writer_of(entry):
            return False
        return all(item.fits(entry.event, memory) for item in self.filters)

    def misfit(self, memory: Memory) -> str:
        """Why no event can match while these values are remembered; empty when one may."""
        return next((why for item in self.filters if (why := item.misfit(memory))), "")


@dataclass(frozen=True, slots=True)
class EventCount:
    """How many events were told since the cluster began; a value in comparisons."""

    text: str
    pattern: EventPattern


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
        entries = []
        for place, entry in zip(reversed(self._places), reversed(self.entries), strict=True):
            if place <= self._mark:
                break
            if pattern.matches(entry, memory):
                entries.append(entry)
        return entries[::-1]

    def count(self, pattern: EventPattern, memory: Memory) -> int:
        """How many events meant there were since the cluster began."""
        return sum(pattern.matches(entry, memory) for entry in self.entries)


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
        _check_teller(words[0], kind)
        node, rest = _node(rest[1], names), rest[2:]
    return EventPattern(" ".join(words), kind, node, tuple(_filter(word, kind, names) for word in joined(rest)))


def _node(word: str, names: frozenset[str]) -> str:
    if (_is_number(word) and len(word) < 5) or word.removeprefix("$") in names:
        return word
    raise GrammarError(f"no node '{word[:40]}'; allowed: a node number or a remembered name")


def _filter(word: str, kind: type[Struct], names: frozenset[str]) -> FieldFilter:
    parts = _FILTER.fullmatch(word)
    fields = kind.__struct_fields__
    if parts is None or parts[1] not in fields:
        raise GrammarError(f"not a field of this event: '{word[:60]}'; allowed: {', '.join(fields)}, each with =VALUE")
    return parse_filter(parts[1], parts[2], parts[3], kind, names)


def teller_of(kind: type[Struct]) -> str:
    """Who tells of an event that is of no node; empty for those that are of one."""
    teller = _TELLERS.get(kind.__module__.rpartition(".")[2]) or ("the lab" if kind in _OF_THE_LAB else "")
    return "" if "node_id" in kind.__struct_fields__ else teller


def _check_teller(name: str, kind: type[Struct]) -> None:
    teller = teller_of(kind)
    if teller:
        raise GrammarError(f"{name} is told by {teller}, of no node; leave out 'on'")


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()
