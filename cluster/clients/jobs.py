"""The five things a client can do: which requests they need, and what an answer means for them."""

from __future__ import annotations

from cluster.clients.outcomes import succeed
from cluster.clients.rules import IDEMPOTENT_IN_FLIGHT_MAX
from cluster.clients.state import ClientState, Operation
from cluster.model.effects import Effect, Emit
from cluster.model.errors import ErrorCode
from cluster.model.events import OperationInvoked
from cluster.model.identifiers import NO_NODE, Offset, TopicPartition
from cluster.model.inputs import ClientRequest
from cluster.model.messages import (
    CreateTopicRequest,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    ElectLeadersRequest,
    FetchRequest,
    FetchResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    Message,
    ProduceRequest,
    ProduceResponse,
)
from cluster.model.messages.records import HIGH_WATERMARK
from cluster.model.record_batch import NOT_SEQUENCED, Record, batches, decode_records, encode_batch, stored_crc

SHOWN_MAX, TEXT_MAX = 200, 60
SEQUENCE_MAX = (1 << 31) - 1


def begin(state: ClientState, asked: ClientRequest) -> None:
    """Take a command; more records for a produce that is at work. ValueError when another is still carried out."""
    given = asked.arguments
    if state.function == asked.operation == "produce":
        state.left, state.acks = state.left + int(given["count"]), int(given["acks"])
        return
    if state.function:
        raise ValueError(f"{state.client_id} is still busy with {state.function}")
    state.function = asked.operation
    topic_partition = TopicPartition(str(given["topic"]), int(given.get("partition", 0)))
    if topic_partition != state.topic_partition or asked.operation not in ("produce", "consume"):
        state.leader, state.leader_epoch = NO_NODE, -1  # else who led at the last job is asked first
    state.topic_partition = topic_partition
    state.asked_metadata, state.is_backing_off = -1, False
    state.retries = bool(int(given.get("retries", 1)))
    state.left = 1
    if asked.operation == "produce":
        state.acks = int(given["acks"])
        state.left, state.made = int(given["count"]), int(given.get("made", 0))
        state.value = str(given["value"])
        state.batch, state.in_flight = int(given.get("batch", 1)), int(given.get("in_flight", 1))
        state.idempotent = bool(int(given.get("idempotent", 0)))
        if state.idempotent:
            state.in_flight = min(state.in_flight, IDEMPOTENT_IN_FLIGHT_MAX)
    elif asked.operation == "consume":
        state.offset, state.until_offset = int(given["offset"]), -1
        state.max_wait_ms = int(given.get("max_wait_ms", 0))
    else:
        state.to_send = [_administration(state, asked)]
        state.left = 0


def _administration(state: ClientState, asked: ClientRequest) -> Operation:
    given = asked.arguments
    request: Message
    topic, partition = state.topic_partition
    if asked.operation == "create_topic":
        assignment = tuple(int(node) for node in str(given.get("assignment", "")).split(",") if node)
        request = CreateTopicRequest(
            topic=topic,
            partitions=int(given["partitions"]),
            replication_factor=int(given["replication_factor"]),
            min_insync_replicas=int(given["min_insync_replicas"]),
            assignments=(assignment,) * int(given["partitions"]) if assignment else (),
        )
    elif asked.operation == "delete_records":
        request = DeleteRecordsRequest(
            topic=topic,
            partition=partition,
            before_offset=int(given["before_offset"]),
            timeout_ms=state.settings.request_timeout_ms,
        )
    else:
        request = ElectLeadersRequest(topic=topic, partition=partition, unclean=bool(int(given["unclean"])))
    return Operation(0, request)


def fill(state: ClientState, deadline_ms: int) -> list[Effect]:
    """Begin as many operations as the command allows now."""
    effects: list[Effect] = []
    for operation in state.to_send:
        if operation.operation_id == 0:
            effects += _invoke(state, operation, deadline_ms, _told(state, operation.request))
    if state.idempotent and state.producer_id < 0:
        return effects + _want_producer_id(state, deadline_ms)
    if state.function == "produce":
        while state.left and len(state.on_way) + len(state.to_send) < state.in_flight:
            effects += _next_batch(state, deadline_ms)
    elif state.function == "consume" and state.left and not state.on_way and not state.to_send:
        state.left = 0
        topic, partition = state.topic_partition
        request = FetchRequest(
            replica_id=NO_NODE,
            topic=topic,
            partition=partition,
            fetch_offset=state.offset,
            max_wait_ms=state.max_wait_ms,
            max_bytes=state.settings.fetch_max_bytes,
        )
        operation = Operation(0, request)
        state.to_send.append(operation)
        effects += _invoke(state, operation, deadline_ms, f"from {state.offset}")
    return effects


