"""A transaction ends: by its producer, by its timeout, or by the next producer of its id.

What is decided is written first, as PrepareCommit or PrepareAbort; then each partition gets its marker.
Source: Kafka TransactionCoordinator.endTransaction.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import nobody
from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.messages import EndTxnRequest, EndTxnResponse
from cluster.model.ruling import Decision
from cluster.transactions import marking, rules
from cluster.transactions.changing import Answer, change, refuse, want_id
from cluster.transactions.marking import Cluster
from cluster.transactions.rules import End
from cluster.transactions.state import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    PRODUCER_EPOCH_MAX,
    Kept,
    Shard,
    Shared,
    Transaction,
    TransactionState,
)


def on_end(
    shared: Shared, shard: Shard, asker: Asker, request: EndTxnRequest, cluster: Cluster, now_ms: int
) -> list[Effect]:
    """Commit or abort; the producer hears of it as soon as that is written down."""
    kept = shard.kept.get(request.transactional_id)
    outcome, decision = rules.end_transaction(
        kept,
        request.producer_id,
        request.producer_epoch,
        committed=request.committed,
        bumps_epoch=request.bumps_epoch,
    ).with_evidence
    key = request.transactional_id, request.producer_id, request.producer_epoch
    if isinstance(outcome, ErrorCode):
        return refuse(asker, "EndTxn", key, kept, EndTxnResponse(error=outcome), outcome, decision)
    assert kept is not None and kept.now is not None, "only a known transactional id is ended"
    if outcome is End.AGAIN:
        return [Send(asker.sender, _ended(kept.now, request), asker.correlation)]

    def answer(error: ErrorCode, _now_ms: int) -> list[Effect]:
        if error != ErrorCode.NONE:
            return refuse(asker, "EndTxn", key, kept, EndTxnResponse(error=error), error)
        assert kept.now is not None
        return [Send(asker.sender, _ended(kept.now, request), asker.correlation)]

    why = "its producer commits it" if request.committed else "its producer aborts it"
    if not request.bumps_epoch or kept.now.producer_epoch < PRODUCER_EPOCH_MAX:
        ended = _decided(kept.now, request.committed, now_ms, bumps_epoch=request.bumps_epoch)
        return decide(shared, shard, kept, ended, why, cluster, decision=decision, answer=answer)

    def with_id(producer_id: int, error: ErrorCode, then_ms: int) -> list[Effect]:
        if error != ErrorCode.NONE:
            return answer(error, then_ms)
        assert kept.now is not None
        ended = _decided(kept.now, request.committed, then_ms, bumps_epoch=True)
        ended = replace(ended, next_producer_id=producer_id)
        return decide(shared, shard, kept, ended, why, cluster, decision=decision, answer=answer)

    return want_id(shared, shard, kept, with_id)


def _ended(now: Transaction, request: EndTxnRequest) -> EndTxnResponse:
    """A producer of version 2 goes on with the next epoch, or with the next producer id where there is none."""
    if not request.bumps_epoch:
        return EndTxnResponse()
    if now.next_producer_id != NO_PRODUCER_ID:
        return EndTxnResponse(producer_id=now.next_producer_id, producer_epoch=0)
    return EndTxnResponse(producer_id=now.producer_id, producer_epoch=now.producer_epoch)


def _decided(now: Transaction, committed: bool, now_ms: int, *, bumps_epoch: bool) -> Transaction:  # noqa: FBT001
    state = TransactionState.PREPARE_COMMIT if committed else TransactionState.PREPARE_ABORT
    ended = replace(now, state=state, updated_ms=now_ms, bumps_epoch=bumps_epoch, next_producer_id=NO_PRODUCER_ID)
    if now.started_ms < 0:
        ended = replace(ended, started_ms=now_ms)
    if not bumps_epoch:
        return ended
    return replace(ended, producer_epoch=rules.next_epoch(now), last_epoch=now.producer_epoch)


def decide(
    shared: Shared,
    shard: Shard,
    kept: Kept,
    ended: Transaction,
    why: str,
    cluster: Cluster,
    *,
    decision: Decision | None = None,
    answer: Answer = nobody,
) -> list[Effect]:
    """Write how it ends; once that is committed it cannot end otherwise, and the markers go out."""

    def then(now_ms: int) -> list[Effect]:
        return marking.begin(shared, shard, kept, cluster, now_ms) if kept.now is ended else []

    # Markers go out once the decision is committed, never before. If this coordinator died in between, the next would
    # find an open transaction and abort it when its time is over: one partition with a marker to commit, the others to
    # abort.
    return change(shared, shard, kept, ended, why, decision=decision, answer=answer, then=then)


def fence(
    shared: Shared,
    shard: Shard,
    kept: Kept,
    why: str,
    cluster: Cluster,
    now_ms: int,
    decision: Decision,
    answer: Callable[[ErrorCode, int], list[Effect]] = nobody,
) -> list[Effect]:
    """Abort an open transaction without its producer, which the larger epoch shuts out."""
    assert kept.now is not None
    ended = replace(
        kept.now,
        state=TransactionState.PREPARE_ABORT,
        updated_ms=now_ms,
        # The producer may only be slow, and not know that its transaction is over. In its old epoch it would go on with
        # what it takes for the second half, and commit that alone. With this one it is refused here, and by the leader
        # of each partition that has the marker, which brings the epoch along. Source: KIP-98.
        producer_epoch=rules.next_epoch(kept.now),
        last_epoch=NO_PRODUCER_EPOCH,
        bumps_epoch=False,
    )
    return decide(shared, shard, kept, ended, why, cluster, decision=decision, answer=answer)


def abort_late(shared: Shared, shard: Shard, cluster: Cluster, now_ms: int) -> list[Effect]:
    """Abort transactions that are open for too long."""
    effects: list[Effect] = []
    for kept in list(shard.kept.values()):
        if kept.now is None or kept.is_changing:
            continue
        ruling = rules.transaction_timed_out(kept.now, now_ms)
        if ruling.granted:
            effects += fence(shared, shard, kept, "its timeout is over", cluster, now_ms, ruling.decision)
    return effects


def forget_unused(shared: Shared, shard: Shard, now_ms: int) -> list[Effect]:
    """Forget transactional ids that nobody used for long."""
    effects: list[Effect] = []
    for kept in list(shard.kept.values()):
        if kept.now is None or kept.is_changing:
            continue
        ruling = rules.transactional_id_expired(kept.now, now_ms, shared.settings.transactional_id_expiration_ms)
        if ruling.granted:
            dead = replace(kept.now, state=TransactionState.DEAD, partitions=frozenset())
            effects += change(shared, shard, kept, dead, "it was not used for long", decision=ruling.decision)
    return effects
