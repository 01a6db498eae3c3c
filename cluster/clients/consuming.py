"""A consumer and its answers: where to read, what of it to hand on. Source: Kafka FetchCollector, CompletedFetch."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from cluster.clients.outcomes import succeed
from cluster.clients.state import ClientState, Operation
from cluster.model.effects import Effect, Emit
from cluster.model.errors import ErrorCode
from cluster.model.events import OperationRedirected
from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.messages import FetchResponse, Message
from cluster.model.record_batch import BatchHeader, batches, numbered_records

SHOWN_MAX, TEXT_MAX = 200, 60


def readable(response: FetchResponse) -> Iterator[tuple[BatchHeader, bytes | memoryview]]:
    """Each batch of an answer and what a consumer hands on of it: nothing of markers and of aborted transactions."""
    coming = deque(sorted(response.aborted, key=lambda each: each[1]))
    left_out: set[int] = set()
    for header, data in batches(response.records):
        while coming and coming[0][1] < header.end_offset:
            left_out.add(coming.popleft()[0])
        if header.control:
            left_out.discard(header.producer_id)
        is_aborted = header.transactional and header.producer_id in left_out
        yield header, b"" if header.control or is_aborted else data


def redirect(state: ClientState, operation: Operation, target: NodeId) -> list[Effect]:
    """Read from where the leader sends this consumer. Kafka's asks the leader again after metadata.max.age.ms."""
    event = OperationRedirected(
        client_id=state.client_id,
        operation_id=operation.operation_id,
        topic=state.topic_partition.topic,
        partition=operation.partition,
        source=operation.target,
        target=target,
    )
    state.read_replica = target
    operation.attempt -= 1  # it is the same attempt, at another broker
    state.to_send.append(operation)
    return [Emit(event)]


def leaves_read_replica(state: ClientState, operation: Operation, response: Message) -> bool:
    """What a follower does not hold its leader may: it is asked again before anybody takes the offset for out of range.

    Source: Kafka FetchCollector.handleInitializeErrors, SubscriptionState.clearPreferredReadReplica.
    """
    if state.read_replica == NO_NODE or operation.target != state.read_replica:
        return False
    if type(response) is not FetchResponse or response.error != ErrorCode.OFFSET_OUT_OF_RANGE:
        return False
    state.read_replica, operation.last_error = NO_NODE, response.error
    state.to_send.append(operation)
    return True


def resets(state: ClientState, response: Message) -> bool:
    """Have a consumer go on at the log start when what it wants next was deleted; False when there is no such place.

    As Kafka's consumer does with auto.offset.reset=earliest. What ends before the wanted offset is told as an error:
    there a new leader's log is shorter, and nobody may take that for a deletion.
    """
    if type(response) is not FetchResponse or response.error != ErrorCode.OFFSET_OUT_OF_RANGE:
        return False
    if response.log_start_offset <= state.offset:
        return False
    state.offset, state.left = response.log_start_offset, 1
    return True


def consumed(state: ClientState, operation: Operation, response: FetchResponse) -> list[Effect]:
    """Records from the wanted offset on; goes on until the high watermark of the first answer.

    Who reads committed records ends at the last stable offset, and leaves out what was aborted.
    """
    if state.until_offset < 0:
        state.until_offset = response.last_stable_offset if state.read_committed else response.high_watermark
    base_offset = state.offset
    texts: list[str] = []
    stretches: list[tuple[Offset, int]] = []
    for header, data in readable(response):
        for offset, record in numbered_records(data) if data else ():
            if offset >= base_offset:
                texts.append((record.value or b"").decode("utf-8", "replace")[:TEXT_MAX])
                _stretch(stretches, offset)
        state.offset = header.end_offset
    if response.records and state.offset < state.until_offset:
        state.left = 1
    shown = tuple(texts[:SHOWN_MAX])
    return succeed(state, operation, base_offset, len(texts), shown, tuple(stretches), state.offset)


def _stretch(stretches: list[tuple[Offset, int]], offset: Offset) -> None:
    """Note a record as it came; one that continues the last stretch belongs to it."""
    if stretches and sum(stretches[-1]) == offset:
        stretches[-1] = stretches[-1][0], stretches[-1][1] + 1
    else:
        stretches.append((offset, 1))
