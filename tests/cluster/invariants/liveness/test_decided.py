"""Rule L13: a decided transaction is completed."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.identifiers import TRANSACTIONS_TOPIC
from tests.support.traces.partitions import ALL
from tests.support.traces.timed import Timed

LATE_S = 16.0


def at_rest() -> Timed:
    """orders-0 and the coordinator's own partition are led, and the cluster has been calm for long."""
    trace = Timed(transaction_state_partitions=1)
    trace.lead_quorum()
    trace.elect(1, 0)
    led_home(trace)
    trace.wait(LATE_S)
    return trace


def led_home(trace: Timed, isr: tuple[int, ...] = ALL, partition_epoch: int = 0) -> None:
    for node in ALL:
        trace.add(
            node,
            ev.PartitionApplied(
                topic=TRANSACTIONS_TOPIC, partition=0, leader=3, leader_epoch=0, partition_epoch=partition_epoch,
                isr=isr, elr=(), replicas=ALL, min_insync_replicas=2,
            ),
        )  # fmt: skip
    if not partition_epoch:
        trace.add(
            3,
            ev.BecameLeader(
                topic=TRANSACTIONS_TOPIC, partition=0, leader_epoch=0, epoch_start_offset=0, high_watermark=0, isr=ALL
            ),
        )


def state(trace: Timed, state: str, before: str = "Ongoing", offset: int = -1) -> None:
    parts = (("orders", 0),) if state.startswith("Prepare") else ()
    trace.add(
        3,
        ev.TransactionStateChanged(
            transactional_id="shop", producer_id=7, producer_epoch=0, state=state, before=before, partitions=parts,
            why="by hand", offset=offset,
        ),
    )  # fmt: skip


def loaded(trace: Timed, *transactions: tuple[str, str, int, int]) -> None:
    trace.add(
        3,
        ev.TransactionCoordinatorLoaded(partition=0, leader_epoch=1, end_offset=9, transactions=transactions),
    )


def test_a_decision_that_is_carried_out_is_quiet() -> None:
    trace = at_rest()
    state(trace, "PrepareCommit")
    trace.wait(1)
    state(trace, "CompleteCommit", "PrepareCommit")
    trace.wait(LATE_S)
    trace.end()
    assert trace.holds("L13")


def test_a_decision_that_nobody_carries_out_is_caught() -> None:
    trace = at_rest()
    state(trace, "PrepareAbort")
    trace.wait(LATE_S)
    trace.end()
    assert "a transaction was PrepareAbort for 16000 ms with all its partitions at work" in trace.sentence("L13")


def test_a_marker_of_an_administrator_may_have_those_of_the_coordinator_refused() -> None:
    trace = at_rest()
    state(trace, "PrepareAbort")
    trace.add(
        1,
        ev.MarkerWritten(
            topic="orders", partition=0, producer_id=7, producer_epoch=0, committed=False, offset=0, first_offset=-1,
            coordinator_epoch=99, by_client=True,
        ),
    )  # fmt: skip
    trace.wait(LATE_S)
    trace.end()
    assert trace.excuse("L13") == "A13"


def test_a_decision_that_is_carried_out_late_is_caught() -> None:
    trace = at_rest()
    state(trace, "PrepareCommit")
    trace.wait(LATE_S)
    state(trace, "CompleteCommit", "PrepareCommit")
    assert "was PrepareCommit for 16000 ms" in trace.sentence("L13")


def test_a_decision_may_wait_for_a_partition_that_cannot_take_its_marker() -> None:
    trace = at_rest()
    led_home(trace, isr=(3,), partition_epoch=1)
    state(trace, "PrepareCommit")
    trace.wait(LATE_S)
    trace.end()
    assert "L13" not in trace.bad()


def test_a_coordinator_that_has_just_read_of_the_decision_has_its_time_again() -> None:
    trace = at_rest()
    state(trace, "PrepareCommit")
    trace.wait(5)
    loaded(trace, ("shop", "PrepareCommit", 7, 0))
    trace.wait(5)
    trace.end()
    assert "L13" not in trace.bad()


def test_what_the_next_coordinator_has_not_read_is_no_decision_any_more() -> None:
    trace = at_rest()
    state(trace, "PrepareCommit")
    loaded(trace)
    trace.wait(LATE_S)
    trace.end()
    assert "L13" not in trace.bad()


def test_what_a_former_coordinator_learns_late_is_no_new_decision() -> None:
    trace = at_rest()
    loaded(trace, ("shop", "PrepareAbort", 7, 0))
    state(trace, "CompleteAbort", "PrepareAbort", offset=9)
    state(trace, "PrepareAbort", offset=8)
    trace.wait(LATE_S)
    trace.end()
    assert "L13" not in trace.bad()


def test_a_fault_ends_the_time_that_a_decision_has() -> None:
    trace = at_rest()
    state(trace, "PrepareCommit")
    trace.wait(1)
    trace.fault(1)
    trace.wait(LATE_S)
    trace.heal(1)
    trace.wait(1)
    state(trace, "CompleteCommit", "PrepareCommit")
    assert trace.holds("L13")
