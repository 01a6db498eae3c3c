"""How a follower or an observer asks for records, and asks again. Source: KIP-595 Fetch."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, Send, SetTimer
from cluster.model.identifiers import METADATA, NO_NODE, NodeId
from cluster.model.messages import FetchRequest
from cluster.raft import timers
from cluster.raft.roles import FETCHES, Role
from cluster.raft.state import QuorumState

NO_FETCH = -1


def send_fetch(state: QuorumState) -> list[Effect]:
    """Ask the leader, or for an observer that has no leader or gets no answer the next voter. One at a time.

    An observer whose leader is gone does not forget it: who leads next is known once somebody names another one in a
    higher epoch. Source: KafkaRaftClient.pollFollowerAsObserver.

    A fetch acknowledges all below its offset, so it waits while a flush is on its way: on_flushed sends it then.
    """
    if state.log.flushed_offset < state.log.log_end_offset:
        state.fetch_correlation = NO_FETCH
        return [CancelTimer(timers.FETCH_RETRY_TIMER)]
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
    return [Send(target, request, state.fetch_correlation), SetTimer(timers.FETCH_RETRY_TIMER, patience_ms)]


def on_fetch_retry(state: QuorumState) -> list[Effect]:
    """No answer in time, or the back-off is over."""
    if state.fetch_correlation != NO_FETCH:
        note_silence(state)
    return send_fetch(state) if state.role in FETCHES else []


def note_silence(state: QuorumState) -> None:
    """An observer asks its leader and the other voters in turn while the leader does not answer."""
    state.asks_around = state.role is Role.OBSERVER and state.fetch_asked == state.leader_id


def on_disconnected(state: QuorumState, peer: NodeId) -> list[Effect]:
    """Its answer is lost: ask again after the back-off, an observer the next voter. Source: Kafka NetworkClient."""
    if peer != state.fetch_asked or state.fetch_correlation == NO_FETCH:
        return []
    if state.role not in FETCHES:
        return []
    state.fetch_correlation = NO_FETCH
    note_silence(state)
    return [SetTimer(timers.FETCH_RETRY_TIMER, state.settings.quorum_retry_backoff_ms)]


def on_flushed(state: QuorumState) -> list[Effect]:
    """What was fetched is on disk: the next fetch acknowledges it."""
    if state.role in FETCHES and state.fetch_correlation == NO_FETCH:
        return send_fetch(state)
    return []
