"""Replication by fetch: the follower's loop and the leader's answers. Source: KIP-595 Fetch; spec B.6 and B.8."""

from __future__ import annotations

from cluster.model.effects import Append, CancelTimer, Effect, Emit, Flush, HaltNode, Send, SetTimer, Truncate
from cluster.model.errors import ErrorCode
from cluster.model.events import MetadataAppended, MetadataDiverged, MetadataHighWatermarkAdvanced, MetadataTruncated
from cluster.model.identifiers import METADATA, NO_NODE, EpochEnd, NodeId, Offset
from cluster.model.messages import FetchRequest, FetchResponse
from cluster.model.record_batch import batches, is_intact
from cluster.raft import describing, leadership
from cluster.raft.roles import Role
from cluster.raft.rules import diverging_epoch, truncation_point
from cluster.raft.state import ParkedFetch, QuorumState

FETCH_TIMER = "quorum.fetch"
FETCH_RETRY_TIMER = "quorum.fetch_retry"
PARKED_TIMER = "quorum.parked."
NO_FETCH = -1
BATCHES_PER_EVENT = 1000
"""A node far behind gets many batches at once; one event tells of so many at most."""


def send_fetch(state: QuorumState) -> list[Effect]:
    """Ask the leader, or for an observer that has no leader or gets no answer the next voter. One at a time.

    An observer whose leader is gone does not forget it: who leads next is known once somebody names another one in a
    higher epoch. Source: KafkaRaftClient.pollFollowerAsObserver.

    A fetch acknowledges all below its offset, so it waits while a flush is on its way: on_flushed sends it then.
    """
    if state.log.flushed_offset < state.log.log_end_offset:
        state.fetch_correlation = NO_FETCH
        return [CancelTimer(FETCH_RETRY_TIMER)]
    target = state.leader_id
    if target == NO_NODE or state.asks_around:
        others = [voter for voter in sorted(state.voters) if voter != target] or [target]
        target = others[state.fetch_target % len(others)]
        state.fetch_target += 1
    state.fetch_correlation, state.fetch_asked = state.correlation(), target
    request = FetchRequest(
        replica_id=state.node_id,
        topic=METADATA.topic,
        partition=METADATA.partition,
        current_leader_epoch=state.epoch,
        fetch_offset=state.log.log_end_offset,
        last_fetched_epoch=state.log.last_epoch,
        high_watermark=state.high_watermark,
        max_wait_ms=state.settings.quorum_fetch_max_wait_ms,
        max_bytes=state.settings.fetch_max_bytes,
    )
    patience_ms = state.settings.quorum_request_timeout_ms
    return [Send(target, request, state.fetch_correlation), SetTimer(FETCH_RETRY_TIMER, patience_ms)]


def on_fetch_retry(state: QuorumState) -> list[Effect]:
    """No answer in time, or the back-off is over."""
    if state.fetch_correlation != NO_FETCH:
        _note_silence(state)
    return send_fetch(state) if state.role in (Role.FOLLOWER, Role.OBSERVER) else []


def _note_silence(state: QuorumState) -> None:
    """An observer asks its leader and the other voters in turn while the leader does not answer."""
    state.asks_around = state.role is Role.OBSERVER and state.fetch_asked == state.leader_id


def on_disconnected(state: QuorumState, peer: NodeId) -> list[Effect]:
    """Its answer is lost: ask again after the back-off, an observer the next voter. Source: Kafka NetworkClient."""
    if peer != state.fetch_asked or state.fetch_correlation == NO_FETCH:
        return []
    if state.role not in (Role.FOLLOWER, Role.OBSERVER):
        return []
    state.fetch_correlation = NO_FETCH
    _note_silence(state)
    return [SetTimer(FETCH_RETRY_TIMER, state.settings.quorum_retry_backoff_ms)]


