"""Rule L6: consumer groups come to rest."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces.timed import Timed

SETTLED_S = 7.0


def calm() -> Timed:
    """A cluster that has been at rest for as long as a coordinator may need."""
    trace = Timed()
    trace.lead_quorum()
    trace.wait(SETTLED_S)
    return trace


def joined(trace: Timed, session_ms: int = 1000, rebalance_ms: int = 2000) -> None:
    trace.add(
        1,
        ev.GroupMemberJoined(
            group="g",
            member_id="m",
            instance_id="",
            client_id="c",
            client_host="h",
            generation=0,
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=rebalance_ms,
        ),
    )


def turned(trace: Timed, before: str, state: str) -> None:
    trace.add(
        1, ev.GroupStateChanged(group="g", before=before, state=state, generation=1, members=("m",), why="by hand")
    )


def test_a_rebalance_that_ends_in_time_is_quiet() -> None:
    trace = calm()
    joined(trace)
    turned(trace, "Empty", "PreparingRebalance")
    trace.wait(3)
    turned(trace, "PreparingRebalance", "CompletingRebalance")
    trace.wait(1)
    turned(trace, "CompletingRebalance", "Stable")
    trace.end()
    assert trace.holds("L6")


def test_a_rebalance_that_ends_late_is_caught() -> None:
    trace = calm()
    joined(trace)
    turned(trace, "Empty", "PreparingRebalance")
    trace.wait(5.1)
    turned(trace, "PreparingRebalance", "CompletingRebalance")
    turned(trace, "CompletingRebalance", "Stable")
    assert "a group was not at rest for 5100 ms, its state was Stable; 5000 ms are allowed" in trace.sentence("L6")


def test_a_rebalance_that_never_ends_is_caught() -> None:
    trace = calm()
    joined(trace)
    turned(trace, "Empty", "PreparingRebalance")
    trace.wait(5.1)
    trace.end()
    assert "its state was PreparingRebalance" in trace.sentence("L6")


def test_a_rebalance_need_not_end_where_a_quorum_has_forgotten_where_the_group_lives() -> None:
    trace = Timed()
    trace.lead_quorum()
    trace.wipe_voter()
    trace.wait(SETTLED_S)
    joined(trace)
    turned(trace, "Empty", "PreparingRebalance")
    trace.wait(5.1)
    trace.end()
    assert trace.excuse("L6") == "A1"


def test_a_member_that_joins_is_waited_for_anew() -> None:
    trace = calm()
    joined(trace)
    turned(trace, "Empty", "PreparingRebalance")
    trace.wait(4)
    joined(trace)
    trace.wait(4)
    trace.end()
    assert "L6" not in trace.bad()


def test_a_coordinator_has_to_lead_first() -> None:
    trace = Timed()
    trace.lead_quorum()
    joined(trace)
    turned(trace, "Empty", "PreparingRebalance")
    trace.wait(6)
    trace.end()
    assert "L6" not in trace.bad()


def test_a_new_coordinator_begins_with_groups_at_rest() -> None:
    trace = calm()
    joined(trace)
    turned(trace, "Empty", "PreparingRebalance")
    trace.add(2, ev.CoordinatorLoaded(partition=0, leader_epoch=1, end_offset=3, groups=(("g", 1),), offsets=()))
    trace.wait(9)
    trace.end()
    assert "L6" not in trace.bad()


def test_a_fault_ends_the_wait() -> None:
    trace = calm()
    joined(trace)
    turned(trace, "Empty", "PreparingRebalance")
    trace.wait(1)
    trace.fault(1)
    trace.wait(9)
    trace.end()
    assert "L6" not in trace.bad()
