"""Whether a batch of an idempotent producer continues its sequence, as pure functions. Source: KIP-98."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct, field

from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Offset

SEQUENCE_MAX = (1 << 31) - 1
BATCHES_KEPT = 5
"""As many requests as an idempotent producer may have in flight. Source: ProducerStateEntry.NUM_BATCHES_TO_RETAIN."""
SOURCE = "KIP-98, ProducerAppendInfo.checkSequence"


class SequencedBatch(NamedTuple):
    """Where a batch of a producer stands in the log."""

    base_sequence: int
    """Of its first record."""
    last_sequence: int
    """Of its last record."""
    base_offset: Offset
    """First record."""
    end_offset: Offset
    """Exclusive."""


class ProducerEntry(Struct):
    """What one log holds of one producer. Source: Kafka ProducerStateEntry."""

    epoch: int
    """Of its newest batch."""
    batches: deque[SequencedBatch] = field(default_factory=lambda: deque(maxlen=BATCHES_KEPT))
    """The newest, oldest first; all of the same epoch."""
    timestamp_ms: int = -1
    """Largest of its newest batch."""

    @property
    def last_sequence(self) -> int:
        """Of its newest record."""
        return self.batches[-1].last_sequence


class Judged(NamedTuple):
    """What becomes of a batch with a sequence number."""

    error: ErrorCode
    """Why it is refused, or none."""
    duplicate: SequencedBatch | None
    """Where the same batch already stands; then it is not written again."""
    decision: Decision | None
    """None for a batch that simply continues its sequence."""


def last_sequence_of(base_sequence: int, count: int) -> int:
    """Sequence number of the last of count records; after the largest comes 0. Source: DefaultRecordBatch."""
    return (base_sequence + count - 1) & SEQUENCE_MAX


def judge_sequence(entry: ProducerEntry | None, producer_id: int, epoch: int, base_sequence: int, count: int) -> Judged:
    """Whether a batch is the next of its producer, one that is there already, or neither.

    A producer that the log knows nothing of may begin anywhere: its earlier records may have been deleted.

    Args:
        entry: what the log holds of this producer; None for nothing.
        epoch: of the producer, as the batch says.
        count: records in the batch.
    """
    numbers: dict[str, int | str | list[int]] = {
        "producer_id": producer_id,
        "producer_epoch": epoch,
        "base_sequence": base_sequence,
        "count": count,
    }
    if entry is None:
        return Judged(ErrorCode.NONE, None, _decision(True, "the log knows nothing of this producer", numbers))
    numbers["known_epoch"] = entry.epoch
    if epoch < entry.epoch:
        reason = "a newer epoch of this producer has written"
        return Judged(ErrorCode.INVALID_PRODUCER_EPOCH, None, _decision(False, reason, numbers))
    if epoch > entry.epoch:
        begins = base_sequence == 0
        reason = "a new epoch begins with sequence 0" if begins else "a new epoch has to begin with sequence 0"
        error = ErrorCode.NONE if begins else ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        return Judged(error, None, _decision(begins, reason, numbers))
    if base_sequence == (entry.last_sequence + 1) & SEQUENCE_MAX:
        return Judged(ErrorCode.NONE, None, None)
    numbers["last_sequence"] = entry.last_sequence
    found = find_duplicate(entry.batches, base_sequence, last_sequence_of(base_sequence, count))
    if found is not None:
        numbers["written_at"] = found.base_offset
        reason = "one of the last five batches of this producer: it is written already"
        return Judged(ErrorCode.NONE, found, Decision("check_sequence", False, reason, SOURCE, numbers))
    reason = f"not the next of this producer, which is {(entry.last_sequence + 1) & SEQUENCE_MAX}"
    return Judged(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, None, _decision(False, reason, numbers))


def find_duplicate(batches: Sequence[SequencedBatch], base_sequence: int, last_sequence: int) -> SequencedBatch | None:
    """The batch with exactly these sequence numbers, if it is among the newest."""
    return next((each for each in batches if each[:2] == (base_sequence, last_sequence)), None)


def _decision(granted: bool, reason: str, numbers: dict[str, int | str | list[int]]) -> Decision:
    return Decision("check_sequence", granted, reason, SOURCE, numbers)
