"""Markers: a partition's leader writes how a transaction ended. Source: KafkaApis.handleWriteTxnMarkersRequest."""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import MarkerRefused, MarkerWritten
from cluster.model.identifiers import EDGE_ID, NodeId
from cluster.model.messages import ProduceRequest, WriteTxnMarkersRequest
from cluster.model.record_batch import CorruptBatchError, read_header
from cluster.model.ruling import Decision
from cluster.model.transaction_marker import Marker, encode_marker
from cluster.replication import appending, verification, waiting_produces
from cluster.replication.rules.acknowledgement import may_append
from cluster.replication.rules.transactions import MarkerFate, may_write_marker
from cluster.replication.state import LEADS, ReplicaState, WaitingProduce

CLIENT_ID = "transaction-coordinator"


def on_write_marker(
    state: ReplicaState, sender: NodeId, correlation: int, request: WriteTxnMarkersRequest, now_ms: int
) -> list[Effect]:
    """End a producer's transaction in this partition; the answer comes when the marker is committed."""
    if state.role is not LEADS:
        return _refuse_marker(state, sender, correlation, request, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    in_sync = may_append(-1, state.isr, state.min_insync_replicas)
    if not in_sync.granted:
        return _refuse_marker(state, sender, correlation, request, ErrorCode.NOT_ENOUGH_REPLICAS, in_sync.decision)
    try:
        state.producers.catch_up(state.log)
    except CorruptBatchError:
        return _refuse_marker(state, sender, correlation, request, ErrorCode.KAFKA_STORAGE_ERROR)
    producer = state.producers.entry(request.producer_id)
    ruling = may_write_marker(
        producer, request.producer_epoch, request.coordinator_epoch, bumps_epoch=request.bumps_epoch
    )
    if isinstance(ruling.value, ErrorCode):
        return _refuse_marker(state, sender, correlation, request, ruling.value, ruling.decision)
    if ruling.value is MarkerFate.WRITTEN:
        assert producer is not None
        return _again(state, sender, correlation, request, producer.end_offset, now_ms, ruling.decision)
    effects = verification.refuse_late(
        state, request.producer_id, request.producer_epoch, bumps_epoch=request.bumps_epoch
    )
    marker = Marker(request.committed, request.coordinator_epoch)
    batch = encode_marker(request.producer_id, request.producer_epoch, marker)
    header = read_header(batch)
    topic, partition = state.topic_partition
    event = MarkerWritten(
        topic=topic,
        partition=partition,
        producer_id=request.producer_id,
        producer_epoch=request.producer_epoch,
        committed=request.committed,
        offset=state.end_offset,
        first_offset=state.producers.transactions.open_from(request.producer_id),
        coordinator_epoch=request.coordinator_epoch,
        by_client=sender == EDGE_ID,
    )
    state.producers.wrote(header, state.end_offset, batch)
    append = ProduceRequest(
        client_id=CLIENT_ID, topic=topic, partition=partition, acks=-1, timeout_ms=_timeout_ms(state), records=batch
    )
    effects.append(Emit(event, ruling.decision))
    return [*effects, *appending.append(state, sender, correlation, append, header, (), now_ms, request)]


def _timeout_ms(state: ReplicaState) -> int:
    return state.settings.request_timeout_ms


def _again(
    state: ReplicaState,
    sender: NodeId,
    correlation: int,
    request: WriteTxnMarkersRequest,
    end_offset: int,
    now_ms: int,
    decision: Decision,
) -> list[Effect]:
    """The marker is there: say so once it is committed."""
    waiting = WaitingProduce(
        end_offset=end_offset,
        base_offset=end_offset - 1,
        sender=sender,
        correlation=correlation,
        client_id=CLIENT_ID,
        acks=-1,
        deadline_ms=now_ms + _timeout_ms(state),
        marker=request,
    )
    event = _told_marker(request, ErrorCode.NONE)
    return [Emit(event, decision), *waiting_produces.await_commit(state, waiting, _timeout_ms(state))]


def _refuse_marker(
    state: ReplicaState,
    sender: NodeId,
    correlation: int,
    request: WriteTxnMarkersRequest,
    error: ErrorCode,
    decision: Decision | None = None,
) -> list[Effect]:
    answer = Send(sender, waiting_produces.marker_response(state, error), correlation)
    return [Emit(_told_marker(request, error), decision), answer]


def _told_marker(request: WriteTxnMarkersRequest, error: ErrorCode) -> MarkerRefused:
    return MarkerRefused(
        topic=request.topic,
        partition=request.partition,
        producer_id=request.producer_id,
        producer_epoch=request.producer_epoch,
        committed=request.committed,
        coordinator_epoch=request.coordinator_epoch,
        error=error,
    )
