"""A leader answers fetches: parks them, counts progress, moves the high watermark. Source: KIP-595."""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import MetadataDiverged, MetadataHighWatermarkAdvanced, SnapshotOffered
from cluster.model.identifiers import METADATA, EpochEnd, NodeId, SnapshotId
from cluster.model.messages import FetchRequest, FetchResponse
from cluster.raft import describing, timers
from cluster.raft.roles import LEADS
from cluster.raft.rules.check_quorum import check_quorum
from cluster.raft.rules.high_watermark import advance_high_watermark
from cluster.raft.rules.leader_epoch import check_leader_epoch
from cluster.raft.rules.snapshots import snapshot_to_send
from cluster.raft.rules.truncation import diverging_epoch
from cluster.raft.state import ParkedFetch, QuorumState


def on_fetch_request(
    state: QuorumState, sender: NodeId, correlation: int, request: FetchRequest, now_ms: int
) -> list[Effect]:
    """Answer, or park when there is nothing to give. Voters' progress counts, observers' does not."""
    error = check_leader_epoch(request.current_leader_epoch, state.epoch, is_leader=state.role is LEADS).value
    if error != ErrorCode.NONE:
        return [refusal(state, sender, correlation, error)]
    if state.snapshots.kept or request.fetch_offset < state.log.log_start_offset:
        offered = _offer_snapshot(state, sender, correlation, request)
        if offered:
            return offered
    ruling = diverging_epoch(
        state.log.leader_epochs, state.log.log_end_offset, request.last_fetched_epoch, request.fetch_offset
    )
    diverging = ruling.value
    if diverging is not None:
        event = MetadataDiverged(
            replica_id=sender,
            fetch_offset=request.fetch_offset,
            last_fetched_epoch=request.last_fetched_epoch,
            diverging_epoch=diverging.epoch,
            diverging_end_offset=diverging.end_offset,
        )
        return [Emit(event, ruling.decision), Send(sender, _answer(state, b"", diverging), correlation)]
    describing.note_fetch(state, sender, request, now_ms)
    is_voter = state.is_key(sender, request.directory_id)
    effects = note_contact(state, sender, request.directory_id)
    # Also when it is less than before. A voter whose disk has lied about a flush is back with a shorter log, and to
    # remember its best would count records on it that it has no more. The high watermark itself never falls.
    if is_voter and sender in state.voter_ends and request.fetch_offset != state.voter_ends[sender]:
        state.voter_ends[sender] = request.fetch_offset
        effects += try_advance(state)
    state.parked[sender] = ParkedFetch(request, correlation)
    effects.append(SetTimer(f"{timers.PARKED_TIMER}{sender}", request.max_wait_ms))
    return [*effects, *answer_parked(state)]


def _offer_snapshot(state: QuorumState, sender: NodeId, correlation: int, request: FetchRequest) -> list[Effect]:
    """Nothing where the log can tell what is wanted. A leader whose snapshots are all bad has to write one first."""
    kept, start = [one.snapshot_id for one in state.snapshots.kept], state.log.log_start_offset
    if not kept:
        return [refusal(state, sender, correlation, ErrorCode.SNAPSHOT_NOT_FOUND)]
    ruling = snapshot_to_send(request.fetch_offset, request.last_fetched_epoch, start, kept)
    if ruling.value is None:
        return []
    event = SnapshotOffered(
        replica_id=sender,
        fetch_offset=request.fetch_offset,
        last_fetched_epoch=request.last_fetched_epoch,
        log_start_offset=start,
        end_offset=ruling.value.end_offset,
        epoch=ruling.value.epoch,
    )
    answer = _answer(state, b"", None, ruling.value)
    return [Emit(event, ruling.decision), Send(sender, answer, correlation)]


def note_contact(state: QuorumState, voter: NodeId, directory_id: str) -> list[Effect]:
    """A node fetched, from that disk. Once a majority of voters has, the check-quorum timer starts anew."""
    if voter == state.node_id or not state.is_key(voter, directory_id):
        return []
    state.heard.add(voter)
    state.recent.add(voter)
    return begin_anew(state)


def begin_anew(state: QuorumState) -> list[Effect]:
    """The next wait of check-quorum, when those that were heard in this one are a majority."""
    patience_ms = timers.check_quorum_ms(state)
    if not check_quorum(state.heard, len(state.voters), patience_ms, is_voter=state.is_voter).granted:
        return []
    state.heard = set()
    return [timers.set_check_timer(state)]


def try_advance(state: QuorumState) -> list[Effect]:
    """Move the high watermark when a majority allows it."""
    ruling = advance_high_watermark(state.voter_ends, state.epoch_start_offset, state.high_watermark)
    if not ruling.granted:
        return []
    state.high_watermark = ruling.value
    event = MetadataHighWatermarkAdvanced(
        epoch=state.epoch,
        high_watermark=ruling.value,
        role=str(state.role),
        log_end_offsets=tuple(sorted(state.voter_ends.items())),
    )
    return [Emit(event, ruling.decision)]


def answer_parked(state: QuorumState) -> list[Effect]:
    """Answer each waiting fetch that now has records or a newer high watermark to learn."""
    effects: list[Effect] = []
    end_offset, high_watermark = state.log.log_end_offset, state.high_watermark
    for replica, waiting in sorted(state.parked.items()):
        request = waiting.request
        is_behind = request.fetch_offset < end_offset or request.high_watermark < high_watermark
        if is_behind or request.max_wait_ms == 0:
            effects.append(_release(state, replica))
    return effects


def on_parked_timeout(state: QuorumState, replica: NodeId) -> list[Effect]:
    """The longest wait is over: answer with nothing."""
    return [_release(state, replica)] if replica in state.parked else []


def _release(state: QuorumState, replica: NodeId) -> Effect:
    """Its timer stays: the next fetch of that node sets it anew, and if it fires before, it finds nothing."""
    waiting = state.parked.pop(replica)
    records = b""
    if waiting.request.fetch_offset < state.log.log_end_offset:
        records = state.log.read(waiting.request.fetch_offset, waiting.request.max_bytes)
    return Send(replica, _answer(state, records, None), waiting.correlation)


def drop_parked(state: QuorumState) -> list[Effect]:
    """Waiting fetches are told that this node does not lead."""
    parked, state.parked = state.parked, {}
    return [
        refusal(state, replica, waiting.correlation, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        for replica, waiting in sorted(parked.items())
    ]


def _answer(
    state: QuorumState, records: bytes, diverging: EpochEnd | None, snapshot: SnapshotId | None = None
) -> FetchResponse:
    return FetchResponse(
        topic=METADATA.topic,
        partition=METADATA.partition,
        leader_id=state.leader_id,
        leader_epoch=state.epoch,
        high_watermark=state.high_watermark,
        log_start_offset=state.log.log_start_offset,
        records=records,
        diverging=diverging,
        snapshot=snapshot,
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
