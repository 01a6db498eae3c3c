"""What is told of transactions to who looks at them. Source: KIP-664, KIP-994."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cluster.model.errors import ErrorCode
from cluster.model.messages import (
    DescribeTransactionsResponse,
    ListTransactionsRequest,
    ListTransactionsResponse,
)
from cluster.transactions.state import Shard, Transaction, TransactionState

_KNOWN = frozenset(map(str, TransactionState))


def described(looked_up: Iterable[tuple[str, Shard | None, ErrorCode]], now_ms: int) -> DescribeTransactionsResponse:
    """One entry for each that was asked for."""
    rows: list[tuple[int, str, str, int, int, int, int, tuple[tuple[str, int], ...]]] = []
    for name, shard, error in looked_up:
        kept = None if shard is None else shard.kept.get(name)
        now = None if kept is None else kept.now
        if now is None:
            wrong = ErrorCode.TRANSACTIONAL_ID_NOT_FOUND if error == ErrorCode.NONE else error
            rows.append((int(wrong), name, "", 0, -1, -1, -1, ()))
            continue
        partitions = tuple((where.topic, where.partition) for where in sorted(now.partitions))
        rows.append(
            (0, name, str(now.state), now.timeout_ms, _open_ms(now, now_ms), now.producer_id, now.producer_epoch,
             partitions)
        )  # fmt: skip
    return DescribeTransactionsResponse(transactions=tuple(rows))


def listed(shards: Mapping[int, Shard], request: ListTransactionsRequest, now_ms: int) -> ListTransactionsResponse:
    """Those that fit all filters."""
    if any(not shard.is_loaded for shard in shards.values()):
        return ListTransactionsResponse(error=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    unknown = tuple(state for state in request.states if state not in _KNOWN)
    kept = [each.now for _, shard in sorted(shards.items()) for _, each in sorted(shard.kept.items())]
    fitting = [now for now in kept if now is not None and _fits(now, request, now_ms)]
    return ListTransactionsResponse(
        unknown_states=unknown,
        transactions=tuple((now.transactional_id, now.producer_id, str(now.state)) for now in fitting),
    )


def _fits(now: Transaction, request: ListTransactionsRequest, now_ms: int) -> bool:
    return (
        (not request.states or str(now.state) in request.states)
        and (not request.producer_ids or now.producer_id in request.producer_ids)
        and (request.duration_ms < 0 or _open_ms(now, now_ms) > request.duration_ms)
    )


def _open_ms(now: Transaction, now_ms: int) -> int:
    return -1 if now.started_ms < 0 else now_ms - now.started_ms