def on_fetch_request(
    state: QuorumState, sender: NodeId, correlation: int, request: FetchRequest, now_ms: int
) -> list[Effect]:
    """Answer, or park when there is nothing to give. Voters' progress counts, observers' does not."""
    if request.current_leader_epoch < state.epoch:
        return [refusal(state, sender, correlation, ErrorCode.FENCED_LEADER_EPOCH)]
    if request.current_leader_epoch > state.epoch:
        return [refusal(state, sender, correlation, ErrorCode.UNKNOWN_LEADER_EPOCH)]
    if state.role is not Role.LEADER:
        return [refusal(state, sender, correlation, ErrorCode.NOT_LEADER_OR_FOLLOWER)]
    end_offset = state.log.log_end_offset
    diverging = diverging_epoch(state.log.leader_epochs, end_offset, request.last_fetched_epoch, request.fetch_offset)
    if diverging is not None:
        event = MetadataDiverged(
            replica_id=sender,
            fetch_offset=request.fetch_offset,
            last_fetched_epoch=request.last_fetched_epoch,
            diverging_epoch=diverging.epoch,
            diverging_end_offset=diverging.end_offset,
        )
        return [Emit(event), Send(sender, _answer(state, b"", diverging), correlation)]
    describing.note_fetch(state, sender, request.fetch_offset, now_ms)
    effects = leadership.note_contact(state, sender)
    if sender in state.voter_ends and request.fetch_offset != state.voter_ends[sender]:
        state.voter_ends[sender] = request.fetch_offset
        effects += leadership.try_advance(state)
    state.parked[sender] = ParkedFetch(request, correlation)
    effects.append(SetTimer(f"{PARKED_TIMER}{sender}", request.max_wait_ms))
    return [*effects, *answer_parked(state)]


def answer_parked(state: QuorumState) -> list[Effect]:
    """Answer each waiting fetch that now has records or a newer high watermark to learn."""
    effects: list[Effect] = []
    for replica, waiting in sorted(state.parked.items()):
        request = waiting.request
        behind = request.fetch_offset < state.log.log_end_offset
        if behind or state.high_watermark > request.high_watermark or request.max_wait_ms == 0:
            effects += _release(state, replica)
    return effects


def on_parked_timeout(state: QuorumState, replica: NodeId) -> list[Effect]:
    """The longest wait is over: answer with nothing."""
    return _release(state, replica) if replica in state.parked else []


def _release(state: QuorumState, replica: NodeId) -> list[Effect]:
    waiting = state.parked.pop(replica)
    records = b""
    if waiting.request.fetch_offset < state.log.log_end_offset:
        records = state.log.read(waiting.request.fetch_offset, waiting.request.max_bytes)
    timer = CancelTimer(f"{PARKED_TIMER}{replica}")
    return [timer, Send(replica, _answer(state, records, None), waiting.correlation)]


def _answer(state: QuorumState, records: bytes, diverging: EpochEnd | None) -> FetchResponse:
    return FetchResponse(
        topic=METADATA.topic,
        partition=METADATA.partition,
        leader_id=state.leader_id,
        leader_epoch=state.epoch,
        high_watermark=state.high_watermark,
        log_start_offset=state.log.log_start_offset,
        records=records,
        diverging=diverging,
    )


def refusal(state: QuorumState, sender: NodeId, correlation: int, error: ErrorCode) -> Send:
    """No records, but the epoch and leader known here."""
    answer = FetchResponse(
        error=error,
        topic=METADATA.topic,
        partition=METADATA.partition,
        leader_id=state.leader_id,
        leader_epoch=state.epoch,
    )
    return Send(sender, answer, correlation)


