"""What a quorum leader knows of who fetches from it. Source: KIP-595, KIP-836, LeaderState.describeReplicaState."""

from __future__ import annotations

from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.messages import DescribeQuorumResponse, FetchRequest
from cluster.raft.roles import Role
from cluster.raft.state import Fetcher, QuorumState

OBSERVER_SESSION_MS = 300_000
"""An observer that has not fetched for so long is told of no more. Source: LeaderState.OBSERVER_SESSION_TIMEOUT_MS."""
NEVER = -1


def note_fetch(state: QuorumState, replica: NodeId, request: FetchRequest, now_ms: int) -> None:
    """A fetch says that its sender holds everything below its fetch offset (exclusive)."""
    end_offset, fetch_offset = state.log.log_end_offset, request.fetch_offset
    fetcher = state.fetchers.get(replica)
    if fetcher is not None and fetcher.directory_id != request.directory_id:
        fetcher = None
    caught_up_ms = NEVER if fetcher is None else fetcher.last_caught_up_ms
    if fetch_offset >= end_offset:
        caught_up_ms = now_ms
    elif fetcher is not None and fetch_offset >= fetcher.leader_end:
        caught_up_ms = max(caught_up_ms, fetcher.last_fetch_ms)
    state.fetchers[replica] = Fetcher(fetch_offset, now_ms, end_offset, caught_up_ms, request.directory_id)


def on_describe(state: QuorumState, sender: NodeId, correlation: int, now_ms: int) -> list[Effect]:
    """The leader tells what it knows, another node who leads."""
    if state.role is not Role.LEADER:
        refusal = DescribeQuorumResponse(
            error=ErrorCode.NOT_CONTROLLER, leader_id=state.leader_id, leader_epoch=state.epoch
        )
        return [Send(sender, refusal, correlation)]
    observers = [
        node
        for node, fetcher in sorted(state.fetchers.items())
        if not state.is_key(node, fetcher.directory_id) and now_ms - fetcher.last_fetch_ms <= OBSERVER_SESSION_MS
    ]
    response = DescribeQuorumResponse(
        leader_id=state.node_id,
        leader_epoch=state.epoch,
        high_watermark=state.high_watermark,
        voters=tuple(_told(state, node, now_ms, state.directories.get(node, "")) for node in sorted(state.voters)),
        observers=tuple(_told(state, node, now_ms, state.fetchers[node].directory_id) for node in observers),
        directories=tuple(sorted(state.directories.items())),
        observer_directories=tuple((node, state.fetchers[node].directory_id) for node in observers),
    )
    return [Send(sender, response, correlation)]


def _told(state: QuorumState, node: NodeId, now_ms: int, directory_id: str) -> tuple[NodeId, Offset, int, int]:
    if (node, directory_id) == (state.node_id, state.directory_id):
        return node, state.log.log_end_offset, 0, 0
    fetcher = state.fetchers.get(node)
    if fetcher is None or fetcher.directory_id != directory_id:
        return node, UNKNOWN_OFFSET, NEVER, NEVER
    caught_up_ms = fetcher.last_caught_up_ms
    since_caught_up_ms = NEVER if caught_up_ms == NEVER else now_ms - caught_up_ms
    return node, fetcher.log_end_offset, now_ms - fetcher.last_fetch_ms, since_caught_up_ms
