"""The things a client can do: which requests they need, and what an answer means for them."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.clients import consuming, transactional
from cluster.clients.consuming import SHOWN_MAX
from cluster.clients.outcomes import fail, succeed
from cluster.clients.partitioners import Partitioner
from cluster.clients.rules.retries import IDEMPOTENT_IN_FLIGHT_MAX
from cluster.clients.state import ClientState, Gathering, Operation
from cluster.clients.transactional import Transactional
from cluster.model import messages as core
from cluster.model.effects import Effect, Emit
from cluster.model.events import OperationInvoked
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.inputs import ClientRequest
from cluster.model.messages import Message
from cluster.model.messages.configs import SET, TOPIC
from cluster.model.messages.records import HIGH_WATERMARK
from cluster.model.record_batch import (
    NOT_SEQUENCED,
    Record,
    encode_batch,
    stored_crc,
)
from cluster.model.ruling import Decision

READ_COMMITTED = "read_committed"
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
    topic_partition = TopicPartition(str(given.get("topic", "")), int(given.get("partition", 0)))
    if topic_partition != state.topic_partition or asked.operation not in ("produce", "consume"):
        state.leaders, state.leader_epochs = {}, {}  # else who led at the last job is asked first
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
        state.keys = tuple(key for key in str(given.get("keys", "")).split(",") if key)
        state.spoil, state.batch_count = int(given.get("spoil", 0)), 0
        kind = str(given.get("partitioner", ""))
        state.partitioner = Partitioner(kind, state.client_id, state.batch) if kind else None
        if state.idempotent:
            state.in_flight = min(state.in_flight, IDEMPOTENT_IN_FLIGHT_MAX)
    elif asked.operation == "consume":
        state.offset, state.until_offset = int(given["offset"]), -1
        state.max_wait_ms = int(given.get("max_wait_ms", 0))
        state.rack, state.read_replica = str(given.get("rack", "")) or None, NO_NODE
        state.read_committed = given.get("isolation") == READ_COMMITTED
    elif asked.operation in transactional.STEPS:
        state.left, state.value = int(given.get("count", 0)), str(given.get("value", ""))
        state.late = bool(given.get("late"))
        state.retries = asked.operation != transactional.ARRIVE
    else:
        state.to_send = [_administration(state, asked)]
        state.left = 0


def _administration(state: ClientState, asked: ClientRequest) -> Operation:
    given = asked.arguments
    request: Message
    topic, partition = state.topic_partition
    if asked.operation == "create_topic":
        pairs = [pair.partition("=") for pair in str(given.get("configs", "")).split()]
        assignment = tuple(int(node) for node in str(given.get("assignment", "")).split(",") if node)
        request = core.CreateTopicRequest(
            topic=topic,
            partitions=int(given["partitions"]),
            replication_factor=int(given["replication_factor"]),
            min_insync_replicas=int(given["min_insync_replicas"]),
            assignments=(assignment,) * int(given["partitions"]) if assignment else (),
            configs=tuple((name, value) for name, _, value in pairs),
        )
    elif asked.operation == "alter_topic":
        changes = tuple((name, SET, str(value)) for name, value in given.items() if name != "topic")
        request = core.AlterConfigsRequest(resource_type=TOPIC, resource_name=topic, changes=changes)
    elif asked.operation == "reassign":
        replicas = tuple(int(node) for node in str(given["replicas"]).split(",") if node)
        request = core.ReassignPartitionRequest(topic=topic, partition=partition, replicas=replicas or None)
    elif asked.operation == "delete_records":
        request = core.DeleteRecordsRequest(
            topic=topic,
            partition=partition,
            before_offset=int(given["before_offset"]),
            timeout_ms=state.settings.request_timeout_ms,
        )
    elif asked.operation in ("add_voter", "remove_voter"):
        kind = core.AddRaftVoterRequest if asked.operation == "add_voter" else core.RemoveRaftVoterRequest
        request = kind(voter_id=int(given["voter"]), directory_id=str(given["directory"]))
    elif asked.operation == "znode":
        action, path, data = (str(given[name]) for name in ("action", "path", "data"))
        kinds = ("get", "children") if action == "get" else (action,)
        request = core.ZooKeeperRequest(
            operations=tuple(core.Operation(kind=each, path=path, data=data) for each in kinds)
        )
    else:
        request = core.ElectLeadersRequest(topic=topic, partition=partition, unclean=bool(int(given["unclean"])))
    return Operation(0, request, partition=partition)


def note_leaders(state: ClientState, metadata: core.MetadataResponse) -> bool:
    """Take in who leads; whether that is news for anything that waits."""
    wanted = {operation.partition for operation in state.to_send} - state.leaders.keys()
    for topic, partition, leader in metadata.partitions:
        if topic != state.topic_partition.topic or partition in state.leaders:
            continue
        if leader.leader_epoch >= state.leader_epochs.get(partition, -1):
            state.leader_epochs[partition] = leader.leader_epoch
            if leader.leader != NO_NODE:
                state.leaders[partition] = leader.leader
    return not wanted.isdisjoint(state.leaders)


def note_partitions(state: ClientState, metadata: core.MetadataResponse) -> list[Effect]:
    """Who spreads its records waits for the number of partitions, and for nothing else: it is known now."""
    asking = next((operation for operation in state.to_send if operation.function == "metadata"), None)
    if asking is None or state.partitioner is None:
        return []
    state.to_send.remove(asking)
    state.partitioner.partition_count = sum(topic == state.topic_partition.topic for topic, _, _ in metadata.partitions)
    return succeed(state, asking, -1, 0, ())


def as_sent(state: ClientState, operation: Operation) -> Message:
    """The request of an operation; a bit of it flips on its first way when that was ordered."""
    request = operation.request
    if not operation.is_spoilt or operation.attempt > 1 or not isinstance(request, core.ProduceRequest):
        return request
    *head, last = request.records
    return replace(request, records=bytes((*head, last ^ 1)))


def fill(state: ClientState, deadline_ms: int) -> list[Effect]:
    """Begin as many operations as the command allows now."""
    effects: list[Effect] = []
    for operation in state.to_send:
        if operation.operation_id == 0:
            effects += _invoke(state, operation, deadline_ms, _told(state, operation.request))
    if state.partitioner is not None and not state.partitioner.partition_count:
        return effects + _want_partitions(state, deadline_ms)
    if state.idempotent and state.producer_id < 0:
        return effects + _want_producer_id(state, deadline_ms)
    if state.function == "produce":
        while (state.left or state.gathered) and len(state.on_way) + len(state.to_send) < state.in_flight:
            effects += _next_batch(state, deadline_ms)
    elif state.transaction is not None and not state.on_way and not state.to_send:
        effects += _next_step(state, state.transaction, deadline_ms)
    elif state.function == "consume" and state.left and not state.on_way and not state.to_send:
        state.left = 0
        topic, partition = state.topic_partition
        request = core.FetchRequest(
            replica_id=NO_NODE,
            topic=topic,
            partition=partition,
            fetch_offset=state.offset,
            max_wait_ms=state.max_wait_ms,
            max_bytes=state.settings.fetch_max_bytes,
            client_rack=state.rack,
            read_committed=state.read_committed,
        )
        operation = Operation(0, request, partition=partition)
        state.to_send.append(operation)
        effects += _invoke(state, operation, deadline_ms, f"from {state.offset}")
    return effects


def _told(state: ClientState, request: Message) -> str:
    """What an administrative operation is about, in words."""
    if isinstance(request, core.AddRaftVoterRequest | core.RemoveRaftVoterRequest):
        return f"{request.voter_id} {request.directory_id}".strip()
    if isinstance(request, core.ZooKeeperRequest):
        return f"{request.operations[0].kind} {request.operations[0].path}"
    if not isinstance(request, core.DeleteRecordsRequest):
        return state.topic_partition.topic
    before = request.before_offset
    return "before the high watermark" if before == HIGH_WATERMARK else f"before {before}"


def _want_producer_id(state: ClientState, deadline_ms: int) -> list[Effect]:
    """An idempotent producer needs an id before its first batch; any broker gives one, so the leader is asked."""
    if not state.left or state.on_way or state.to_send:
        return []
    request = core.InitProducerIdRequest(client_id=state.client_id)
    operation = Operation(0, request, function="init_producer_id", partition=state.topic_partition.partition)
    state.to_send.append(operation)
    return _invoke(state, operation, deadline_ms, "")


def _want_partitions(state: ClientState, deadline_ms: int) -> list[Effect]:
    """Any broker's metadata tells how many there are."""
    if not state.left or state.to_send:
        return []
    request = core.MetadataRequest(topics=(state.topic_partition.topic,))
    state.to_send = [Operation(0, request, function="metadata")]
    state.leaders = {}
    return _invoke(state, state.to_send[0], deadline_ms, "")


