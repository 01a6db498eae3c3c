"""Which timers are told, and how often."""

from __future__ import annotations

from typing import Any

from cluster.model.entry import EventId
from cluster.model.events import TimerSet
from cluster.node.told_timers import ToldTimers
from cluster.raft.timers import ELECTION_TIMER, FETCH_TIMER
from cluster.trace.tracer import Tracer
from tests.cluster.node.test_driver import Journal

MS = 1_000_000


def test_a_timer_that_begins_anew_with_each_fetch_is_told_four_times_a_second_at_most() -> None:
    journal = Journal([])
    timers = ToldTimers(Tracer(journal))
    for at_ms in range(0, 1_000, 10):
        timers.began(FETCH_TIMER, 333 * MS, 5_000 + at_ms)
    assert [event for event, _ in journal.observed] == [TimerSet(timer="fetch", length_ms=333)] * 4


def test_another_length_or_an_end_is_told_at_once() -> None:
    journal = Journal([])
    tracer = Tracer(journal)
    timers = ToldTimers(tracer)
    tracer.cause = EventId(101, 0, 3)
    timers.began(ELECTION_TIMER, 271 * MS, 5_000)
    timers.began(ELECTION_TIMER, 190_600_000, 5_001)
    timers.ended(ELECTION_TIMER)
    timers.began(ELECTION_TIMER, 190_600_000, 5_002)
    timers.ended(ELECTION_TIMER)
    timers.ended("broker.next_request")
    told: list[tuple[Any, Any]] = journal.observed
    assert [(event.length_ms, cause) for event, cause in told] == [(271, (101, 0, 3)), *[(191, (101, 0, 3))] * 2]
    assert journal.written == [] and tracer.cause == (101, 0, 3), "nothing follows from it"
