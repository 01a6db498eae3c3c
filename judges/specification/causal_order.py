"""A recording in an order in which causes come first: clocks of a machine may say otherwise by a little."""

from __future__ import annotations

import json
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from cluster.model.entry import Entry, EventId
from cluster.model.events import MessageSeen, RunStarted, TimerSet, TrafficSeen
from judges.specification.not_judged import NotJudged

OBSERVATIONS = (MessageSeen, TimerSet, TrafficSeen)
"""They stand beside the steps of the protocol, and nothing follows from them."""


class Recording:
    """All entries of a run but observations, each with its place: the run's clock, moved on behind its causes."""

    __slots__ = ("_before", "_by_id", "_handled", "_place", "entries")

    def __init__(self, entries: Iterable[Entry]) -> None:
        """NotJudged when causes go round in a circle."""
        found = sorted((entry for entry in entries if not isinstance(entry.event, OBSERVATIONS)), key=attrgetter("id"))
        self._by_id = {entry.id: entry for entry in found}
        self._before: dict[EventId, EventId] = {}
        newest: dict[int, EventId] = {}
        for entry in found:
            if entry.node in newest:
                self._before[entry.id] = newest[entry.node]
            newest[entry.node] = entry.id
        self._place: dict[EventId, int] = {}
        for entry in found:
            self._settle(entry)
        self.entries = sorted(found, key=lambda entry: (self._place[entry.id], entry.lamport, entry.id))
        self._handled: dict[EventId, list[Entry]] = {}
        for entry in self.entries:
            self._handled.setdefault(self.handler(entry).id, []).append(entry)

    def _settle(self, entry: Entry) -> None:
        """Place it behind what its node wrote before and behind its cause; depth first, without recursion."""
        waiting, entered = [entry], set[EventId]()
        while waiting:
            one = waiting[-1]
            needs = self._needs(one)
            open_ones = [self._by_id[need] for need in needs if need not in self._place]
            if open_ones and one.id not in entered:
                entered.add(one.id)
                waiting += open_ones
            elif open_ones:
                raise NotJudged("its causes go round in a circle: this is no recording")
            else:
                waiting.pop()
                self._place[one.id] = max([one.t_ns, *(self._place[need] + 1 for need in needs)])

    def _needs(self, entry: Entry) -> list[EventId]:
        before = (self._before.get(entry.id), entry.cause)
        return [need for need in before if need is not None and need in self._by_id]

    def place(self, entry: Entry) -> int:
        """In nanoseconds, later than that of each cause."""
        return self._place[entry.id]

    def get(self, name: EventId | None) -> Entry | None:
        """The entry of that name, when it was recorded."""
        return None if name is None else self._by_id.get(name)

    def handler(self, entry: Entry) -> Entry:
        """The first entry of the step of its node that it belongs to: it says what was handled."""
        while not entry.trigger and entry.cause is not None and entry.cause[0] == entry.node:
            cause = self._by_id.get(EventId(*entry.cause))
            if cause is None:
                break
            entry = cause
        return entry

    def beside(self, entry: Entry) -> list[Entry]:
        """All entries of the same step, in order."""
        return self._handled[self.handler(entry).id]


def asker(entry: Entry, kind: str) -> int | None:
    """Who sent the message of that kind that was handled, from the entry's trigger; None for another trigger."""
    what, _, sender = entry.trigger.partition(" from ")
    return int(sender) if what == kind and sender.isdecimal() else None


def settings_of(entries: Iterable[Entry]) -> dict[str, Any] | None:
    """The settings that the run began with; None when it does not say."""
    config = next((entry.event.config for entry in entries if isinstance(entry.event, RunStarted)), "")
    try:
        settings = json.loads(config)
    except (ValueError, RecursionError):
        return None
    return settings if isinstance(settings, dict) else {}
