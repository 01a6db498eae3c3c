"""The rules of a coordinator of transactions, each at its bounds."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.transactions import rules
from cluster.transactions.rules import End, Init
from cluster.transactions.state import PRODUCER_EPOCH_MAX, TRANSITIONS, Kept, Transaction, TransactionState

S = TransactionState
NOW = Transaction(transactional_id="t", producer_id=7, producer_epoch=3, timeout_ms=100)


def kept(state: TransactionState = S.ONGOING, **changes: object) -> Kept:
    return Kept(number=1, now=replace(NOW, state=state, **changes))


ROTATED = kept(S.EMPTY, producer_epoch=0, last_epoch=PRODUCER_EPOCH_MAX, previous_producer_id=6)
"""Its last change brought a new producer id: the epochs of the one before were used up."""


@pytest.mark.parametrize(("timeout_ms", "granted"), [(0, False), (1, True), (10, True), (11, False)])
def test_a_timeout_lies_between_one_and_the_largest(timeout_ms: int, granted: bool) -> None:
    ruling = rules.may_have_timeout(timeout_ms, 10)
    assert ruling.granted is granted
    assert ruling.reason == f"the brokers {'allow' if granted else 'do not allow'} this timeout"
    assert ruling.numbers == {"timeout_ms": timeout_ms, "most_ms": 10}


@pytest.mark.parametrize(
    ("known", "asks", "answer"),
    [
        (Kept(number=1), (-1, -1), Init.NEW_ID),
        (kept(S.EMPTY), (-1, -1), Init.BUMP),
        (kept(S.COMPLETE_ABORT), (7, 3), Init.BUMP),
        (kept(S.EMPTY, last_epoch=2), (7, 2), Init.AGAIN),
        (ROTATED, (6, PRODUCER_EPOCH_MAX), Init.AGAIN),
        (ROTATED, (6, 2), ErrorCode.PRODUCER_FENCED),
        (ROTATED, (7, PRODUCER_EPOCH_MAX), ErrorCode.PRODUCER_FENCED),
        (kept(S.EMPTY), (7, 2), ErrorCode.PRODUCER_FENCED),
        (kept(S.EMPTY), (8, 3), ErrorCode.PRODUCER_FENCED),
        (kept(S.ONGOING), (-1, -1), Init.FENCE),
        (kept(S.PREPARE_COMMIT), (-1, -1), ErrorCode.CONCURRENT_TRANSACTIONS),
        (kept(S.EMPTY, producer_epoch=PRODUCER_EPOCH_MAX), (-1, -1), Init.NEW_ID),
        (kept(S.EMPTY, producer_epoch=PRODUCER_EPOCH_MAX - 1), (-1, -1), Init.BUMP),
        (Kept(number=1, now=NOW, next=NOW), (-1, -1), ErrorCode.CONCURRENT_TRANSACTIONS),
        (kept(S.EMPTY), (7, -1), ErrorCode.INVALID_REQUEST),
    ],
)
def test_what_a_producer_gets_that_begins(known: Kept, asks: tuple[int, int], answer: Init | ErrorCode) -> None:
    ruling = rules.init_producer(known, *asks)
    assert (ruling.value, ruling.granted) == (answer, isinstance(answer, Init))
    assert {"producer_id": asks[0], "producer_epoch": asks[1]}.items() <= ruling.numbers.items()


def test_who_begins_sees_the_id_and_the_epoch_that_are_known() -> None:
    assert rules.init_producer(kept(S.EMPTY), 7, 2).numbers == {
        "producer_id": 7,
        "producer_epoch": 2,
        "known_id": 7,
        "known_epoch": 3,
    }


@pytest.mark.parametrize("asks", [(0, -1), (-1, 0)])
def test_an_id_is_named_with_its_epoch_or_not_at_all(asks: tuple[int, int]) -> None:
    assert rules.init_producer(kept(S.EMPTY), *asks).value == ErrorCode.INVALID_REQUEST
    of_first = kept(S.EMPTY, producer_id=0, producer_epoch=0)
    assert rules.init_producer(of_first, 0, 0).value == Init.BUMP


@pytest.mark.parametrize(
    ("known", "asks", "error"),
    [
        (None, (7, 3), ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        (kept(), (8, 3), ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        (kept(), (7, 2), ErrorCode.PRODUCER_FENCED),
        (kept(), (7, 4), ErrorCode.PRODUCER_FENCED),
        (kept(S.PREPARE_ABORT), (7, 3), ErrorCode.CONCURRENT_TRANSACTIONS),
        (kept(S.EMPTY), (7, 3), ErrorCode.NONE),
        (kept(), (7, 3), ErrorCode.NONE),
    ],
)
def test_who_may_add_partitions(known: Kept | None, asks: tuple[int, int], error: ErrorCode) -> None:
    ruling = rules.may_add(known, *asks)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)


def test_a_refusal_tells_the_id_or_the_epoch_that_is_known() -> None:
    assert rules.may_add(None, 7, 3).numbers == {"producer_id": 7, "known_id": -1}
    assert rules.may_add(kept(), 8, 3).numbers == {"producer_id": 8, "known_id": 7}
    assert rules.may_add(kept(), 7, 2).numbers == {"producer_epoch": 2, "known_epoch": 3}
    busy = kept()
    busy.wants_id = True
    refused = rules.may_add(busy, 7, 3)
    assert refused.value == ErrorCode.CONCURRENT_TRANSACTIONS
    assert refused.numbers == {"state": "Ongoing", "producer_epoch": 3, "is changing": 1}


@pytest.mark.parametrize(
    ("known", "is_part", "error"),
    [
        (kept(), True, ErrorCode.NONE),
        (kept(), False, ErrorCode.TRANSACTION_ABORTABLE),
        (kept(S.COMPLETE_COMMIT), True, ErrorCode.TRANSACTION_ABORTABLE),
        (None, True, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
    ],
)
def test_a_partition_is_part_of_an_open_transaction_or_not(known: Kept | None, is_part: bool, error: ErrorCode) -> None:
    ruling = rules.is_in_transaction(known, 7, 3, is_part=is_part)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    assert ruling.granted is (ruling.reason == "the partition is part of the transaction")
    assert known is None or ruling.numbers["is_part"] == is_part


@pytest.mark.parametrize(
    ("known", "epoch", "committed", "bumps", "answer"),
    [
        (kept(), 3, True, False, End.DECIDE),
        (kept(S.COMPLETE_COMMIT), 3, True, False, End.AGAIN),
        (kept(S.COMPLETE_COMMIT), 3, False, False, ErrorCode.INVALID_TXN_STATE),
        (kept(S.COMPLETE_COMMIT), 3, True, True, ErrorCode.INVALID_TXN_STATE),
        (kept(S.PREPARE_COMMIT), 3, True, False, ErrorCode.CONCURRENT_TRANSACTIONS),
        (kept(S.PREPARE_COMMIT), 3, False, False, ErrorCode.INVALID_TXN_STATE),
        (kept(S.EMPTY), 3, True, False, ErrorCode.INVALID_TXN_STATE),
        (kept(S.EMPTY), 3, False, False, ErrorCode.INVALID_TXN_STATE),
        (kept(S.EMPTY), 3, False, True, End.DECIDE),
        (kept(S.EMPTY), 3, True, True, ErrorCode.INVALID_TXN_STATE),
        (kept(S.COMPLETE_COMMIT, last_epoch=2), 2, True, True, End.AGAIN),
        (kept(S.COMPLETE_COMMIT, last_epoch=2), 2, False, True, ErrorCode.INVALID_TXN_STATE),
        (kept(S.COMPLETE_ABORT), 2, False, True, ErrorCode.PRODUCER_FENCED),
        (kept(S.PREPARE_ABORT, last_epoch=2), 2, False, True, ErrorCode.CONCURRENT_TRANSACTIONS),
        (kept(S.PREPARE_COMMIT, last_epoch=2), 2, False, True, ErrorCode.INVALID_TXN_STATE),
        (kept(S.COMPLETE_COMMIT, last_epoch=2), 2, True, False, ErrorCode.PRODUCER_FENCED),
        (kept(S.ONGOING, last_epoch=2), 2, True, True, ErrorCode.PRODUCER_FENCED),
        (kept(S.COMPLETE_COMMIT), -1, True, True, ErrorCode.PRODUCER_FENCED),
        (kept(S.EMPTY, last_epoch=2), 2, False, True, ErrorCode.PRODUCER_FENCED),
        (kept(S.EMPTY, last_epoch=2), 2, True, True, ErrorCode.PRODUCER_FENCED),
        (kept(S.DEAD), 3, False, True, ErrorCode.INVALID_TXN_STATE),
        (kept(S.PREPARE_COMMIT, last_epoch=2), 3, True, True, ErrorCode.PRODUCER_FENCED),
        (kept(S.PREPARE_COMMIT, last_epoch=2), 3, False, True, ErrorCode.PRODUCER_FENCED),
        (None, 3, True, True, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
    ],
)
def test_how_a_transaction_may_end(
    known: Kept | None, epoch: int, committed: bool, bumps: bool, answer: End | ErrorCode
) -> None:
    ruling = rules.end_transaction(known, 7, epoch, committed=committed, bumps_epoch=bumps)
    assert (ruling.value, ruling.granted) == (answer, isinstance(answer, End))


def test_a_transaction_has_its_timeout_and_no_more() -> None:
    now = replace(NOW, state=S.ONGOING, started_ms=50)
    in_time, late = (rules.transaction_timed_out(now, now_ms) for now_ms in (149, 150))
    assert (in_time.value, in_time.granted, in_time.reason) == (False, False, "it has time")
    assert (late.value, late.granted, late.reason) == (True, True, "it is open for too long")
    assert late.numbers == {"open_ms": 100, "timeout_ms": 100}
    assert not rules.transaction_timed_out(replace(now, state=S.PREPARE_COMMIT), 9_999).granted


def test_an_id_is_forgotten_after_its_time_unless_a_transaction_is_on() -> None:
    used, unused = (rules.transactional_id_expired(NOW, now_ms, 100) for now_ms in (99, 100))
    assert (used.value, used.granted, used.reason) == (False, False, "it is in use")
    assert (unused.value, unused.granted, unused.reason) == (True, True, "it was not used for long")
    assert unused.numbers == {"unused_ms": 100, "expiration_ms": 100}
    assert not rules.transactional_id_expired(replace(NOW, state=S.ONGOING), 100, 100).granted


def test_the_epoch_grows_by_one() -> None:
    assert rules.next_epoch(NOW) == 4
    assert rules.next_epoch(replace(NOW, producer_epoch=-1)) == 0


def test_a_decision_has_one_end() -> None:
    assert TRANSITIONS[S.PREPARE_COMMIT] == {S.COMPLETE_COMMIT}
    assert TRANSITIONS[S.PREPARE_ABORT] == {S.COMPLETE_ABORT}
    assert set(TRANSITIONS) == set(TransactionState)
    assert TopicPartition("a", 0) not in NOW.partitions


def test_nothing_ends_while_another_change_of_the_id_is_on_its_way() -> None:
    busy = kept()
    busy.wants_id = True
    ruling = rules.end_transaction(busy, 7, 3, committed=True, bumps_epoch=False)
    assert (ruling.value, ruling.granted) == (ErrorCode.CONCURRENT_TRANSACTIONS, False)
    begins = rules.init_producer(busy, -1, -1)
    assert begins.value == ErrorCode.CONCURRENT_TRANSACTIONS
    assert ruling.numbers["is changing"] == begins.numbers["is changing"] == 1


@pytest.mark.parametrize(("committed", "bumps"), [(True, False), (False, False), (True, True)])
def test_who_ends_what_is_not_open_sees_what_it_asked_for(committed: bool, bumps: bool) -> None:  # noqa: FBT001
    ruling = rules.end_transaction(kept(S.EMPTY), 7, 3, committed=committed, bumps_epoch=bumps)
    assert ruling.numbers == {
        "state": "Empty", "producer_epoch": 3, "known_epoch": 3, "commits": int(committed), "bumps epoch": int(bumps),
    }  # fmt: skip
