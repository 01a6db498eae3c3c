"""How a transactional id may stand, and what may follow."""

from __future__ import annotations

import pytest

from cluster.transactions.state import (
    AT_REST,
    NO_PRODUCER_ID,
    PREPARED,
    PRODUCER_EPOCH_MAX,
    TRANSITIONS,
    Kept,
    Transaction,
    TransactionState,
)

IDLE = Transaction(transactional_id="t", producer_id=7)


@pytest.mark.parametrize(("decided", "complete"), [
    (TransactionState.PREPARE_COMMIT, TransactionState.COMPLETE_COMMIT),
    (TransactionState.PREPARE_ABORT, TransactionState.COMPLETE_ABORT),
])  # fmt: skip
def test_what_is_decided_is_carried_out_and_never_decided_anew(
    decided: TransactionState, complete: TransactionState
) -> None:
    assert TRANSITIONS[decided] == {complete}
    assert [before for before in TransactionState if complete in TRANSITIONS[before]] == [decided]


def test_an_open_transaction_is_decided_before_the_id_rests_or_is_forgotten() -> None:
    assert TRANSITIONS[TransactionState.ONGOING] == {TransactionState.ONGOING, *PREPARED}
    assert {state for state in TransactionState if TransactionState.DEAD in TRANSITIONS[state]} == AT_REST


def test_a_commit_is_of_a_transaction_that_is_open() -> None:
    before = [state for state in TransactionState if TransactionState.PREPARE_COMMIT in TRANSITIONS[state]]
    assert before == [TransactionState.ONGOING]


def test_every_state_has_its_next_ones_and_only_the_dead_have_none() -> None:
    assert set(TRANSITIONS) == set(TransactionState)
    assert [state for state in TransactionState if not TRANSITIONS[state]] == [TransactionState.DEAD]


def test_who_fences_a_producer_has_an_epoch_left_that_kafka_s_16_bits_hold() -> None:
    assert PRODUCER_EPOCH_MAX + 1 == 2**15 - 1


def test_nothing_changes_while_a_record_or_a_producer_id_is_on_its_way() -> None:
    assert not Kept(number=1, now=IDLE).is_changing
    assert Kept(number=1, next=IDLE).is_changing
    assert Kept(number=1, now=IDLE, wants_id=True).is_changing


def test_each_id_has_a_timer_of_its_own_for_markers() -> None:
    assert Kept(number=1).marker_timer != Kept(number=2).marker_timer


def test_a_new_id_is_empty_and_has_no_transaction() -> None:
    assert (IDLE.state, IDLE.partitions, IDLE.started_ms) == (TransactionState.EMPTY, frozenset(), -1)
    assert IDLE.next_producer_id == IDLE.previous_producer_id == NO_PRODUCER_ID
