"""A partition that a majority of its replicas commits: who counts, and what a replica without a leader tells.

Kafka has none of this for data. It is the way of Viewstamped Replication: no record is written when a leader begins, as
Raft does it; instead a replica counts only once its log is whole with what the leader's epoch began with, and has
written that epoch down. So what older leaders left is committed without a record of the new one, and the log that may
lead next is the one of the newest epoch written down, and of those the longest. Source: Liskov and Cowling 2012, 4.2.
"""

from __future__ import annotations

from cluster.model.effects import AdoptEpoch, CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import EpochAdopted, LogEndReported
from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.messages import ReportLogEndRequest, ReportLogEndResponse
from cluster.replication.rules.majority import adopt_epoch
from cluster.replication.state import ReplicaRole, ReplicaState

REPORT_TIMER = "log_end"


def has_adopted(state: ReplicaState) -> bool:
    """Whether the log is whole with the beginning of the leader epoch it is in."""
    return state.adopted_epoch == state.leader_epoch


def adopt(state: ReplicaState, epoch_start_offset: Offset) -> list[Effect]:
    """Write the leader epoch down once all that it began with is here; flushed, where partitions are."""
    ruling = adopt_epoch(state.adopted_epoch, state.leader_epoch, state.own_offset, epoch_start_offset)
    if not ruling.granted:
        return []
    state.adopted_epoch = ruling.value
    topic, partition = state.topic_partition
    event = EpochAdopted(
        topic=topic,
        partition=partition,
        leader_epoch=state.leader_epoch,
        epoch_start_offset=epoch_start_offset,
        log_end_offset=state.end_offset,
    )
    return [Emit(event, ruling.decision), AdoptEpoch(state.topic_partition, state.leader_epoch)]


def counted(state: ReplicaState) -> list[tuple[NodeId, Offset]]:
    """A leader's replicas that are whole with the beginning of its epoch, each with its log end offset."""
    own = [(state.shared.broker_id, state.own_offset)] if has_adopted(state) else []
    others = [(node, one.log_end_offset) for node, one in state.followers.items() if one.has_adopted]
    return own + others


def begin_reporting(state: ReplicaState) -> list[Effect]:
    """There is no leader: say where the own log ends, so that the controller finds who may be the next."""
    topic, partition = state.topic_partition
    event = LogEndReported(
        topic=topic,
        partition=partition,
        leader_epoch=state.leader_epoch,
        adopted_epoch=state.adopted_epoch,
        log_end_offset=state.end_offset,
    )
    return [Emit(event), *report(state)]


def report(state: ReplicaState) -> list[Effect]:
    """Tell the active controller, and again after a heartbeat's time: whoever is active then may not have heard."""
    if not is_reporting(state) or state.committed is None:
        return []
    shared, (topic, partition) = state.shared, state.topic_partition
    again = SetTimer(state.timer(REPORT_TIMER), state.settings.broker_heartbeat_interval_ms)
    if shared.controller_id == NO_NODE:
        return [again]
    request = ReportLogEndRequest(
        broker_id=shared.broker_id,
        broker_epoch=shared.broker_epoch,
        topic=topic,
        topic_id=state.committed.topic_id,
        partition=partition,
        leader_epoch=state.leader_epoch,
        adopted_epoch=state.adopted_epoch,
        log_end_offset=state.end_offset,
    )
    return [again, Send(shared.controller_id, request, shared.correlation(state.topic_partition))]


def on_answer(state: ReplicaState, _correlation: int, response: ReportLogEndResponse, _now_ms: int) -> list[Effect]:
    """A refusal may pass soon: this broker may not be in service yet."""
    if not is_reporting(state) or response.error == ErrorCode.NONE:
        return []
    return [SetTimer(state.timer(REPORT_TIMER), state.settings.retry_backoff_ms)]


def is_reporting(state: ReplicaState) -> bool:
    """Whether the partition goes by majority and has no leader."""
    return state.by_majority and state.role is ReplicaRole.IDLE and state.leader_epoch >= 0


def stop_reporting(state: ReplicaState) -> list[Effect]:
    """There is a leader again."""
    return [CancelTimer(state.timer(REPORT_TIMER))] if state.by_majority else []