def _next_step(state: ClientState, producer: Transactional, deadline_ms: int) -> list[Effect]:
    """The next request of a step of a transaction; the step has ended when there is none."""
    if state.function == transactional.ARRIVE and producer.late:
        request = producer.late.pop(0)
        state.topic_partition = TopicPartition(request.topic, request.partition)
        state.to_send = [Operation(0, request, function="arrive", partition=request.partition)]
        return _invoke(state, state.to_send[0], deadline_ms, "a late request")
    texts = [f"{state.value}-{number}" for number in range(1, state.left + 1)]
    ask = producer.next(state.function, state.topic_partition, texts, state.settings.request_timeout_ms)
    if ask is None or producer.is_fenced or state.has_failed:
        producer.ended(state.function)
        return []
    operation = Operation(0, ask.request, function=ask.function, partition=ask.partition, count=ask.count)
    if isinstance(ask.request, core.ProduceRequest):
        operation.digests, state.left = (f"{stored_crc(ask.request.records):08x}",), 0
    effects = _invoke(state, operation, deadline_ms, ask.text)
    if state.late and isinstance(ask.request, core.ProduceRequest):
        producer.late.append(ask.request)
        operation.is_doubtful, operation.last_error = True, -1
        return [*effects, *fail(state, operation)]
    state.to_send = [operation]
    return effects


