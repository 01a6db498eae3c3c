"""When what is open in calm is judged."""

from __future__ import annotations

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.liveness.in_calm import JudgedInCalm
from cluster.invariants.verdicts.ledger import Ledger
from cluster.invariants.verdicts.report import Report
from cluster.invariants.watcher import dispatch
from cluster.model.entry import Entry
from tests.support.traces.timed import Timed


class Noted(JudgedInCalm):
    """Notes when calm begins, and when it is over."""

    def __init__(self, trace: Timed) -> None:
        super().__init__(Ghost(), Report(Ledger()))
        self.told: list[str] = []
        handlers = dispatch((self.ghost.calm, self))
        for entry in trace.entries:
            for handler in handlers.get(type(entry.event), ()):
                handler(entry, entry.event)
        self.finish()

    def _begin(self, entry: Entry) -> None:
        self.told.append("begun")

    def _close(self) -> None:
        self.told.append("over")


def test_calm_is_over_with_the_next_fault_and_with_the_trace() -> None:
    trace = Timed()
    trace.fault(1)
    trace.fault(2)
    trace.heal(1)
    trace.heal(2)
    assert Noted(trace).told == ["begun", "over", "begun", "over"]


def test_where_it_is_not_calm_nothing_is_over() -> None:
    trace = Timed()
    trace.fault(1)
    assert Noted(trace).told == ["begun", "over"]
