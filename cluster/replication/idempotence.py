"""A leader and the batches of idempotent producers: refused, written already, or new. Source: KIP-98, UnifiedLog."""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import ProduceDuplicated, ProduceRefused
from cluster.model.identifiers import NodeId, Offset
from cluster.model.messages import ProduceRequest
from cluster.model.record_batch import BatchHeader, CorruptBatchError, sequence_of
from cluster.model.ruling import Decision
from cluster.replication import waiting_produces, watermark
from cluster.replication.producer_state import SequencedBatch
from cluster.replication.rules.idempotent_producer import check_sequence
from cluster.replication.rules.transactions import may_write_outside
from cluster.replication.state import ReplicaState, WaitingProduce

Sequences = tuple[tuple[Offset, int, int, int], ...]
"""(base offset, producer id, producer epoch, base sequence) each, as an event tells it."""


def on_sequenced(
    state: ReplicaState,
    sender: NodeId,
    correlation: int,
    request: ProduceRequest,
    header: BatchHeader,
    now_ms: int,
) -> tuple[list[Effect], Sequences]:
    """Judge a batch that is otherwise fit to be written.

    Returns:
        The whole answer when it is not to be written; else nothing, and how the event of the append tells of it: then
        the batch is noted as the next of the log.
    """
    try:
        state.producers.catch_up(state.log)
    except CorruptBatchError:
        return refuse(state, sender, correlation, request, ErrorCode.KAFKA_STORAGE_ERROR, None), ()
    epoch, base_sequence = sequence_of(request.records)
    producer = state.producers.entry(header.producer_id)
    if not header.transactional:
        beside = may_write_outside(state.producers.transactions.open_from(header.producer_id), header.producer_id)
        if not beside.granted:
            return refuse(state, sender, correlation, request, beside.value, beside.decision), ()
    ruling = check_sequence(producer, header.producer_id, epoch, base_sequence, header.count)
    error, duplicate = ruling.value
    if error != ErrorCode.NONE:
        sequence = (header.producer_id, epoch, base_sequence, header.count)
        return refuse(state, sender, correlation, request, error, ruling.decision, sequence), ()
    if duplicate is not None:
        duplicated = ProduceDuplicated(
            topic=request.topic,
            partition=request.partition,
            client_id=request.client_id,
            producer_id=header.producer_id,
            producer_epoch=epoch,
            base_sequence=base_sequence,
            base_offset=duplicate.base_offset,
            count=header.count,
        )
        # As any append does: a follower that held the high watermark back may have run out of its time.
        effects = [Emit(duplicated, ruling.decision), *watermark.advance(state, now_ms)]
        return [*effects, *_acknowledge(state, sender, correlation, request, duplicate, now_ms)], ()
    state.producers.wrote(header, state.end_offset, request.records)
    return [], ((state.end_offset, header.producer_id, epoch, base_sequence),) if base_sequence >= 0 else ()


def _acknowledge(
    state: ReplicaState,
    sender: NodeId,
    correlation: int,
    request: ProduceRequest,
    written: SequencedBatch,
    now_ms: int,
) -> list[Effect]:
    """What is written already is acknowledged like what was just written: with acks=all once it is committed."""
    waiting = WaitingProduce(
        end_offset=written.end_offset,
        base_offset=written.base_offset,
        sender=sender,
        correlation=correlation,
        client_id=request.client_id,
        acks=request.acks,
        deadline_ms=now_ms + request.timeout_ms,
    )
    if request.acks == 0:
        return waiting_produces.acknowledge(state, sender, correlation, written.base_offset)
    return waiting_produces.await_commit(state, waiting, request.timeout_ms)


def refuse(
    state: ReplicaState,
    sender: NodeId,
    correlation: int,
    request: ProduceRequest,
    error: ErrorCode,
    decision: Decision | None,
    sequence: tuple[int, ...] = (),
) -> list[Effect]:
    """Say why nothing was written. `sequence` as the event tells it."""
    event = ProduceRefused(
        topic=request.topic,
        partition=request.partition,
        client_id=request.client_id,
        error=error,
        acks=request.acks,
        sequence=sequence,
    )
    effects: list[Effect] = [Emit(event, decision)]
    if waiting_produces.listens(sender, request.acks):
        effects.append(Send(sender, waiting_produces.response(state, error), correlation))
    return effects