def on_fetch_response(state: QuorumState, sender: NodeId, correlation: int, response: FetchResponse) -> list[Effect]:
    """Cut, append, or try elsewhere; a late answer is dropped."""
    if correlation != state.fetch_correlation or response.leader_epoch < state.epoch:
        return []
    if state.role not in (Role.FOLLOWER, Role.OBSERVER):
        return []
    effects = leadership.learn_leader(
        state, response.leader_epoch, response.leader_id, f"node {sender} named the leader"
    )
    if effects:
        return effects
    if response.error or sender != state.leader_id:
        state.fetch_correlation = NO_FETCH
        _note_silence(state)
        return [*effects, SetTimer(FETCH_RETRY_TIMER, state.settings.quorum_retry_backoff_ms)]
    state.has_fetched, state.asks_around = True, False
    if state.is_voter:
        effects.append(SetTimer(FETCH_TIMER, state.settings.quorum_fetch_timeout_ms))
    if response.diverging is not None:
        return [*effects, *_truncate(state, response.diverging)]
    end_offset = state.log.log_end_offset
    if response.records and not is_intact(response.records):  # Kafka logs it, writes nothing, and asks again
        state.fetch_correlation = NO_FETCH
        return [*effects, SetTimer(FETCH_RETRY_TIMER, state.settings.quorum_retry_backoff_ms)]
    if response.records:
        appended, end_offset = _append(state, response.records)
        effects += appended
    effects += _learn_high_watermark(state, min(end_offset, response.high_watermark))
    if response.records:
        state.fetch_correlation = NO_FETCH
        return [*effects, CancelTimer(FETCH_RETRY_TIMER), Flush(METADATA)]
    return [*effects, *send_fetch(state)]


def on_flushed(state: QuorumState) -> list[Effect]:
    """What was fetched is on disk: the next fetch acknowledges it."""
    if state.role in (Role.FOLLOWER, Role.OBSERVER) and state.fetch_correlation == NO_FETCH:
        return send_fetch(state)
    return []


def _append(state: QuorumState, records: bytes) -> tuple[list[Effect], Offset]:
    headers = [header for header, _ in batches(records)]
    assert headers[0].base_offset == state.log.log_end_offset, "a fetch answer continues our log"
    end_offset = headers[-1].end_offset
    effects: list[Effect] = []
    for first in range(0, len(headers), BATCHES_PER_EVENT):
        part = headers[first : first + BATCHES_PER_EVENT]
        appended = MetadataAppended(
            base_offset=part[0].base_offset,
            end_offset=part[-1].end_offset,
            epochs=tuple((header.leader_epoch, header.base_offset) for header in part),
            kinds=(),
            role=str(state.role),
            digests=tuple(f"{header.crc:08x}" for header in part),
        )
        effects.append(Emit(appended))
    return [*effects, Append(METADATA, records)], end_offset


def _learn_high_watermark(state: QuorumState, high_watermark: Offset) -> list[Effect]:
    if high_watermark <= state.high_watermark:
        return []
    state.high_watermark = high_watermark
    event = MetadataHighWatermarkAdvanced(
        epoch=state.epoch, high_watermark=high_watermark, role=str(state.role), log_end_offsets=()
    )
    return [Emit(event)]


def _truncate(state: QuorumState, diverging: EpochEnd) -> list[Effect]:
    """Cut to where our log leaves the leader's; a committed record is never cut, the node ends instead.

    That happens only when a voter came back with less than it had promised. Source: Kafka KafkaMetadataLog.truncate.
    """
    old_end = state.log.log_end_offset
    end_offset = truncation_point(state.log.leader_epochs, old_end, diverging)
    if end_offset < state.high_watermark:
        return [HaltNode(f"the leader's log leaves ours at {end_offset}, below high watermark {state.high_watermark}")]
    event = MetadataTruncated(
        end_offset=end_offset,
        old_end_offset=old_end,
        high_watermark=state.high_watermark,
        why=f"the leader's epoch {diverging.epoch} ends at {diverging.end_offset}",
    )
    state.fetch_correlation = NO_FETCH
    return [Emit(event), Truncate(METADATA, end_offset), Flush(METADATA)]
