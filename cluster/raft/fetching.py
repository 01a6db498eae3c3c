"""How a follower or an observer asks for records, and asks again. Source: KIP-595 Fetch."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, Emit, HaltNode, Send, SetTimer
from cluster.model.events import SnapshotFetchBegun
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, SnapshotId
from cluster.model.messages import FetchRequest, FetchSnapshotRequest
from cluster.raft import timers
from cluster.raft.roles import FETCHES, Role
from cluster.raft.state import QuorumState, SnapshotFetch

NO_FETCH = -1


def send_fetch(state: QuorumState) -> list[Effect]:
    """Ask the leader, or for an observer that has no leader or gets no answer the next voter. One at a time.

    An observer whose leader is gone does not forget it: who leads next is known once somebody names another one in a
    higher epoch. Source: KafkaRaftClient.pollFollowerAsObserver.

    A fetch acknowledges all below its offset, so it waits while a flush is on its way: on_flushed sends it then.
    """
    # The same promise as `leadership.on_flushed` keeps for a leader: what a voter claims, a power loss must not take.
    if state.log.flushed_offset < state.log.log_end_offset:
        state.fetch_correlation = NO_FETCH
        return [CancelTimer(timers.FETCH_RETRY_TIMER)]
    target = state.leader_id
    if target in (NO_NODE, state.node_id) or state.asks_around:  # itself: it led, and was removed
        others = [node for node in state.bootstrap if node not in (target, state.node_id)] or [target]
        target = others[state.fetch_target % len(others)]
        state.fetch_target += 1
    state.fetch_correlation, state.fetch_asked = state.correlation(), target
    patience = SetTimer(timers.FETCH_RETRY_TIMER, state.settings.quorum_request_timeout_ms)
    if state.snapshot_fetch is not None:
        return [Send(target, _chunk_request(state, state.snapshot_fetch), state.fetch_correlation), patience]
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
        directory_id=state.directory_id,
    )
    return [Send(target, request, state.fetch_correlation), patience]


def begin_snapshot_fetch(state: QuorumState, snapshot_id: SnapshotId) -> list[Effect]:
    """The leader has no records to give: fetch this first. No snapshot may take back what is committed here."""
    committed = max(state.high_watermark, state.committed_before)
    if snapshot_id.end_offset < committed:
        return [HaltNode(f"the leader's snapshot ends at {snapshot_id.end_offset}, below high watermark {committed}")]
    state.snapshot_fetch = SnapshotFetch(snapshot_id)
    end_offset, epoch = snapshot_id
    begun = SnapshotFetchBegun(end_offset=end_offset, epoch=epoch, leader_id=state.leader_id)
    return [Emit(begun), *send_fetch(state)]


def _chunk_request(state: QuorumState, fetch: SnapshotFetch) -> FetchSnapshotRequest:
    return FetchSnapshotRequest(
        replica_id=state.node_id,
        current_leader_epoch=state.epoch,
        snapshot_id=fetch.snapshot_id,
        position=len(fetch.data),
        max_bytes=state.settings.fetch_snapshot_max_bytes,
        directory_id=state.directory_id,
    )


def on_fetch_retry(state: QuorumState) -> list[Effect]:
    """No answer in time, or the back-off is over."""
    ended: list[Effect] = []
    if state.fetch_correlation != NO_FETCH:
        ended = note_silence(state)
    return ended + send_fetch(state) if state.role in FETCHES else []


def note_silence(state: QuorumState) -> list[Effect]:
    """An observer asks its leader and the other voters in turn while the leader does not answer.

    Nobody but the leader gives snapshots, so it gives up the one that is on its way. It hears its leader no more, and
    may be a voter in a voter set that it has not read: it grants a pre-vote again. In Kafka 4.1 it refuses until it is
    started anew (FollowerState.canGrantVote), and the others may need its vote.
    """
    state.asks_around = state.role is Role.OBSERVER and state.fetch_asked == state.leader_id
    if state.asks_around:
        state.has_fetched = False
    return state.end_snapshot_fetch("the leader does not answer") if state.asks_around else []


def on_disconnected(state: QuorumState, peer: NodeId) -> list[Effect]:
    """Its answer is lost: ask again after the back-off, an observer the next voter. Source: Kafka NetworkClient."""
    if peer != state.fetch_asked or state.fetch_correlation == NO_FETCH:
        return []
    if state.role not in FETCHES:
        return []
    state.fetch_correlation = NO_FETCH
    return [*note_silence(state), SetTimer(timers.FETCH_RETRY_TIMER, state.settings.quorum_retry_backoff_ms)]


def on_flushed(state: QuorumState) -> list[Effect]:
    """What was fetched is on disk: the next fetch acknowledges it."""
    if state.role in FETCHES and state.fetch_correlation == NO_FETCH:
        return send_fetch(state)
    return []
