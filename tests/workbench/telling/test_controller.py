"""How moves of replicas are told."""

from __future__ import annotations

from typing import Any

from cluster.model.events import ReassignmentBegun, ReassignmentEnded
from tests.support.traces.traces import Trace
from workbench.telling.tell import describe


def said(event: Any) -> str:
    trace = Trace()
    trace.add(101, event)
    return describe(trace.entries[-1])


def test_a_move_is_told_with_who_copies_and_who_leaves() -> None:
    begun = ReassignmentBegun(
        topic="orders", partition=0, replicas=(1, 2, 4), adding_replicas=(4,), removing_replicas=(3,)
    )
    assert said(begun) == "orders-0 REASSIGNED to n1,n2,n4: n4 to copy it first, n3 to leave then"


def test_its_end_is_told_with_what_became_of_it_and_the_name_is_made_safe() -> None:
    ended = ReassignmentEnded(topic="a\x1bb", partition=0, how="cancelled", replicas=(1, 2), left=())
    told = said(ended)
    assert told.endswith("-0 reassignment cancelled: on n1,n2 now, off nobody")
    assert "\x1b" not in told
