"""Producers that wait until their records are where they want them, and what they are answered.

Source: Kafka DelayedProduce.
"""

from __future__ import annotations

from collections.abc import Sequence

from cluster.model.effects import Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ProduceAnswered
from cluster.model.identifiers import EDGE_ID, OFFSETS_TOPIC, UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.messages import OffsetsDecided, ProduceResponse, WriteTxnMarkersRequest, WriteTxnMarkersResponse
from cluster.model.ruling import Decision
from cluster.replication.rules.acknowledgement import acknowledge_records
from cluster.replication.state import ReplicaState, WaitingProduce

PRODUCE_TIMER = "produce"
"""When the first of the producers that wait has waited long enough."""
_WITHOUT_LOG_START = (
    ErrorCode.INVALID_REQUIRED_ACKS,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.MESSAGE_TOO_LARGE,
    ErrorCode.RECORD_LIST_TOO_LARGE,
    ErrorCode.CORRUPT_MESSAGE,
    ErrorCode.KAFKA_STORAGE_ERROR,
)


def answer_waiting(state: ReplicaState) -> list[Effect]:
    """Producers whose records are committed. One event tells of requests that follow each other; see `_follows`."""
    waiting = state.waiting
    effects: list[Effect] = []
    run: list[WaitingProduce] = []
    while waiting and is_done(state, waiting[0]):
        done = waiting.popleft()
        if run and not _follows(done, run[-1]):
            effects += settle(state, run)
            run = []
        run.append(done)
    return effects + settle(state, run) if run else effects


def _follows(request: WaitingProduce, before: WaitingProduce) -> bool:
    """Of the same client, with the same acks and so the same outcome, and its records lie right behind."""
    return (
        request.base_offset == before.end_offset
        and (request.sender, request.client_id) == (before.sender, before.client_id)
        and request.acks == before.acks
        and request.marker is None is before.marker
    )


def answer_flushed(state: ReplicaState) -> list[Effect]:
    """With flushed partitions an acks=1 request waits for the own disk only."""
    return answer_waiting(state) if state.waiting and state.waiting[0].acks == 1 else []


def settle(state: ReplicaState, done: Sequence[WaitingProduce]) -> list[Effect]:
    """Answer requests, as `answer` takes them, whose records are where their producer wants them."""
    ruling = acknowledge_records(done[0].acks, state.maximal_isr, state.min_insync_replicas)
    return answer(state, done, ruling.value, None if ruling.granted else ruling.decision)


def is_done(state: ReplicaState, waiting: WaitingProduce) -> bool:
    """Whether records are where the producer wants them: committed for acks=all, else in the own log."""
    reached = state.high_watermark if waiting.acks == -1 else state.own_offset
    return waiting.end_offset <= reached


def await_commit(state: ReplicaState, waiting: WaitingProduce, timeout_ms: int) -> list[Effect]:
    """Answer for records that are written already once they are where who asks wants them."""
    if is_done(state, waiting):
        return settle(state, [waiting])
    effects: list[Effect] = []
    if not state.waiting:
        effects.append(SetTimer(state.timer(PRODUCE_TIMER), timeout_ms))
    place = len(state.waiting)
    while place and state.waiting[place - 1].end_offset > waiting.end_offset:
        place -= 1
    state.waiting.insert(place, waiting)
    return effects


def listens(sender: NodeId, acks: int) -> bool:
    """Whether a producer is answered. With acks=0 it is not, but the own edge is: it closes its client's connection."""
    return acks != 0 or sender == EDGE_ID


def response(state: ReplicaState, error: ErrorCode, base_offset: Offset = UNKNOWN_OFFSET) -> ProduceResponse:
    """What a producer is told. Records that are written have their offset, whatever became of them then.

    Source: Kafka ReplicaManager.appendToLocalLog for the errors that leave the log start out, DelayedProduce.
    """
    topic, partition = state.topic_partition
    knows_start = base_offset != UNKNOWN_OFFSET or error not in _WITHOUT_LOG_START
    return ProduceResponse(
        error=error,
        topic=topic,
        partition=partition,
        base_offset=base_offset,
        leader_id=state.leader,
        leader_epoch=state.leader_epoch,
        log_start_offset=state.log.log_start_offset if knows_start else UNKNOWN_OFFSET,
    )


def acknowledge(state: ReplicaState, sender: NodeId, correlation: int, base_offset: Offset) -> list[Effect]:
    """The records of a request without acks are in the log. No event tells of it: no producer hears it."""
    if not listens(sender, 0):
        return []
    return [Send(sender, response(state, ErrorCode.NONE, base_offset), correlation)]


def answer(
    state: ReplicaState, answered: Sequence[WaitingProduce], error: ErrorCode, decision: Decision | None = None
) -> list[Effect]:
    """Answer requests of one client whose records lie side by side."""
    topic, partition = state.topic_partition
    first, last = answered[0], answered[-1]
    if first.marker is not None:
        return _answer_marker(state, first, first.marker, error)
    event = ProduceAnswered(
        topic=topic,
        partition=partition,
        client_id=first.client_id,
        error=error,
        acks=first.acks,
        base_offset=first.base_offset,
        count=last.end_offset - first.base_offset,
        kafka_client=first.sender == EDGE_ID,
    )
    effects: list[Effect] = [Emit(event, decision)]
    for waiting in answered:
        effects.append(Send(waiting.sender, response(state, error, waiting.base_offset), waiting.correlation))
    return effects


def _answer_marker(
    state: ReplicaState, waiting: WaitingProduce, marker: WriteTxnMarkersRequest, error: ErrorCode
) -> list[Effect]:
    """Tell the coordinator of the transaction and, of offsets, the coordinator of groups beside this leader."""
    effects: list[Effect] = []
    topic, partition = state.topic_partition
    if topic == OFFSETS_TOPIC and error == ErrorCode.NONE:
        decided = OffsetsDecided(
            partition=partition,
            producer_id=marker.producer_id,
            committed=marker.committed,
            offset=waiting.base_offset,
        )
        effects.append(Send(state.shared.broker_id, decided, 0))
    return [*effects, Send(waiting.sender, marker_response(state, error), waiting.correlation)]


def marker_response(state: ReplicaState, error: ErrorCode) -> WriteTxnMarkersResponse:
    """What the coordinator of a transaction is told."""
    topic, partition = state.topic_partition
    return WriteTxnMarkersResponse(error=error, topic=topic, partition=partition, leader_id=state.leader)
