"""Following: take over an epoch and its leader, and what that leader sends. Source: KIP-595."""

from __future__ import annotations

from cluster.model.effects import Append, CancelTimer, Effect, Emit, Flush, HaltNode, Send, SetTimer, Truncate
from cluster.model.errors import ErrorCode
from cluster.model.events import MetadataAppended, MetadataHighWatermarkAdvanced, MetadataTruncated
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, EpochEnd, NodeId, Offset
from cluster.model.messages import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    FetchResponse,
)
from cluster.model.record_batch import batches, is_intact, read_header
from cluster.raft import fetching, serving, timers, voter_sets
from cluster.raft.roles import FETCHES, Role
from cluster.raft.rules.high_watermark import follower_high_watermark
from cluster.raft.rules.truncation import truncation_point
from cluster.raft.rules.votes import successor_backoff_ms
from cluster.raft.state import QuorumState

KNOWS = (*FETCHES, Role.PROSPECTIVE)
"""To hear once more of the leader they know changes nothing: a round of pre-votes goes on. Source: KIP-996."""
BATCHES_PER_EVENT = 1000
"""A node far behind gets many batches at once; one event tells of so many at most."""


def learn_leader(state: QuorumState, epoch: Epoch, leader_id: NodeId, why: str) -> list[Effect]:
    """Take over an epoch, and its leader when one is named, from what another node said."""
    if epoch < state.epoch or leader_id == state.node_id:
        return []
    if leader_id == NO_NODE:
        return become_unattached(state, epoch, why) if epoch > state.epoch else []
    if epoch == state.epoch and state.leader_id == leader_id and state.role in KNOWS:
        return []
    return become_follower(state, epoch, leader_id, why)


def become_unattached(state: QuorumState, epoch: Epoch, why: str) -> list[Effect]:
    """A higher epoch was seen, or the leader is not known any more."""
    if state.role is Role.OBSERVER:
        return state.move(Role.OBSERVER, why, epoch=epoch)
    effects = serving.drop_parked(state)
    moved = state.move(Role.UNATTACHED, why, epoch=epoch)
    effects = [*moved, *effects, *timers.stop_timers()]
    if not state.is_voter:  # it led, and has removed itself
        return [*effects, CancelTimer(timers.ELECTION_TIMER), *fetching.send_fetch(state)]
    return [*effects, timers.set_election_timer(state)]


def become_follower(state: QuorumState, epoch: Epoch, leader_id: NodeId, why: str) -> list[Effect]:
    """Follow and fetch at once."""
    effects = serving.drop_parked(state)
    effects += state.move(Role.FOLLOWER, why, epoch=epoch, leader_id=leader_id)
    effects += [*timers.stop_timers(), CancelTimer(timers.ELECTION_TIMER)]
    if state.is_voter:
        effects.append(SetTimer(timers.FETCH_TIMER, state.settings.quorum_fetch_timeout_ms))
    return [*effects, *fetching.send_fetch(state)]


def on_begin_request(
    state: QuorumState, sender: NodeId, correlation: int, request: BeginQuorumEpochRequest
) -> list[Effect]:
    """Follow the leader that announces itself, unless its epoch is over."""
    if request.epoch < state.epoch:
        return [_begin_refused(state, sender, correlation, ErrorCode.FENCED_LEADER_EPOCH)]
    if request.voter_directory_id not in ("", state.directory_id):  # it means a disk that is not here any more
        return [_begin_refused(state, sender, correlation, ErrorCode.INVALID_VOTER_KEY)]
    effects = learn_leader(state, request.epoch, request.leader_id, f"leader {request.leader_id} announced itself")
    answer = BeginQuorumEpochResponse(epoch=state.epoch, leader_id=state.leader_id)
    return [*effects, Send(sender, answer, correlation)]


def _begin_refused(state: QuorumState, sender: NodeId, correlation: int, error: ErrorCode) -> Send:
    answer = BeginQuorumEpochResponse(error=error, epoch=state.epoch, leader_id=state.leader_id)
    return Send(sender, answer, correlation)


def on_end_request(
    state: QuorumState, sender: NodeId, correlation: int, request: EndQuorumEpochRequest
) -> list[Effect]:
    """The leader leaves: campaign after a wait that grows with the place in its list."""
    if request.epoch < state.epoch:
        error = ErrorCode.FENCED_LEADER_EPOCH
        return [
            Send(sender, EndQuorumEpochResponse(error=error, epoch=state.epoch, leader_id=state.leader_id), correlation)
        ]
    effects = learn_leader(state, request.epoch, request.leader_id, f"leader {request.leader_id} resigns")
    effects.append(Send(sender, EndQuorumEpochResponse(epoch=state.epoch, leader_id=state.leader_id), correlation))
    if state.role is Role.FOLLOWER:
        candidates = request.preferred_candidates
        largest_ms = state.settings.quorum_election_backoff_max_ms
        is_named = state.node_id in candidates
        wait_ms = (
            successor_backoff_ms(candidates.index(state.node_id), len(candidates), largest_ms)
            if is_named
            else largest_ms
        )
        effects.append(SetTimer(timers.FETCH_TIMER, wait_ms))
    return effects


