"""Consumers that read from followers: whom a leader sends where, and whom a follower serves. Source: KIP-392."""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import ReadReplicaChosen
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import FetchRequest
from cluster.model.racks import rack_of
from cluster.model.settings import BY_RACK
from cluster.replication import waiting_fetches
from cluster.replication.rules.read_replica import ReadReplica, select_read_replica
from cluster.replication.state import LEADS, ReplicaState


def serves(state: ReplicaState, request: FetchRequest) -> bool:
    """Whether this replica answers who asks, as far as its role goes: a leader all, any other who reads from followers.

    A replica without a leader serves too: what is committed stays so. Source: Kafka Partition.getLocalLog.
    """
    if state.role is LEADS:
        return True
    return request.replica_id == NO_NODE and request.client_rack is not None and state.committed is not None


def send_away(
    state: ReplicaState, sender: NodeId, correlation: int, request: FetchRequest, now_ms: int
) -> list[Effect]:
    """Name a replica in the consumer's rack instead of an answer; nothing when it is to read from the leader."""
    settings = state.settings
    if settings.replica_selector != BY_RACK or not request.client_rack or state.role is not LEADS:
        return []
    racks, in_service = settings.broker_racks, state.shared.broker_epochs
    followers = [
        ReadReplica(
            node,
            rack_of(node, racks),
            follower.log_start_offset,
            follower.log_end_offset,
            now_ms - follower.last_caught_up_ms,
        )
        for node, follower in state.followers.items()
        if node in state.isr and node in in_service
    ]
    leader_rack = rack_of(state.shared.broker_id, racks)
    ruling = select_read_replica(request.client_rack, leader_rack, followers, request.fetch_offset)
    if not ruling.granted:
        return []
    topic, partition = state.topic_partition
    event = ReadReplicaChosen(
        topic=topic,
        partition=partition,
        leader_epoch=state.leader_epoch,
        rack=request.client_rack,
        replica_id=ruling.value,
        fetch_offset=request.fetch_offset,
    )
    answer = waiting_fetches.response(state, ErrorCode.NONE)
    answer.preferred_read_replica = ruling.value
    return [Emit(event, ruling.decision), Send(sender, answer, correlation)]
