"""Asking the leader where an epoch ends, before the first fetch: modes kip101 and kip279.

Source: KIP-101, KIP-279, Kafka ReplicaFetcherThread.
"""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import EpochEndAnswered
from cluster.model.identifiers import NO_EPOCH, NO_NODE, Epoch, EpochEnd, NodeId
from cluster.model.leader_epochs import UNKNOWN_END
from cluster.model.messages import OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse
from cluster.model.ruling import Ruling
from cluster.replication.rules.leader_epoch import check_leader_epoch
from cluster.replication.rules.truncation import Cut, epoch_end_kip101, truncation_point, truncation_point_kip101
from cluster.replication.state import LEADS, ReplicaState

ASKING_MODES = ("kip101", "kip279")
FENCING_MODES = ("kip279", "fetch")
"""Requests carry the leader epoch the follower believes in. Source: KIP-320, one release after KIP-279."""


def fencing_epoch(state: ReplicaState) -> Epoch:
    """The epoch to put in a request of a follower; -1 before KIP-320."""
    return state.leader_epoch if state.settings.truncation_mode in FENCING_MODES else NO_EPOCH


def ask(state: ReplicaState, last_epoch: Epoch) -> Effect:
    """One question is on its way at a time, in the place of a fetch."""
    state.fetch_correlation = state.shared.correlation(state.topic_partition)
    topic, partition = state.topic_partition
    request = OffsetForLeaderEpochRequest(
        replica_id=state.shared.broker_id,
        topic=topic,
        partition=partition,
        current_leader_epoch=fencing_epoch(state),
        leader_epoch=last_epoch,
    )
    return Send(state.leader, request, state.fetch_correlation)


def on_request(
    state: ReplicaState, sender: NodeId, correlation: int, request: OffsetForLeaderEpochRequest, _now_ms: int
) -> list[Effect]:
    """A leader's answer."""
    topic, partition = state.topic_partition
    error = check_leader_epoch(
        request.current_leader_epoch,
        state.leader_epoch,
        is_leader=state.role is LEADS,
        is_replica=request.replica_id in state.followers,
        is_consumer=request.replica_id == NO_NODE,
    ).value
    if error != ErrorCode.NONE:
        return [Send(sender, OffsetForLeaderEpochResponse(error=error, topic=topic, partition=partition), correlation)]
    end = _end_of(state, request.leader_epoch)
    event = EpochEndAnswered(
        topic=topic,
        partition=partition,
        replica_id=request.replica_id,
        asked_epoch=request.leader_epoch,
        found_epoch=end.epoch,
        end_offset=end.end_offset,
    )
    response = OffsetForLeaderEpochResponse(
        topic=topic, partition=partition, leader_epoch=end.epoch, end_offset=end.end_offset
    )
    return [Emit(event), Send(sender, response, correlation)]


def _end_of(state: ReplicaState, epoch: Epoch) -> EpochEnd:
    epochs = state.log.leader_epochs
    if state.settings.truncation_mode == "kip101":
        return EpochEnd(NO_EPOCH, epoch_end_kip101(epochs, state.end_offset, epoch))
    return epochs.end_offset_for(epoch, state.end_offset)


def cut(state: ReplicaState, response: OffsetForLeaderEpochResponse) -> Ruling[Cut]:
    """Where a follower cuts after the leader's answer."""
    answered = EpochEnd(response.leader_epoch, response.end_offset)
    if state.settings.truncation_mode == "kip101" or answered == UNKNOWN_END:
        return truncation_point_kip101(state.end_offset, state.high_watermark, answered.end_offset)
    return truncation_point(state.log.leader_epochs, state.end_offset, answered)
