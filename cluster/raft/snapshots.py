"""Snapshots in the quorum: who is behind fetches one in chunks, and what one stands for is deleted. Source: KIP-630."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cluster.model.effects import (
    AdvanceLogStart,
    CancelTimer,
    DeleteSnapshots,
    Effect,
    Emit,
    Flush,
    InstallSnapshot,
    Send,
    SetTimer,
    WriteSnapshot,
)
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    MetadataLogStartAdvanced,
    SnapshotDeleted,
    SnapshotInstalled,
    SnapshotRejected,
    SnapshotWritten,
)
from cluster.model.identifiers import METADATA, NodeId, Offset, SnapshotId
from cluster.model.log_view import SnapshotView
from cluster.model.messages import FetchSnapshotRequest, FetchSnapshotResponse
from cluster.model.settings import Settings
from cluster.model.snapshot import BadSnapshotError, snapshot_name, verify_snapshot
from cluster.model.voters import VoterSet
from cluster.raft import fetching, following, serving, timers, voter_sets
from cluster.raft.roles import FETCHES, LEADS
from cluster.raft.rules.leader_epoch import check_leader_epoch
from cluster.raft.rules.snapshots import may_delete_oldest, snapshot_due
from cluster.raft.state import QuorumState, SnapshotFetch

CHECK_INTERVAL_MS = 60_000
"""How often retention is looked at while there is a newer snapshot. Source: RaftMetadataLogCleanerManager."""


class Applied(NamedTuple):
    """How far a node has come."""

    snapshot_id: SnapshotId
    """Of a snapshot that it would write now."""
    applied_bytes: int
    """Of batches, since it wrote or loaded one, or since it began."""
    age_ms: int
    """Since that snapshot, or that begin."""


class Made(NamedTuple):
    """A snapshot before it is written."""

    data: bytes
    record_count: int
    """Without header and footer."""
    digest: str
    """Of the image."""
    voters: VoterSet = ()
    """That it names; empty in a static quorum."""


def write_when_due(
    applied: Applied,
    view: SnapshotView,
    log_start_offset: Offset,
    settings: Settings,
    make: Callable[[SnapshotId], Made],
) -> list[Effect]:
    """Write what is applied as a snapshot when enough has come, and see then what it makes superfluous.

    A leader or follower whose log begins at a snapshot that has gone bad writes another at once.
    """
    snapshot_id, kept = applied.snapshot_id, view.kept
    is_missing = log_start_offset > 0 and not kept
    ruling = snapshot_due(applied.applied_bytes, applied.age_ms, settings, is_missing=is_missing)
    if not ruling.granted or (kept and snapshot_id.end_offset <= kept[-1].snapshot_id.end_offset):
        return []
    made = make(snapshot_id)
    written = SnapshotWritten(
        end_offset=snapshot_id.end_offset,
        epoch=snapshot_id.epoch,
        size_bytes=len(made.data),
        record_count=made.record_count,
        digest=made.digest,
        voters=tuple(voter.node_id for voter in made.voters),
        directories=tuple(voter.directory_id for voter in made.voters),
    )
    look = SetTimer(timers.RETENTION_TIMER, 0)
    return [WriteSnapshot(snapshot_id, made.data), Emit(written, ruling.decision), look]


def on_fetch_snapshot_request(
    state: QuorumState, sender: NodeId, correlation: int, request: FetchSnapshotRequest
) -> list[Effect]:
    """Give a chunk of a snapshot; it counts as contact with a voter. Source: handleFetchSnapshotRequest."""
    error = check_leader_epoch(request.current_leader_epoch, state.epoch, is_leader=state.role is LEADS).value
    data, size = b"", 0
    if error == ErrorCode.NONE:
        error, data, size = _chunk(state, request)
    answer = FetchSnapshotResponse(
        error=error,
        leader_id=state.leader_id,
        leader_epoch=state.epoch,
        snapshot_id=request.snapshot_id,
        size_bytes=size,
        position=request.position,
        data=data,
    )
    contact = serving.note_contact(state, sender, request.directory_id) if error == ErrorCode.NONE else []
    return [*contact, Send(sender, answer, correlation)]


def _chunk(state: QuorumState, request: FetchSnapshotRequest) -> tuple[ErrorCode, bytes, int]:
    """(error, bytes, size of the whole snapshot)."""
    sizes = {one.snapshot_id: one.size_bytes for one in state.snapshots.kept}
    size = sizes.get(request.snapshot_id)
    if size is None:
        return ErrorCode.SNAPSHOT_NOT_FOUND, b"", 0
    if not 0 <= request.position < size:
        return ErrorCode.POSITION_OUT_OF_RANGE, b"", size
    data = state.snapshots.read(request.snapshot_id, request.position, max(1, request.max_bytes))
    return (ErrorCode.SNAPSHOT_NOT_FOUND, b"", 0) if data is None else (ErrorCode.NONE, data, size)


def on_fetch_snapshot_response(
    state: QuorumState, sender: NodeId, correlation: int, response: FetchSnapshotResponse
) -> list[Effect]:
    """Take in a chunk that continues what is there; whatever else comes, the fetch begins anew.

    Source: KafkaRaftClient.handleFetchSnapshotResponse.
    """
    fetch = state.snapshot_fetch
    if correlation != state.fetch_correlation or response.leader_epoch < state.epoch:
        return []
    if state.role not in FETCHES:
        return []
    effects = following.learn_leader(state, response.leader_epoch, response.leader_id, f"node {sender} said so")
    if effects or fetch is None:
        return effects
    state.fetch_correlation = fetching.NO_FETCH
    again = SetTimer(timers.FETCH_RETRY_TIMER, state.settings.quorum_retry_backoff_ms)
    why = _refusal(fetch, response)
    if why:
        return [*state.end_snapshot_fetch(why), again]
    state.has_fetched, state.asks_around = True, False
    if state.is_voter:
        effects.append(SetTimer(timers.FETCH_TIMER, state.settings.quorum_fetch_timeout_ms))
    fetch.size_bytes = response.size_bytes
    fetch.data += response.data
    if len(fetch.data) < fetch.size_bytes:
        return [*effects, *fetching.send_fetch(state)]
    data = bytes(fetch.data)
    try:
        verify_snapshot(fetch.snapshot_id, data)
    except BadSnapshotError as error:
        path = f"{METADATA}/{snapshot_name(fetch.snapshot_id)}"
        bad = Emit(SnapshotRejected(path=path, why=str(error), source=sender))
        return [*effects, bad, *state.end_snapshot_fetch("what came is no good snapshot"), again]
    return [*effects, *_install(state, fetch.snapshot_id, data)]


def _refusal(fetch: SnapshotFetch, response: FetchSnapshotResponse) -> str:
    """Why a chunk cannot be used; empty when it can."""
    have = len(fetch.data)
    if response.error:
        return ErrorCode(response.error).name if response.error in set(ErrorCode) else f"error {response.error}"
    if response.snapshot_id != fetch.snapshot_id:
        return "a chunk of another snapshot came"
    if response.position != have:
        return f"a chunk from byte {response.position} came where {have} was due"
    if fetch.size_bytes not in (0, response.size_bytes):
        return f"its size is {response.size_bytes} now, it was {fetch.size_bytes}"
    if not response.data or have + len(response.data) > response.size_bytes:
        return f"a chunk of {len(response.data)} bytes does not fit into {response.size_bytes}"
    return ""


def _install(state: QuorumState, snapshot_id: SnapshotId, data: bytes) -> list[Effect]:
    """It is whole and good: it takes the place of the log. `on_flushed` goes on when that is done."""
    state.snapshot_fetch = None
    installed = SnapshotInstalled(
        end_offset=snapshot_id.end_offset,
        epoch=snapshot_id.epoch,
        size_bytes=len(data),
        old_log_start_offset=state.log.log_start_offset,
        old_end_offset=state.log.log_end_offset,
        leader_id=state.leader_id,
    )
    replaced: list[Effect] = [InstallSnapshot(snapshot_id, data), Emit(installed)]
    if state.history is not None:
        state.history.begin_after(snapshot_id, data)
        replaced += [*voter_sets.adopt(state, "the snapshot names them"), *voter_sets.change_part(state)]
    return [*replaced, CancelTimer(timers.FETCH_RETRY_TIMER), Flush(METADATA)]


def on_flushed(state: QuorumState) -> list[Effect]:
    """What was fetched is on the disk; all that a snapshot stands for is committed."""
    effects: list[Effect] = []
    start = state.log.log_start_offset
    if state.high_watermark < start and state.role in FETCHES:
        effects = following.learn_high_watermark(state, start, state.log.log_end_offset)
    return effects + fetching.on_flushed(state)


def on_retention_check(state: QuorumState, now_ms: int) -> list[Effect]:
    """Delete the oldest snapshot and the log in front of the next, one at a time, until retention is kept."""
    kept, start = state.snapshots.kept, state.log.log_start_offset
    ruling = may_delete_oldest(kept, state.snapshots.log_bytes, now_ms, state.settings)
    target = ruling.value
    if target is None and kept and 0 < start < kept[0].snapshot_id.end_offset:
        target = kept[0].snapshot_id  # those at the log start had gone bad, and a new one was written in their place
    if target is None:
        return [SetTimer(timers.RETENTION_TIMER, CHECK_INTERVAL_MS)] if len(kept) > 1 else []
    effects: list[Effect] = []
    if target.end_offset > start:
        advanced = MetadataLogStartAdvanced(
            log_start_offset=target.end_offset, old_log_start_offset=start, log_end_offset=state.log.log_end_offset
        )
        effects += [Emit(advanced, ruling.decision), AdvanceLogStart(METADATA, target.end_offset)]
    gone = [one.snapshot_id for one in kept if one.snapshot_id < target]
    events = [Emit(SnapshotDeleted(end_offset=one.end_offset, epoch=one.epoch)) for one in gone]
    return [*effects, DeleteSnapshots(target), *events, SetTimer(timers.RETENTION_TIMER, 0)]