def _told(state: ClientState, request: Message) -> str:
    """What an administrative operation is about, in words."""
    if not isinstance(request, DeleteRecordsRequest):
        return state.topic_partition.topic
    before = request.before_offset
    return "before the high watermark" if before == HIGH_WATERMARK else f"before {before}"


def _want_producer_id(state: ClientState, deadline_ms: int) -> list[Effect]:
    """An idempotent producer needs an id before its first batch; any broker gives one, so the leader is asked."""
    if not state.left or state.on_way or state.to_send:
        return []
    operation = Operation(0, InitProducerIdRequest(client_id=state.client_id), function="init_producer_id")
    state.to_send.append(operation)
    return _invoke(state, operation, deadline_ms, "")


def ready(state: ClientState) -> list[Operation]:
    """What may be sent now. While an idempotent producer tries again it sends its oldest request alone, so that no
    batch overtakes another. Source: RecordAccumulator, TransactionManager.firstInFlightSequence.
    """
    if not state.idempotent or all(operation.attempt == 0 for operation in state.to_send):
        return state.to_send
    return [operation for operation in state.to_send if not state.waits_for_older(operation)]


def _invoke(state: ClientState, operation: Operation, deadline_ms: int, value: str) -> list[Effect]:
    state.operation_count += 1
    operation.operation_id, operation.deadline_ms = state.operation_count, deadline_ms
    topic, partition = state.topic_partition
    invoked = OperationInvoked(
        client_id=state.client_id,
        operation_id=operation.operation_id,
        function=operation.function or state.function,
        topic=topic,
        partition=partition,
        acks=state.acks,
        value=value[:200],
    )
    return [Emit(invoked)]


def _next_batch(state: ClientState, deadline_ms: int) -> list[Effect]:
    count = min(state.batch, state.left)
    texts = [f"{state.value}-{state.made + index}" for index in range(1, count + 1)]
    state.left -= count
    state.made += count
    sequenced = (state.producer_id, state.producer_epoch, state.next_sequence) if state.idempotent else NOT_SEQUENCED
    data = encode_batch([Record(state.client_id.encode(), text.encode()) for text in texts], sequenced=sequenced)
    state.next_sequence = (state.next_sequence + count) & SEQUENCE_MAX
    topic, partition = state.topic_partition
    request = ProduceRequest(
        client_id=state.client_id,
        topic=topic,
        partition=partition,
        acks=state.acks,
        timeout_ms=state.settings.request_timeout_ms,
        records=data,
    )
    operation = Operation(0, request, digests=(f"{stored_crc(data):08x}",), count=count)
    state.to_send.append(operation)
    shown = texts[0] if count == 1 else f"{texts[0]} to {texts[-1]}"
    return _invoke(state, operation, deadline_ms, shown)


def finish(state: ClientState, operation: Operation, response: Message) -> list[Effect]:
    """An answer without an error."""
    match response:
        case ProduceResponse(base_offset=base_offset):
            return succeed(state, operation, base_offset, operation.count, operation.digests)
        case InitProducerIdResponse(producer_id=producer_id, producer_epoch=producer_epoch):
            state.producer_id, state.producer_epoch, state.next_sequence = producer_id, producer_epoch, 0
            return succeed(state, operation, -1, 0, ())
        case FetchResponse():
            return _consumed(state, operation, response)
        case DeleteRecordsResponse(low_watermark=low_watermark):
            return succeed(state, operation, low_watermark, 0, ())
        case _:
            return succeed(state, operation, -1, 0, ())


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


def _consumed(state: ClientState, operation: Operation, response: FetchResponse) -> list[Effect]:
    """Records from the wanted offset on; goes on until the high watermark of the first answer."""
    if state.until_offset < 0:
        state.until_offset = response.high_watermark
    base_offset = state.offset
    texts: list[str] = []
    stretches: list[tuple[Offset, int]] = []
    for header, data in batches(response.records):
        before = len(texts)
        for index, record in enumerate(decode_records(data)):
            if header.base_offset + index >= base_offset:
                texts.append((record.value or b"").decode("utf-8", "replace")[:TEXT_MAX])
        _stretch(stretches, max(base_offset, header.base_offset), len(texts) - before)
        state.offset = header.end_offset
    if response.records and state.offset < state.until_offset:
        state.left = 1
    return succeed(state, operation, base_offset, len(texts), tuple(texts[:SHOWN_MAX]), tuple(stretches))


def _stretch(stretches: list[tuple[Offset, int]], offset: Offset, count: int) -> None:
    """Note records as they came; those that continue the last stretch belong to it."""
    if stretches and sum(stretches[-1]) == offset:
        stretches[-1] = stretches[-1][0], stretches[-1][1] + count
    elif count:
        stretches.append((offset, count))
