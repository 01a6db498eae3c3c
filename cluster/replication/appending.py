"""A leader writes a batch at the end of its log, and answers for it. Source: Kafka Partition.appendRecordsToLeader."""

from __future__ import annotations

from cluster.model.effects import Append, Effect, Emit, Flush, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ReplicaAppended
from cluster.model.identifiers import NodeId
from cluster.model.messages import ProduceRequest, WriteTxnMarkersRequest
from cluster.model.record_batch import BatchHeader, with_offset_and_epoch
from cluster.replication import idempotence, waiting_fetches, waiting_produces, watermark
from cluster.replication.producer_state import told_transactional
from cluster.replication.state import LEADER, ReplicaState, WaitingProduce


def write(
    state: ReplicaState, sender: NodeId, correlation: int, request: ProduceRequest, header: BatchHeader, now_ms: int
) -> list[Effect]:
    """Append a batch that may be appended, unless its producer's sequence says otherwise."""
    sequences: idempotence.Sequences = ()
    if header.producer_id >= 0:
        answered, sequences = idempotence.on_sequenced(state, sender, correlation, request, header, now_ms)
        if answered:
            return answered
    return append(state, sender, correlation, request, header, sequences, now_ms)


def append(
    state: ReplicaState,
    sender: NodeId,
    correlation: int,
    request: ProduceRequest,
    header: BatchHeader,
    sequences: idempotence.Sequences,
    now_ms: int,
    marker: WriteTxnMarkersRequest | None = None,
) -> list[Effect]:
    """Write a batch at the end of the log; answer now, or once it is committed."""
    base_offset, leader_epoch = state.end_offset, state.leader_epoch
    end_offset = base_offset + header.count
    placed = with_offset_and_epoch(request.records, base_offset, leader_epoch)
    state.end_offset, state.tail = end_offset, state.tail + placed if state.tail else placed
    topic, partition = state.topic_partition
    event = ReplicaAppended(
        topic=topic,
        partition=partition,
        base_offset=base_offset,
        count=header.count,
        end_offset=end_offset,
        leader_epoch=leader_epoch,
        batches=((base_offset, header.count, leader_epoch, f"{header.crc:08x}"),),
        role=LEADER,
        size_bytes=len(placed),
        sequences=sequences,
        transactional=told_transactional([(header, placed)]) if header.transactional else (),
    )
    effects: list[Effect] = [Emit(event), Append(state.topic_partition, placed)]
    waiting = WaitingProduce(
        end_offset=end_offset,
        base_offset=base_offset,
        sender=sender,
        correlation=correlation,
        client_id=request.client_id,
        acks=request.acks,
        deadline_ms=now_ms + request.timeout_ms,
        marker=marker,
    )
    if state.parked:
        effects += waiting_fetches.wake(state)
    if state.settings.flush_partitions:
        effects.append(Flush(state.topic_partition))
    if request.acks == -1 or (request.acks == 1 and state.settings.flush_partitions):
        if not state.waiting:
            effects.append(SetTimer(state.timer(waiting_produces.PRODUCE_TIMER), request.timeout_ms))
        state.waiting.append(waiting)
    elif request.acks == 1:
        effects += waiting_produces.answer(state, [waiting], ErrorCode.NONE)
    else:
        effects += waiting_produces.acknowledge(state, sender, correlation, base_offset)
    if len(state.maximal_isr) == 1 or state.by_majority:
        effects += watermark.advance(state, now_ms)
    return effects
