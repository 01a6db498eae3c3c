"""A leader's answers to ListOffsets. Source: Kafka Partition.fetchOffsetForTimestamp; KIP-79, KIP-207, KIP-734."""

from __future__ import annotations

from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.messages import ListOffsetsRequest, ListOffsetsResponse
from cluster.model.messages.records import EARLIEST, EARLIEST_LOCAL, LATEST, LATEST_TIERED, MAX_TIMESTAMP
from cluster.model.record_batch import CorruptBatchError
from cluster.replication.rules.leader_epoch import check_leader_epoch
from cluster.replication.state import LEADS, ReplicaState
from cluster.replication.time_index import FoundRecord
from cluster.replication.waiting_fetches import readable_end

NOTHING = FoundRecord(UNKNOWN_OFFSET, -1, NO_EPOCH)


def on_request(
    state: ReplicaState, sender: NodeId, correlation: int, request: ListOffsetsRequest, _now_ms: int
) -> list[Effect]:
    """Answer one question about one partition."""
    error = check_leader_epoch(
        request.current_leader_epoch,
        state.leader_epoch,
        is_leader=state.role is LEADS,
        is_replica=request.replica_id in state.followers,
        is_consumer=request.replica_id == NO_NODE,
    ).value
    record = NOTHING
    if error == ErrorCode.NONE:
        error, record = _find(state, request)
    topic, partition = state.topic_partition
    response = ListOffsetsResponse(
        error=error,
        topic=topic,
        partition=partition,
        timestamp_ms=record.timestamp_ms,
        offset=record.offset,
        leader_epoch=record.leader_epoch,
        leader_id=state.leader,
    )
    return [Send(sender, response, correlation)]


def _find(state: ReplicaState, request: ListOffsetsRequest) -> tuple[ErrorCode, FoundRecord]:
    is_consumer, start_offset = request.replica_id == NO_NODE, state.log.log_start_offset
    limit = readable_end(state, request)
    lagging = is_consumer and state.epoch_start_offset > state.high_watermark
    asked = request.timestamp_ms
    if asked == LATEST:
        latest = FoundRecord(limit, -1, state.leader_epoch)
        return (ErrorCode.OFFSET_NOT_AVAILABLE, NOTHING) if lagging else (ErrorCode.NONE, latest)
    if asked in (EARLIEST, EARLIEST_LOCAL):
        return ErrorCode.NONE, FoundRecord(start_offset, -1, state.log.leader_epochs.epoch_at(start_offset))
    if asked == LATEST_TIERED:
        return ErrorCode.NONE, NOTHING
    if asked < LATEST_TIERED:
        return ErrorCode.UNSUPPORTED_VERSION, NOTHING
    try:
        if asked == MAX_TIMESTAMP:
            record = state.times.largest(state.log, start_offset)
        else:
            record = state.times.first_at(state.log, asked, start_offset)
    except CorruptBatchError:
        return ErrorCode.CORRUPT_MESSAGE, NOTHING
    return may_tell(record, limit, lagging=lagging)


def may_tell(found: FoundRecord | None, limit: Offset, *, lagging: bool) -> tuple[ErrorCode, FoundRecord]:
    """Whether the asker may hear of what was found by its time: only of what it could read. Source: KIP-207.

    Args:
        limit: where the asker's reading ends (exclusive): the high watermark for a consumer.
        lagging: the leader's high watermark has not reached the start of its epoch yet, so what it has found, or will
            find, may be committed without its knowing.
    """
    if found is not None and found.offset < limit:
        return ErrorCode.NONE, found
    return (ErrorCode.OFFSET_NOT_AVAILABLE if lagging else ErrorCode.NONE), NOTHING
