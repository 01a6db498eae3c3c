"""A coordinator's records go through the same append as those of producers, with acks=all. Source: CoordinatorRuntime.

The coordinator asks its own broker, the partition's leader. What is committed is applied in the order of the log, also
when whoever asked for it has given up waiting: a later coordinator would read it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from cluster.coordination.led_partition import Coordination, LedPartition, Write
from cluster.model.effects import CancelTimer, Effect, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Offset
from cluster.model.messages import ProduceRequest, ProduceResponse
from cluster.model.record_batch import Record, encode_batch

Answer: TypeAlias = Callable[[ErrorCode, int], list[Effect]]
"""What to do for who asked, told what became of the records, and the time."""
FOREVER_MS = (1 << 31) - 1
"""The partition's leader never gives up waiting for replicas; the coordinator's own timer answers who asked."""
_UNAVAILABLE = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.REQUEST_TIMED_OUT,
)
_OF_TRANSACTIONS = (
    ErrorCode.INVALID_PRODUCER_EPOCH,
    ErrorCode.INVALID_TXN_STATE,
    ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.TRANSACTION_ABORTABLE,
)


class InTransaction(NamedTuple):
    """The transaction that records are part of."""

    transactional_id: str | None
    """None for records that count by themselves."""
    producer_id: int
    producer_epoch: int
    adds_partition: bool
    """The leader adds the partition to it."""


OUTSIDE = InTransaction(None, -1, -1, adds_partition=False)


def write(
    shared: Coordination,
    shard: LedPartition,
    records: Sequence[Record],
    apply: Callable[[Offset], list[Effect]],
    answer: Answer,
    done: Callable[[int], list[Effect]] | None = None,
    transaction: InTransaction = OUTSIDE,
) -> list[Effect]:
    """Append records; apply them once they are committed, answer then, or when that takes too long.

    `done` is called with the time, last of all, once it is known whether the records are there.
    """
    correlation = shared.number()
    timer = f"{shared.prefix}.write.{correlation}"
    shared.writes[correlation] = Write(partition=shard.partition, timer=timer, apply=apply, answer=answer, done=done)
    request = ProduceRequest(
        client_id=shared.client_id,
        topic=shared.topic,
        partition=shard.partition,
        acks=-1,
        timeout_ms=FOREVER_MS,
        records=encode_batch(
            records,
            transactional=transaction is not OUTSIDE,
            sequenced=(transaction.producer_id, transaction.producer_epoch, -1),
        ),
        transactional_id=transaction.transactional_id,
        adds_partition=transaction.adds_partition,
    )
    return [SetTimer(timer, shared.patience_ms), Send(shared.broker_id, request, correlation)]


def on_response(shared: Coordination, correlation: int, response: ProduceResponse, now_ms: int) -> list[Effect]:
    """The records are committed, or were refused, or the leadership is over."""
    written = shared.writes.pop(correlation, None)
    if written is None:
        return []
    effects: list[Effect] = [CancelTimer(written.timer)]
    is_there = response.error in (ErrorCode.NONE, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
    if is_there:
        effects += written.apply(response.base_offset)
    effects += _answer(written, told(response.error), now_ms)
    if written.done is not None:
        effects += written.done(now_ms)
    return effects


def on_timeout(shared: Coordination, name: str, now_ms: int) -> list[Effect]:
    """Replicas take too long: who asked is told so; the records may be committed later."""
    written = shared.writes.get(int(name.rpartition(".")[2]))
    return [] if written is None else _answer(written, ErrorCode.COORDINATOR_NOT_AVAILABLE, now_ms)


def drop(shared: Coordination, partition: int, now_ms: int) -> list[Effect]:
    """The partition has another leader now: what becomes of the records is for it to know."""
    effects: list[Effect] = []
    for correlation, written in [item for item in shared.writes.items() if item[1].partition == partition]:
        del shared.writes[correlation]
        effects += [CancelTimer(written.timer), *_answer(written, ErrorCode.NOT_COORDINATOR, now_ms)]
    return effects


def told(error: int) -> ErrorCode:
    """An error of the append as members are told it. Source: CoordinatorOperationExceptionHelper.

    Of a record that is too large Kafka says UNKNOWN_SERVER_ERROR; its number, -1, means no answer between nodes here.
    """
    if error == ErrorCode.NONE:
        return ErrorCode.NONE
    if error in _UNAVAILABLE:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    if error in _OF_TRANSACTIONS:
        return ErrorCode(error)
    if error == ErrorCode.MESSAGE_TOO_LARGE:
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.NOT_COORDINATOR


def _answer(written: Write, error: ErrorCode, now_ms: int) -> list[Effect]:
    answer, written.answer = written.answer, None
    return [] if answer is None else answer(error, now_ms)


def nothing(_offset: Offset) -> list[Effect]:
    """For records whose commit changes nothing that is told."""
    return []


def nobody(_error: ErrorCode, _now_ms: int) -> list[Effect]:
    """For records that nobody waits for."""
    return []