def ready(state: ClientState) -> list[Operation]:
    """What may be sent now. While an idempotent producer tries again it sends its oldest request alone, so that no
    batch overtakes another. Source: RecordAccumulator, TransactionManager.firstInFlightSequence.
    """
    led = [operation for operation in state.to_send if operation.partition in state.leaders]
    if not state.idempotent or all(operation.attempt == 0 for operation in led):
        return led
    return [operation for operation in led if not state.waits_for_older(operation)]


def _invoke(
    state: ClientState,
    operation: Operation,
    deadline_ms: int,
    value: str,
    keys: tuple[str, ...] = (),
    choice: Decision | None = None,
) -> list[Effect]:
    state.operation_count += 1
    if state.transaction is not None:
        state.transaction.operation_count = state.operation_count
    operation.operation_id, operation.deadline_ms = state.operation_count, deadline_ms
    invoked = OperationInvoked(
        client_id=state.client_id,
        operation_id=operation.operation_id,
        function=operation.function or state.function,
        topic=state.topic_partition.topic,
        partition=operation.partition,
        acks=state.acks,
        value=value[:200],
        keys=keys[:SHOWN_MAX],
        isolation=READ_COMMITTED if state.function == "consume" and state.read_committed else "",
    )
    return [Emit(invoked, choice)]


