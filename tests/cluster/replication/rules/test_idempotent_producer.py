"""Which batches of a producer are written, by epoch and sequence number."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.replication.producer_state import SEQUENCE_MAX, ProducerEntry, SequencedBatch
from cluster.replication.rules.idempotent_producer import WRITE, SequenceCheck, check_sequence, find_duplicate

FENCED = SequenceCheck(ErrorCode.INVALID_PRODUCER_EPOCH)
OUT_OF_ORDER = SequenceCheck(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
NEWEST = SequencedBatch(5, 7, 40, 0)


def entry(last_sequence: int = 7) -> ProducerEntry:
    """Of a producer in epoch 2 whose newest batch is 5 to 7."""
    made = ProducerEntry(2)
    made.batches.append(SequencedBatch(5, last_sequence, 40, 0))
    return made


@pytest.mark.parametrize(
    ("epoch", "base", "count", "check"),
    [
        (2, 8, 1, WRITE),
        (2, 9, 1, OUT_OF_ORDER),
        (2, 7, 1, OUT_OF_ORDER),
        (2, 5, 3, SequenceCheck(duplicate=NEWEST)),
        (2, 5, 2, OUT_OF_ORDER),
        (2, 6, 2, OUT_OF_ORDER),
        (3, 0, 1, WRITE),
        (3, 8, 1, OUT_OF_ORDER),
        (3, 1, 1, OUT_OF_ORDER),
        (1, 8, 1, FENCED),
        (1, 0, 1, FENCED),
    ],
)
def test_what_becomes_of_a_batch(epoch: int, base: int, count: int, check: SequenceCheck) -> None:
    ruling = check_sequence(entry(), 9, epoch, base, count)
    assert (ruling.value, ruling.granted) == (check, check == WRITE)
    if not ruling.granted:
        told = {"producer_id": 9, "producer_epoch": epoch, "base_sequence": base, "count": count, "known_epoch": 2}
        assert told.items() <= ruling.numbers.items()
        assert ruling.numbers.get("written_at") == (40 if check.duplicate else None)


def test_a_producer_that_the_log_does_not_know_begins_anywhere() -> None:
    ruling = check_sequence(None, 9, 1, 5, 1)
    assert (ruling.value, ruling.granted) == (WRITE, True)


def test_sequence_numbers_begin_anew_after_the_largest() -> None:
    assert check_sequence(entry(SEQUENCE_MAX), 9, 2, 0, 1).value == WRITE
    assert check_sequence(entry(SEQUENCE_MAX), 9, 2, 1, 1).value == OUT_OF_ORDER


def test_a_duplicate_has_both_its_ends() -> None:
    assert find_duplicate([NEWEST], 5, 7) == NEWEST
    assert find_duplicate([NEWEST], 5, 6) is None
    assert find_duplicate([], 5, 7) is None
