"""Every answer to "is this the next batch of that producer?"."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.replication.producer_state import SEQUENCE_MAX, ProducerEntry, SequencedBatch, last_sequence_of
from cluster.replication.rules.idempotent_producer import check_sequence, find_duplicate

NONE, GAP, OLD = ErrorCode.NONE, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.INVALID_PRODUCER_EPOCH


def entry_of(epoch: int, *batches: tuple[int, int]) -> ProducerEntry:
    """Batches as (first, last) sequence; each stands at ten times its first sequence."""
    entry = ProducerEntry(epoch)
    for first, last in batches:
        entry.batches.append(SequencedBatch(first, last, first * 10, first * 10 + last - first + 1))
    return entry


@pytest.mark.parametrize("base_sequence", [0, 7, SEQUENCE_MAX])
@pytest.mark.parametrize("epoch", [0, 3])
def test_a_producer_that_the_log_does_not_know_may_begin_anywhere(base_sequence: int, epoch: int) -> None:
    ruling = check_sequence(None, 9, epoch, base_sequence, 1)
    assert (ruling.value.error, ruling.value.duplicate, ruling.granted) == (NONE, None, True)


@pytest.mark.parametrize(
    ("epoch", "base_sequence", "count", "error"),
    [
        (4, 15, 1, NONE),
        (4, 15, 100, NONE),
        (4, 16, 1, GAP),
        (4, 0, 1, GAP),
        (4, 10, 3, GAP),
        (4, 10, 6, GAP),
        (3, 15, 1, OLD),
        (3, 10, 5, OLD),
        (5, 0, 1, NONE),
        (5, 15, 1, GAP),
    ],
)
def test_what_may_follow_sequence_14_of_epoch_4(epoch: int, base_sequence: int, count: int, error: ErrorCode) -> None:
    ruling = check_sequence(entry_of(4, (0, 9), (10, 14)), 9, epoch, base_sequence, count)
    assert (ruling.value.error, ruling.value.duplicate, ruling.granted) == (error, None, error == NONE)
    assert bool(ruling.numbers) == (error != NONE or epoch != 4), "what simply goes on needs no numbers"
    told = {"producer_id": 9, "producer_epoch": epoch, "base_sequence": base_sequence, "count": count, "known_epoch": 4}
    assert error == NONE or told.items() <= ruling.numbers.items()


def test_one_of_the_last_five_batches_is_a_duplicate_and_an_older_one_is_out_of_order() -> None:
    entry = entry_of(0, *((at * 2, at * 2 + 1) for at in range(7)))
    for at in range(2, 7):
        ruling = check_sequence(entry, 9, 0, at * 2, 2)
        assert (ruling.value.error, ruling.granted) == (NONE, False), "acknowledged, and not written again"
        assert ruling.value.duplicate is not None
        assert ruling.value.duplicate.base_offset == at * 20
        assert ruling.numbers["written_at"] == at * 20
    assert check_sequence(entry, 9, 0, 2, 2).value.error == GAP


@pytest.mark.parametrize("epoch", [4, 5])
def test_what_a_coordinator_writes_for_a_producer_counts_no_sequences(epoch: int) -> None:
    ruling = check_sequence(entry_of(4, (10, 14)), 9, epoch, -1, 1)
    assert (ruling.value.error, ruling.value.duplicate, ruling.granted) == (NONE, None, True)


def test_a_duplicate_has_both_ends_in_common() -> None:
    batches = entry_of(0, (0, 4), (5, 9)).batches
    assert find_duplicate(batches, 5, 9) == batches[1]
    assert find_duplicate(batches, 5, 8) is None
    assert find_duplicate(batches, 0, 9) is None


def test_after_the_largest_sequence_number_comes_0() -> None:
    assert last_sequence_of(SEQUENCE_MAX - 1, 2) == SEQUENCE_MAX
    assert last_sequence_of(SEQUENCE_MAX - 1, 4) == 1
    full = entry_of(0, (SEQUENCE_MAX - 1, SEQUENCE_MAX))
    assert check_sequence(full, 9, 0, 0, 1).value.error == NONE
    assert check_sequence(full, 9, 0, 1, 1).value.error == GAP


def test_a_refusal_shows_the_numbers_it_compared() -> None:
    ruling = check_sequence(entry_of(4, (10, 14)), 9, 4, 17, 2)
    assert ruling.reason == "not the next of this producer, which is 15"
    assert ruling.numbers == {
        "producer_id": 9,
        "producer_epoch": 4,
        "base_sequence": 17,
        "count": 2,
        "known_epoch": 4,
        "last_sequence": 14,
    }
