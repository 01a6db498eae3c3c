"""TX2 to TX5: what coordinators decide, leaders mark and producers write."""

from __future__ import annotations

import pytest

from cluster.invariants.checker import Checker
from cluster.model import events as ev
from tests.support.traces.transactional import COORDINATOR, ID, PRODUCER, Transactional
from tests.support.traces.transactions_played import transactions_and_a_move


def begun(**settings: object) -> Transactional:
    """One committed transaction, and the id at rest."""
    trace = Transactional(**settings)
    trace.state("Empty")
    trace.whole()
    return trace


def test_transactions_one_after_the_other_are_quiet() -> None:
    trace = begun()
    trace.whole(committed=False, before="CompleteCommit")
    trace.whole(epoch=1, before="Empty")
    assert trace.holds("TX2", "TX3", "TX4", "TX5")


def test_tx2_a_marker_against_the_decision() -> None:
    trace = begun()
    trace.state("Ongoing", "CompleteCommit")
    trace.write()
    trace.state("PrepareAbort", "Ongoing")
    trace.mark(committed=True)
    assert "a marker to commit a transaction of producer 7; its coordinator says PrepareAbort" in trace.sentence("TX2")


def test_tx2_a_marker_before_the_decision() -> None:
    trace = begun()
    trace.state("Ongoing", "CompleteCommit")
    trace.write()
    trace.mark(committed=True)
    assert "its coordinator says Ongoing" in trace.sentence("TX2")


def test_tx2_is_excused_where_an_administrator_ends_a_transaction() -> None:
    trace = begun()
    trace.state("Ongoing", "CompleteCommit")
    trace.write()
    trace.mark(committed=False, by_client=True)
    assert trace.excuse("TX2") == "A13"


def test_tx2_a_decision_that_the_next_coordinator_turns_round() -> None:
    trace = begun()
    trace.state("Ongoing", "CompleteCommit")
    trace.state("PrepareCommit", "Ongoing")
    trace.add(
        COORDINATOR,
        ev.TransactionCoordinatorLoaded(
            partition=0, leader_epoch=1, end_offset=9, transactions=((ID, "PrepareAbort", PRODUCER, 0),)
        ),
    )
    assert trace.sentence("TX2") == "it was decided to commit a transaction of producer 7, which is PrepareAbort now"


def test_tx3_complete_without_a_marker() -> None:
    trace = begun()
    trace.state("Ongoing", "CompleteCommit")
    trace.write()
    trace.state("PrepareAbort", "Ongoing")
    trace.state("CompleteAbort", "PrepareAbort")
    assert "producer 7 complete, and orders-0 has no marker of it" in trace.sentence("TX3")


def test_tx4_an_older_epoch_writes_behind_its_marker() -> None:
    trace = begun()
    trace.whole(committed=False, epoch=1, before="Empty")
    trace.write(epoch=0)
    assert "writes to orders-0 in epoch 0; its epoch there was 1" in trace.sentence("TX4")


def test_tx5_a_late_record_begins_a_transaction_that_nobody_ends() -> None:
    trace = begun()
    trace.write()
    assert trace.holds("TX5"), "a deposed leader may write what nobody commits"
    trace.advance(1, trace.end)
    assert "begins a transaction in orders-0 at offset 2; its coordinator has no transaction of it" in (
        trace.sentence("TX5")
    )


def test_tx5_a_record_behind_the_marker_of_a_decided_transaction() -> None:
    trace = begun()
    trace.state("Ongoing", "CompleteCommit")
    trace.write()
    trace.state("PrepareAbort", "Ongoing")
    trace.mark(committed=False)
    trace.write()
    trace.advance(1, trace.end)
    assert "the marker of its transaction is written there already" in trace.sentence("TX5")


def test_tx5_a_partition_that_is_not_counted_in() -> None:
    trace = begun()
    trace.state("Ongoing", "CompleteCommit", partitions=(("users", 0),))
    trace.write()
    trace.advance(1, trace.end)
    assert "its coordinator does not count the partition in" in trace.sentence("TX5")


@pytest.mark.parametrize(("untold", "is_wrong"), [(1, False), (0, True)])
def test_tx5_a_coordinator_that_resigns_may_have_counted_in_more_than_it_told(untold: int, is_wrong: bool) -> None:  # noqa: FBT001
    """Found by the swarm, seed 70079: the next coordinator read what the last one had written and not got to tell."""
    trace = begun()
    trace.state("Ongoing", "CompleteCommit", partitions=(("users", 0),))
    trace.add(
        COORDINATOR,
        ev.TransactionCoordinatorLoaded(
            partition=0, leader_epoch=1, end_offset=trace.record + 1 + untold,
            transactions=((ID, "Ongoing", PRODUCER, 0),),
        ),
    )  # fmt: skip
    trace.write()
    trace.advance(1, trace.end)
    assert trace.holds("TX5") is not is_wrong


def test_tx5_is_excused_where_leaders_do_not_ask() -> None:
    trace = begun(transaction_verification=False)
    trace.write()
    trace.advance(1, trace.end)
    assert trace.excuse("TX5") == "A12"


def test_tx3_a_deposed_leader_that_marks_later_hides_no_marker() -> None:
    """Found by the swarm, seed 77 with transactions: a leader that was paused wrote what it had been asked before."""
    trace = begun()
    trace.state("Ongoing", "CompleteCommit")
    trace.write()
    trace.state("PrepareAbort", "Ongoing")
    trace.mark(committed=False)
    trace.add(
        2,
        ev.MarkerWritten(
            topic="orders", partition=0, producer_id=PRODUCER, producer_epoch=0, committed=False, offset=trace.end + 5,
            first_offset=0, coordinator_epoch=0,
        ),
    )  # fmt: skip
    trace.state("CompleteAbort", "PrepareAbort")
    assert trace.holds("TX3")


def test_tx2_a_deposed_leader_and_coordinator_may_mark_its_own_log_late() -> None:
    """Found by the swarm, seed 1121 with transactions and fetch sessions: it was paused, and cut it away later."""
    trace = begun()
    trace.state("Ongoing", "CompleteCommit")
    trace.add(
        2,
        ev.MarkerWritten(
            topic="orders", partition=0, producer_id=PRODUCER, producer_epoch=0, committed=False, offset=trace.end,
            first_offset=-1, coordinator_epoch=0,
        ),
    )  # fmt: skip
    assert trace.holds("TX2")


def test_a_run_whose_producers_all_use_transactions_keeps_the_assumption_that_producers_are_idempotent() -> None:
    checker = Checker()
    checker.feed_all(transactions_and_a_move().entries)
    checker.finish()
    assert "A6" not in {item.assumption for item in checker.report.ledger.broken()}
