"""How an operation ends, as events: certainly done, certainly not, or unknown. Source: Jepsen's ok, fail, info."""

from __future__ import annotations

from cluster.clients.state import ClientState, Operation
from cluster.model.effects import Effect, Emit
from cluster.model.events import OperationFailed, OperationSucceeded, OperationUnknown
from cluster.model.identifiers import UNKNOWN_OFFSET, Offset


def succeed(
    state: ClientState,
    operation: Operation,
    base_offset: Offset,
    count: int,
    values: tuple[str, ...],
    stretches: tuple[tuple[Offset, int], ...] = (),
    end_offset: Offset = UNKNOWN_OFFSET,
) -> list[Effect]:
    """It is done; base_offset -1 when nobody said where (acks=0)."""
    done = OperationSucceeded(
        client_id=state.client_id,
        operation_id=operation.operation_id,
        function=operation.function or state.function,
        topic=state.topic_partition.topic,
        partition=operation.partition,
        base_offset=base_offset,
        count=count,
        values=values,
        stretches=stretches,
        end_offset=UNKNOWN_OFFSET if end_offset == base_offset + count else end_offset,
    )
    return [Emit(done)]


def fail(state: ClientState, operation: Operation) -> list[Effect]:
    """It did nothing, or nobody can say after an attempt that may have taken effect."""
    if state.transaction is not None:
        state.has_failed = True
        state.transaction.failed(operation.function or state.function, operation.last_error)
    kind = OperationUnknown if operation.is_doubtful else OperationFailed
    ended = kind(
        client_id=state.client_id,
        operation_id=operation.operation_id,
        function=operation.function or state.function,
        topic=state.topic_partition.topic,
        partition=operation.partition,
        error=operation.last_error,
    )
    return [Emit(ended)]