def _take(state: ClientState) -> Gathering:
    """The next batch of a command that names the partition."""
    first, count = state.made + 1, min(state.batch, state.left)
    state.left -= count
    state.made += count
    return Gathering(state.topic_partition.partition, list(range(first, first + count)))


def _gather(state: ClientState, partitioner: Partitioner) -> Gathering:
    """The next batch that is full, else what the lowest partition has so far. Source: RecordAccumulator."""
    gathered = state.gathered
    while state.left:
        state.left -= 1
        state.made += 1
        choice = partitioner.choose(state.key_of(state.made))
        batch = gathered.get(choice.value)
        if batch is None:
            batch = gathered[choice.value] = Gathering(choice.value, [], choice.decision)
        batch.numbers.append(state.made)
        if len(batch.numbers) >= state.batch:
            return gathered.pop(choice.value)
    return gathered.pop(min(gathered))


def _next_batch(state: ClientState, deadline_ms: int) -> list[Effect]:
    batch = _gather(state, state.partitioner) if state.partitioner else _take(state)
    texts = [f"{state.value}-{number}" for number in batch.numbers]
    partition, count = batch.partition, len(texts)
    sequence = state.next_sequences.get(partition, 0)
    sequenced = (state.producer_id, state.producer_epoch, sequence) if state.idempotent else NOT_SEQUENCED
    keys = tuple(map(state.key_of, batch.numbers)) if state.keys else ()
    no_key = None if state.partitioner else state.client_id.encode()
    records = [
        Record(state.key_of(number).encode() if keys else no_key, text.encode())
        for number, text in zip(batch.numbers, texts, strict=True)
    ]
    data = encode_batch(records, sequenced=sequenced)
    state.next_sequences[partition] = (sequence + count) & SEQUENCE_MAX
    request = core.ProduceRequest(
        client_id=state.client_id,
        topic=state.topic_partition.topic,
        partition=partition,
        acks=state.acks,
        timeout_ms=state.settings.request_timeout_ms,
        records=data,
    )
    state.batch_count += 1
    operation = Operation(0, request, digests=(f"{stored_crc(data):08x}",), count=count, partition=partition)
    operation.is_spoilt = state.batch_count == state.spoil
    state.to_send.append(operation)
    is_run = batch.numbers[-1] - batch.numbers[0] == count - 1 > 0
    shown = f"{texts[0]} to {texts[-1]}" if is_run else ", ".join(texts)
    return _invoke(state, operation, deadline_ms, shown, keys, batch.choice)


def finish(state: ClientState, operation: Operation, response: Message) -> list[Effect]:
    """An answer without an error."""
    if state.transaction is not None:
        state.transaction.done(state.function, response, state.topic_partition)
    match response:
        case core.ProduceResponse(base_offset=base_offset):
            return succeed(state, operation, base_offset, operation.count, operation.digests)
        case core.InitProducerIdResponse() if state.transaction is not None:
            given = f"producer {response.producer_id} epoch {response.producer_epoch}"
            return succeed(state, operation, -1, 0, (given,))
        case core.InitProducerIdResponse(producer_id=producer_id, producer_epoch=producer_epoch):
            state.producer_id, state.producer_epoch, state.next_sequences = producer_id, producer_epoch, {}
            return succeed(state, operation, -1, 0, ())
        case core.FetchResponse():
            return consuming.consumed(state, operation, response)
        case core.DeleteRecordsResponse(low_watermark=low_watermark):
            return succeed(state, operation, low_watermark, 0, ())
        case core.ZooKeeperResponse(results=results):
            return succeed(state, operation, -1, 0, _found(results))
        case _:
            return succeed(state, operation, -1, 0, ())


def _found(results: tuple[core.OperationResult, ...]) -> tuple[str, ...]:
    """What a znode is after the operation, in words."""
    last = results[-1]
    below = f"below it {', '.join(last.children)}" if last.children else ""
    return tuple(part for part in (f"v{last.version}", last.data, below) if part)
