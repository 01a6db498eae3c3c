"""A producer begins with a transactional id: it gets a larger epoch than anybody before. Source: KIP-98, KIP-360."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.coordination.led_partition import Asker
from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.messages import InitProducerIdRequest, InitProducerIdResponse
from cluster.model.ruling import Decision
from cluster.transactions import rules
from cluster.transactions.changing import change, refuse, want_id
from cluster.transactions.ending import fence
from cluster.transactions.marking import Cluster
from cluster.transactions.rules import Init
from cluster.transactions.state import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    Kept,
    Shard,
    Shared,
    Transaction,
    TransactionState,
)


def on_init(
    shared: Shared, shard: Shard, asker: Asker, request: InitProducerIdRequest, cluster: Cluster, now_ms: int
) -> list[Effect]:
    """Give it its producer id and epoch, once they are committed."""
    name = request.transactional_id
    assert name is not None
    kept_before = shard.kept.get(name)
    allowed = rules.may_have_timeout(request.transaction_timeout_ms, shared.settings.transaction_max_timeout_ms)
    if not allowed.granted:
        return _refuse(asker, request, kept_before, allowed.value, allowed.decision)
    kept = kept_before or Kept(number=shared.number())
    outcome, decision = rules.init_producer(kept, request.producer_id, request.producer_epoch).with_evidence
    if isinstance(outcome, ErrorCode):
        return _refuse(asker, request, kept_before, outcome, decision)
    shard.kept[name] = kept
    if outcome is Init.NEW_ID:
        return _with_new_id(shared, shard, kept, asker, request, decision)
    assert kept.now is not None
    if outcome is Init.AGAIN:
        return [Send(asker.sender, _given(kept.now), asker.correlation)]
    if outcome is Init.FENCE:

        def come_again(_error: ErrorCode, _now_ms: int) -> list[Effect]:
            return _refuse(asker, request, kept, ErrorCode.CONCURRENT_TRANSACTIONS, decision)

        why = "the next producer of its transactional id begins"
        return fence(shared, shard, kept, why, cluster, now_ms, decision, come_again)
    has_id = request.producer_id != NO_PRODUCER_ID
    given = replace(
        kept.now,
        producer_epoch=rules.next_epoch(kept.now),
        last_epoch=kept.now.producer_epoch if has_id else NO_PRODUCER_EPOCH,
        previous_producer_id=NO_PRODUCER_ID,
        timeout_ms=request.transaction_timeout_ms,
        state=TransactionState.EMPTY,
        updated_ms=now_ms,
    )
    return _write(shared, shard, kept, given, asker, request, decision)


def _with_new_id(
    shared: Shared, shard: Shard, kept: Kept, asker: Asker, request: InitProducerIdRequest, decision: Decision
) -> list[Effect]:
    name, was = request.transactional_id, kept.now
    assert name is not None

    def take(producer_id: int, error: ErrorCode, now_ms: int) -> list[Effect]:
        if error != ErrorCode.NONE:
            if kept.now is None:
                shard.kept.pop(name, None)
            return _refuse(asker, request, kept, error)
        has_id = was is not None and request.producer_id != NO_PRODUCER_ID
        given = Transaction(
            transactional_id=name,
            producer_id=producer_id,
            producer_epoch=0,
            last_epoch=was.producer_epoch if has_id and was is not None else NO_PRODUCER_EPOCH,
            previous_producer_id=was.producer_id if has_id and was is not None else NO_PRODUCER_ID,
            timeout_ms=request.transaction_timeout_ms,
            updated_ms=now_ms,
        )
        return _write(shared, shard, kept, given, asker, request, decision)

    return want_id(shared, shard, kept, take)


def _write(
    shared: Shared,
    shard: Shard,
    kept: Kept,
    given: Transaction,
    asker: Asker,
    request: InitProducerIdRequest,
    decision: Decision,
) -> list[Effect]:
    def answer(error: ErrorCode, _now_ms: int) -> list[Effect]:
        if error != ErrorCode.NONE:
            return _refuse(asker, request, kept, error)
        return [Send(asker.sender, _given(given), asker.correlation)]

    return change(shared, shard, kept, given, "a producer begins", decision=decision, answer=answer)


def _given(now: Transaction) -> InitProducerIdResponse:
    return InitProducerIdResponse(producer_id=now.producer_id, producer_epoch=now.producer_epoch)


def _refuse(
    asker: Asker, request: InitProducerIdRequest, kept: Kept | None, error: ErrorCode, decision: Decision | None = None
) -> list[Effect]:
    key = request.transactional_id or "", request.producer_id, request.producer_epoch
    return refuse(asker, "InitProducerId", key, kept, InitProducerIdResponse(error=error), error, decision)
