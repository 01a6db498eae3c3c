"""Rule L14: a replica that was moved away leaves no log."""

from __future__ import annotations

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.operations import WHERE
from tests.support.traces.timed import Timed
from tests.support.traces.traces import LAB

LATE_S = 16.0


def moved() -> Timed:
    """orders-0 has moved from 1, 2 and 3 to 1 and 2, and the cluster has been calm for long."""
    trace = Timed()
    trace.lead_quorum()
    trace.elect(1, 0)
    trace.wait(LATE_S)
    for node in (1, 2):
        trace.add(
            node,
            ev.PartitionApplied(
                **WHERE, leader=1, leader_epoch=0, partition_epoch=1, isr=(1, 2), elr=(), replicas=(1, 2),
                min_insync_replicas=2,
            ),
        )  # fmt: skip
    return trace


def removed(trace: Timed) -> None:
    trace.add(3, ev.LogRemoved(**WHERE, log_end_offset=0))


def test_a_log_that_is_removed_soon_is_quiet() -> None:
    trace = moved()
    trace.wait(0.5)
    removed(trace)
    trace.wait(LATE_S)
    trace.end()
    assert trace.verdicts()["L14"].verdict is Verdict.HOLDS


def test_a_log_that_stays_is_caught() -> None:
    trace = moved()
    trace.wait(LATE_S)
    trace.end()
    assert "node 3 has kept its log of orders-0 for 16000 ms after the replica was moved away" in trace.sentence("L14")


def test_a_log_that_is_removed_late_is_caught() -> None:
    trace = moved()
    trace.wait(LATE_S)
    removed(trace)
    assert "until 16000 ms after" in trace.sentence("L14")


def test_a_log_of_a_topic_that_is_deleted_is_not_one_that_was_moved() -> None:
    trace = moved()
    trace.delete_topic()
    trace.wait(LATE_S)
    trace.end()
    assert "L14" not in trace.bad()


def test_of_a_wiped_disk_nothing_is_known() -> None:
    trace = moved()
    trace.add(LAB, ev.FaultApplied(**fault_fields(1, "Wipe", "3")))
    trace.wait(LATE_S)
    trace.end()
    assert "L14" not in trace.bad()


def test_a_log_that_is_found_at_a_start_counts_again() -> None:
    trace = moved()
    trace.add(LAB, ev.PowerLost(node_id=3, files=()))
    trace.recover(3)
    trace.wait(LATE_S)
    trace.end()
    assert "node 3 has kept its log" in trace.sentence("L14")


def test_a_calm_that_was_over_is_not_judged_when_the_trace_stops() -> None:
    trace = moved()
    trace.exit(3)
    trace.wait(LATE_S)
    trace.start(2, "broker")
    assert "L14" not in trace.bad()
