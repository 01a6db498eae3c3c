"""The rule of idempotent producers: each batch of a producer is written once, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cluster.model.errors import ErrorCode
from cluster.model.ruling import Numbers, Ruling, rule
from cluster.replication.producer_state import SEQUENCE_MAX, ProducerEntry, SequencedBatch, last_sequence_of


class SequenceCheck(NamedTuple):
    """What becomes of a batch with a sequence number."""

    error: ErrorCode = ErrorCode.NONE
    """Why it is refused, or none."""
    duplicate: SequencedBatch | None = None
    """Where the same batch already stands; then it is not written again."""


WRITE = SequenceCheck()


@rule(source="KIP-98", kafka="ProducerAppendInfo.checkSequence")
def check_sequence(
    entry: ProducerEntry | None, producer_id: int, epoch: int, base_sequence: int, count: int
) -> Ruling[SequenceCheck]:
    """A batch is written when it is the next of its producer; one that is there already is acknowledged again.

    An older epoch of the producer is fenced. A producer that the log knows nothing of may begin anywhere: its earlier
    records may have been deleted.

    Args:
        entry: what the log holds of this producer; None for nothing.
        epoch: of the producer, as the batch says.
        count: records in the batch.
    """
    if entry is not None and epoch == entry.epoch and base_sequence == (entry.last_sequence + 1) & SEQUENCE_MAX:
        return Ruling(WRITE, True, "the next of this producer")  # nearly always
    numbers: Numbers = {
        "producer_id": producer_id,
        "producer_epoch": epoch,
        "base_sequence": base_sequence,
        "count": count,
    }
    if entry is None:
        return Ruling(WRITE, True, "the log knows nothing of this producer", numbers)
    numbers["known_epoch"] = entry.epoch
    if epoch < entry.epoch:
        reason = "a newer epoch of this producer has written"
        return Ruling(SequenceCheck(ErrorCode.INVALID_PRODUCER_EPOCH), False, reason, numbers)
    if base_sequence < 0:
        return Ruling(WRITE, True, "a coordinator wrote it, which counts no sequences", numbers)
    out_of_order = SequenceCheck(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
    if epoch > entry.epoch:
        if base_sequence == 0:
            return Ruling(WRITE, True, "a new epoch begins with sequence 0", numbers)
        return Ruling(out_of_order, False, "a new epoch has to begin with sequence 0", numbers)
    numbers["last_sequence"] = entry.last_sequence
    written = find_duplicate(entry.batches, base_sequence, last_sequence_of(base_sequence, count))
    if written is not None:
        numbers["written_at"] = written.base_offset
        reason = "one of the last five batches of this producer: it is written already"
        return Ruling(SequenceCheck(duplicate=written), False, reason, numbers)
    reason = f"not the next of this producer, which is {(entry.last_sequence + 1) & SEQUENCE_MAX}"
    return Ruling(out_of_order, False, reason, numbers)


def find_duplicate(batches: Sequence[SequencedBatch], base_sequence: int, last_sequence: int) -> SequencedBatch | None:
    """The batch with exactly these sequence numbers, if it is among the newest."""
    return next((each for each in batches if each[:2] == (base_sequence, last_sequence)), None)
