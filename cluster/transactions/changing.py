"""One change of a transactional id: written, and in force once it is committed. Source: TransactionStateManager."""

from __future__ import annotations

from collections.abc import Callable

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import nobody, write
from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionRefused, TransactionStateChanged
from cluster.model.identifiers import Offset
from cluster.model.messages import InitProducerIdRequest, InitProducerIdResponse, Message
from cluster.model.ruling import Decision
from cluster.transactions.records import record_of
from cluster.transactions.state import TRANSITIONS, Kept, Shard, Shared, Transaction, TransactionState

Answer = Callable[[ErrorCode, int], list[Effect]]
Then = Callable[[int], list[Effect]]


def change(
    shared: Shared,
    shard: Shard,
    kept: Kept,
    to: Transaction,
    why: str,
    *,
    decision: Decision | None = None,
    answer: Answer = nobody,
    then: Then | None = None,
) -> list[Effect]:
    """Write how it is to stand.

    Args:
        answer: called once with how it went, or when that takes too long.
        then: called with the time once it is known whether it stands so now; see `kept.now`.
    """
    before = None if kept.now is None else kept.now.state
    assert before is None or to.state in TRANSITIONS[before], f"{before} may not become {to.state}"
    # One change at a time: each is judged by what is committed. A commit and the abort of a timeout that were both
    # judged by the same open transaction would both be right, and both be written.
    kept.next = to

    def apply(offset: Offset) -> list[Effect]:
        kept.now = to
        if to.state is TransactionState.DEAD:
            shard.kept.pop(to.transactional_id, None)
        return [Emit(changed(to, before, why, offset), decision)]

    def done(now_ms: int) -> list[Effect]:
        kept.next = None
        if kept.now is None:  # its first record was refused: nobody has the id
            shard.kept.pop(to.transactional_id, None)
        return [] if then is None else then(now_ms)

    return write(shared, shard, [record_of(to)], apply, answer, done)


def changed(to: Transaction, before: TransactionState | None, why: str, offset: Offset) -> TransactionStateChanged:
    """A change, as the trace tells it."""
    return TransactionStateChanged(
        transactional_id=to.transactional_id,
        producer_id=to.producer_id,
        producer_epoch=to.producer_epoch,
        state=str(to.state),
        before="" if before is None else str(before),
        partitions=tuple((where.topic, where.partition) for where in sorted(to.partitions)),
        why=why,
        offset=offset,
        started_ms=to.started_ms,
    )


def want_id(
    shared: Shared, shard: Shard, kept: Kept, then: Callable[[int, ErrorCode, int], list[Effect]]
) -> list[Effect]:
    """Ask this broker's stock for a producer id; nothing else of the transactional id changes meanwhile."""
    kept.wants_id = True

    def take(producer_id: int, error: ErrorCode, now_ms: int) -> list[Effect]:
        kept.wants_id = False
        return then(producer_id, error if shard.is_loaded else ErrorCode.NOT_COORDINATOR, now_ms)

    correlation = shared.number()
    shared.wanted_ids[correlation] = take
    return [Send(shared.broker_id, InitProducerIdRequest(client_id=shared.client_id), correlation)]


def on_id(shared: Shared, correlation: int, response: InitProducerIdResponse, now_ms: int) -> list[Effect]:
    """A producer id, or none for now."""
    take = shared.wanted_ids.pop(correlation, None)
    return [] if take is None else take(response.producer_id, ErrorCode(response.error), now_ms)


def refuse(
    asker: Asker,
    request: str,
    key: tuple[str, int, int],
    kept: Kept | None,
    answer: Message,
    error: ErrorCode,
    decision: Decision | None = None,
) -> list[Effect]:
    """Say no, and tell of it.

    Args:
        request: its name in Kafka's protocol.
        key: (transactional id, producer id, producer epoch) that it names.
    """
    now = None if kept is None else kept.now
    event = TransactionRefused(
        transactional_id=key[0],
        request=request,
        producer_id=key[1],
        producer_epoch=key[2],
        error=error,
        state="" if now is None else str(now.state),
        known_epoch=-1 if now is None else now.producer_epoch,
    )
    return [Emit(event, decision), Send(asker.sender, answer, asker.correlation)]
