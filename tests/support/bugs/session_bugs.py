"""Bugs of fetch sessions: of the broker that remembers, and of the fetcher that takes answers apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.fetch_sessions import session_handler
from cluster.fetch_sessions.session_cache import Fetching, FetchSessionCache
from tests.support.bugs.planted import PlantedBug


def _tells_records_alone(finish: Any) -> Callable[..., Any]:
    def finished(self: Any, answers: Any) -> Any:
        error, number, told = finish(self, answers)
        return error, number, told if self.session is None else [key for key in told if answers[key].records]

    return finished


def _remembers_the_first_position(begin: Any) -> Callable[..., Any]:
    """Where a partition is read is not changed by what a later request says of it."""

    def begun(self: Any, number: int, epoch: int, asked_for: dict[Any, Any], *given: Any, **named: Any) -> Any:
        session = self._sessions.get(number)
        known = {} if session is None or epoch <= 0 else session.partitions
        return begin(self, number, epoch, {k: v for k, v in asked_for.items() if k not in known}, *given, **named)

    return begun


def _repeats_all_of_it(_replace: Any) -> Callable[..., Any]:
    return lambda answer, **_changed: answer


SESSION_BUGS = (
    PlantedBug("tells-records-alone", "sessions", "a broker tells of records only, never of high watermarks",
        frozenset({"L3"}), ((Fetching, "finish", _tells_records_alone),), seeds=(12,)),
    PlantedBug("remembers-the-first-position", "sessions", "a broker reads where the first request of a session said",
        frozenset({"L3", "P7"}), ((FetchSessionCache, "begin", _remembers_the_first_position),), seeds=(12,)),
    PlantedBug("repeats-old-records", "sessions", "a fetcher takes no news for the records it had last",
        frozenset({"P16"}), ((session_handler, "replace", _repeats_all_of_it),), seeds=(2,)),
)  # fmt: skip