def on_fetch_response(state: QuorumState, sender: NodeId, correlation: int, response: FetchResponse) -> list[Effect]:
    """Cut, append, or try elsewhere; a late answer is dropped."""
    if correlation != state.fetch_correlation or response.leader_epoch < state.epoch:
        return []
    if state.role not in FETCHES:
        return []
    effects = learn_leader(state, response.leader_epoch, response.leader_id, f"node {sender} said so")
    if effects:
        return effects
    if response.error or sender != state.leader_id:
        state.fetch_correlation = fetching.NO_FETCH
        effects += fetching.note_silence(state)
        return [*effects, SetTimer(timers.FETCH_RETRY_TIMER, state.settings.quorum_retry_backoff_ms)]
    state.has_fetched, state.asks_around = True, False
    if state.is_voter:
        effects.append(SetTimer(timers.FETCH_TIMER, state.settings.quorum_fetch_timeout_ms))
    if response.snapshot is not None:
        return [*effects, *fetching.begin_snapshot_fetch(state, response.snapshot)]
    if response.diverging is not None:
        return [*effects, *_truncate(state, response.diverging)]
    end_offset = state.log.log_end_offset
    if response.records and not is_intact(response.records):  # Kafka logs it, writes nothing, and asks again
        state.fetch_correlation = fetching.NO_FETCH
        return [*effects, SetTimer(timers.FETCH_RETRY_TIMER, state.settings.quorum_retry_backoff_ms)]
    if response.records:
        begin = read_header(response.records).base_offset
        if begin != end_offset:  # a quorum forgot its log: the new one has other batches in the same epochs
            return [HaltNode(f"the leader's batch begins at {begin}, and our log ends at {end_offset}")]
        appended, end_offset = _append(state, response.records)
        effects += appended
        if state.history is not None and state.history.take_in(response.records):
            effects += [*voter_sets.adopt(state, "the leader wrote them"), *voter_sets.change_part(state)]
    effects += learn_high_watermark(state, response.high_watermark, end_offset)
    if response.records:
        state.fetch_correlation = fetching.NO_FETCH
        return [*effects, CancelTimer(timers.FETCH_RETRY_TIMER), Flush(METADATA)]
    return [*effects, *fetching.send_fetch(state)]


def _append(state: QuorumState, records: bytes) -> tuple[list[Effect], Offset]:
    headers = [header for header, _ in batches(records)]
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


def learn_high_watermark(state: QuorumState, leader_high_watermark: Offset, end_offset: Offset) -> list[Effect]:
    """Take over how far the leader has committed, as far as the own log goes."""
    ruling = follower_high_watermark(state.high_watermark, leader_high_watermark, end_offset)
    if not ruling.granted:
        return []
    state.high_watermark = ruling.value
    event = MetadataHighWatermarkAdvanced(
        epoch=state.epoch, high_watermark=ruling.value, role=str(state.role), log_end_offsets=()
    )
    return [Emit(event, ruling.decision)]


def _truncate(state: QuorumState, diverging: EpochEnd) -> list[Effect]:
    """Cut to where our log leaves the leader's; a committed record is never cut, the node ends instead.

    That happens only when a voter came back with less than it had promised. Source: KafkaMetadataLog.truncateTo.
    """
    old_end = state.log.log_end_offset
    ruling = truncation_point(state.log.leader_epochs, old_end, diverging)
    end_offset = ruling.value
    committed = max(state.high_watermark, state.committed_before)
    if end_offset < committed:
        return [HaltNode(f"the leader's log leaves ours at {end_offset}, below high watermark {committed}")]
    event = MetadataTruncated(
        end_offset=end_offset,
        old_end_offset=old_end,
        high_watermark=state.high_watermark,
        why=f"the leader's epoch {diverging.epoch} ends at {diverging.end_offset}",
    )
    state.fetch_correlation = fetching.NO_FETCH
    effects: list[Effect] = [Emit(event, ruling.decision), Truncate(METADATA, end_offset), Flush(METADATA)]
    if state.history is not None and state.history.cut(end_offset):
        effects += [*voter_sets.adopt(state, "the record after them was cut off"), *voter_sets.change_part(state)]
    return effects
