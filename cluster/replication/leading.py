"""A partition's leader: it takes office, judges fetches and produces, and resigns. Source: Kafka Partition."""

from __future__ import annotations

from cluster.model.effects import (
    AssignEpoch,
    CancelTimer,
    Effect,
    Emit,
    Flush,
    SetTimer,
)
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    BecameLeader,
)
from cluster.model.identifiers import NodeId
from cluster.model.messages import ProduceRequest
from cluster.model.record_batch import (
    BatchHeader,
    CorruptBatchError,
    check_crc,
    decode_records,
    read_header,
)
from cluster.model.ruling import Decision
from cluster.replication import (
    appending,
    deletion,
    idempotence,
    isr,
    majority,
    verification,
    waiting_fetches,
    waiting_produces,
    watermark,
)
from cluster.replication.rules.acknowledgement import may_append
from cluster.replication.state import LEADS, FollowerState, ReplicaState

VALID_ACKS = (-1, 0, 1)


def become_leader(state: ReplicaState, now_ms: int) -> list[Effect]:
    """Begin a leader epoch: it is entered in the cache at once, so later questions about older epochs are right."""
    state.role = LEADS
    state.epoch_start_offset = state.end_offset
    reset_followers(state, now_ms)
    topic, partition = state.topic_partition
    event = BecameLeader(
        topic=topic,
        partition=partition,
        leader_epoch=state.leader_epoch,
        epoch_start_offset=state.end_offset,
        high_watermark=state.high_watermark,
        isr=state.isr,
    )
    effects: list[Effect] = [
        Emit(event),
        # Before it has written anything. Elections may follow fast, and leave followers with epochs this log never had:
        #
        #     n1 leads e6   e4 e4         e5 was led by n2, who wrote one record and is a follower now
        #     n2            e4 e4 e5      asks where e5 ends here
        #
        # Without an entry for e6 the newest epoch here is e4, and of a later one nothing can be said. With it the
        # answer is "e4, which ends at 2", and n2 cuts its record. Source: the comment in Partition.makeLeader.
        AssignEpoch(state.topic_partition, state.leader_epoch, state.end_offset),
        isr.schedule_check(state),
    ]
    if state.by_majority:
        effects += majority.adopt(state, state.epoch_start_offset)
    if state.owes_flush:  # nothing may ever be appended again that would have it flushed
        effects.append(Flush(state.topic_partition))
    return [*effects, *watermark.advance(state, now_ms)]


def reset_followers(state: ReplicaState, now_ms: int) -> None:
    """ISR members count as caught up now, others as never. Source: Kafka Replica.resetReplicaState."""
    state.followers = {}
    follow_assignment(state)
    for node in state.isr:
        if node != state.shared.broker_id:
            state.followers[node].last_caught_up_ms = now_ms


def follow_assignment(state: ReplicaState) -> None:
    """Serve replicas that a reassignment added in this leader epoch; none leaves within one. Source: KIP-455."""
    assert state.committed is not None
    for node in sorted(state.committed.replicas):
        if node not in state.followers and node != state.shared.broker_id:
            state.followers[node] = FollowerState(timer=state.timer(f"{waiting_fetches.PARKED}{node}"))


def on_produce(
    state: ReplicaState, sender: NodeId, correlation: int, request: ProduceRequest, now_ms: int
) -> list[Effect]:
    """Append and answer, now or once committed. A refused request leaves the log as it was."""
    error, decision, header = _judge(state, request)
    if error or header is None:
        return idempotence.refuse(state, sender, correlation, request, error, decision)
    if header.producer_id >= 0:
        held = verification.hold(state, sender, correlation, request, header)
        if held is not None:
            return held
    return appending.write(state, sender, correlation, request, header, now_ms)


def _judge(state: ReplicaState, request: ProduceRequest) -> tuple[ErrorCode, Decision | None, BatchHeader | None]:
    """In Kafka's order: acks, leadership, min ISR, then the batch itself."""
    if request.acks not in VALID_ACKS:
        return ErrorCode.INVALID_REQUIRED_ACKS, None, None
    if state.role is not LEADS:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER, None, None
    ruling = may_append(request.acks, state.isr, state.min_insync_replicas)
    if not ruling.granted:
        return ErrorCode.NOT_ENOUGH_REPLICAS, ruling.decision, None
    if len(request.records) > state.max_message_bytes:
        return ErrorCode.MESSAGE_TOO_LARGE, None, None
    if 0 < state.segment_bytes < len(request.records):
        return ErrorCode.RECORD_LIST_TOO_LARGE, None, None
    try:
        header = read_header(request.records)
        if header.size_bytes != len(request.records) or header.control or not check_crc(request.records):
            return ErrorCode.CORRUPT_MESSAGE, None, None
        if state.compaction is not None and not request.are_keyed and not _has_keys(request.records):
            return ErrorCode.INVALID_RECORD, None, None
    except CorruptBatchError:
        return ErrorCode.CORRUPT_MESSAGE, None, None
    return ErrorCode.NONE, None, header


def _has_keys(batch: bytes) -> bool:
    """A compacted topic takes no record without one. Source: Kafka LogValidator.validateKey."""
    return all(record.key is not None for record in decode_records(batch))


def on_produce_timeout(state: ReplicaState, now_ms: int) -> list[Effect]:
    """Requests that waited too long: their records stay and may be committed later. Source: DelayedProduce."""
    effects: list[Effect] = []
    late = [item for item in state.waiting if item.deadline_ms <= now_ms]
    for waiting in late:
        state.waiting.remove(waiting)
        effects += waiting_produces.answer(state, [waiting], ErrorCode.REQUEST_TIMED_OUT)
    if state.waiting:
        next_ms = min(item.deadline_ms for item in state.waiting)
        effects.append(SetTimer(state.timer(waiting_produces.PRODUCE_TIMER), next_ms - now_ms))
    return effects


def stop_leading(state: ReplicaState) -> list[Effect]:
    """Leadership is over: whoever waits has to ask the next leader."""
    effects: list[Effect] = []
    while state.waiting:
        effects += waiting_produces.answer(state, [state.waiting.popleft()], ErrorCode.NOT_LEADER_OR_FOLLOWER)
    effects += waiting_fetches.refuse(state)
    effects += deletion.refuse(state) + verification.stop(state)
    state.followers, state.pending = {}, None
    timers = (waiting_produces.PRODUCE_TIMER, isr.CHECK_TIMER, isr.ALTER_TIMER)
    return [*effects, *(CancelTimer(state.timer(what)) for what in timers)]
