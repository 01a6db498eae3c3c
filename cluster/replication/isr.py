"""The leader's care for its ISR: who leaves, who joins, one proposal at a time. Source: KIP-497, KIP-841."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import IsrCommitted, IsrProposed, IsrRefused, ReplicaLagging
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import AlterPartitionRequest, AlterPartitionResponse
from cluster.model.ruling import Decision, Ruling
from cluster.replication.rules.in_sync_replicas import expand_isr, shrink_isr, shrink_isr_by_messages
from cluster.replication.state import LEADS, PendingIsr, ReplicaState

CHECK_TIMER = "isr_check"
ALTER_TIMER = "isr_alter"
BACK_TO_COMMITTED = (ErrorCode.INELIGIBLE_REPLICA,)
WAIT_FOR_METADATA = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.INVALID_UPDATE_VERSION,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.NEW_LEADER_ELECTED,
)


def schedule_check(state: ReplicaState) -> Effect:
    """Look for laggards again after half of replica.lag.time.max.ms."""
    return SetTimer(state.timer(CHECK_TIMER), max(1, state.settings.replica_lag_time_max_ms // 2))


def maybe_expand(state: ReplicaState, replica_id: NodeId) -> list[Effect]:
    """After a fetch: propose the follower when it has caught up. Nothing while another change is on its way."""
    if state.pending is not None or replica_id in state.isr:
        return []
    follower = state.followers[replica_id]
    ruling = expand_isr(
        replica_id,
        follower.log_end_offset,
        state.high_watermark,
        state.epoch_start_offset,
        follower.broker_epoch,
        state.shared.broker_epochs.get(replica_id),
    )
    if not ruling.granted:
        return []
    isr = tuple(sorted((*state.isr, replica_id)))
    return propose(state, PendingIsr(isr, grows=True), f"{replica_id} caught up", ruling.decision)


def shrink_when_lagging(state: ReplicaState, now_ms: int) -> list[Effect]:
    """Put followers out of the ISR that were not caught up for too long. By majority nobody is put out."""
    if state.by_majority:
        return []
    effects: list[Effect] = [schedule_check(state)]
    late: list[NodeId] = []
    last: Decision | None = None
    # Those of a new leader count as caught up when it began (`leading.reset_followers`). Else whoever needs longer than
    # until this first look, half of replica.lag.time.max.ms, would be put out before its time is over.
    for replica_id in sorted(set(state.isr) - {state.shared.broker_id}):
        follower = state.followers[replica_id]
        silence_ms = now_ms - follower.last_caught_up_ms
        limit_ms = state.settings.replica_lag_time_max_ms
        ruling = _judge_lag(state, replica_id, now_ms)
        if ruling.granted:
            late.append(replica_id)
            last = ruling.decision
        behind = follower.log_end_offset != state.end_offset and silence_ms * 2 > limit_ms
        effects += note_lagging(state, replica_id, ruling.decision if behind else None)
    if late and state.pending is None:
        isr = tuple(node for node in state.isr if node not in late)
        names = ", ".join(map(str, late))
        effects += propose(state, PendingIsr(isr, grows=False), f"{names} not caught up in time", last)
    return effects


def _judge_lag(state: ReplicaState, replica_id: NodeId, now_ms: int) -> Ruling[bool]:
    """By the time since it was caught up; or as before 0.9, by the records it lacks and the time since it asked."""
    settings, follower = state.settings, state.followers[replica_id]
    limit_ms, limit = settings.replica_lag_time_max_ms, settings.lag_max_messages
    facts = replica_id, follower.log_end_offset, state.end_offset
    if limit:
        silent_ms = now_ms - max(follower.last_fetch_ms, follower.last_caught_up_ms)
        return shrink_isr_by_messages(*facts, silent_ms, limit_ms, limit)
    return shrink_isr(*facts, now_ms - follower.last_caught_up_ms, limit_ms)


def note_lagging(state: ReplicaState, replica_id: NodeId, judged: Decision | None) -> list[Effect]:
    """Tell the trace when a follower falls behind, is found behind since a later time than was told, or catches up.

    Args:
        judged: what the rule for leaving the ISR says of a follower that is behind, with the time since it was caught
            up; None for one that is not.
    """
    follower = state.followers[replica_id]
    since_ms = None if judged is None else follower.last_caught_up_ms
    if follower.behind_since_ms == since_ms:
        return []
    follower.behind_since_ms = since_ms
    topic, partition = state.topic_partition
    lagging = ReplicaLagging(topic=topic, partition=partition, replica_id=replica_id, lagging=judged is not None)
    return [Emit(lagging, judged)]


def propose(state: ReplicaState, pending: PendingIsr, why: str, decision: Decision | None) -> list[Effect]:
    """Ask the active controller; the proposal stays pending until it is committed or refused."""
    assert state.pending is None, "one ISR change at a time"
    state.pending = pending
    pending.members = tuple((node, _broker_epoch(state, node)) for node in pending.isr)
    topic, partition = state.topic_partition
    event = IsrProposed(
        topic=topic,
        partition=partition,
        isr=pending.isr,
        old_isr=state.isr,
        leader_epoch=state.leader_epoch,
        partition_epoch=state.isr_partition_epoch,
        why=why,
    )
    return [Emit(event, decision), *send(state)]


def send(state: ReplicaState) -> list[Effect]:
    """Put the pending proposal on its way; without a known controller it waits for one.

    Sent again it is still about the processes that it was made of: one that began since has other logs. None says that
    the leader is recovering: after an unclean election there is nothing to recover, and the controller learns it with
    the next change of the ISR. Source: Kafka Partition.addBrokerEpochToIsr, when the change is prepared; makeLeader.
    """
    pending, shared, committed = state.pending, state.shared, state.committed
    if pending is None or committed is None or shared.controller_id == NO_NODE:
        return []
    pending.correlation = shared.correlation(state.topic_partition)
    topic, partition = state.topic_partition
    request = AlterPartitionRequest(
        broker_id=shared.broker_id,
        broker_epoch=shared.broker_epoch,
        topic=topic,
        topic_id=committed.topic_id,
        partition=partition,
        leader_epoch=state.leader_epoch,
        partition_epoch=state.isr_partition_epoch,
        new_isr=pending.members,
    )
    return [
        Send(shared.controller_id, request, pending.correlation),
        SetTimer(state.timer(ALTER_TIMER), state.settings.request_timeout_ms),
    ]


def _broker_epoch(state: ReplicaState, node: NodeId) -> int:
    if node == state.shared.broker_id:
        return state.shared.broker_epoch
    follower = state.followers.get(node)
    return -1 if follower is None else follower.broker_epoch


def on_response(state: ReplicaState, correlation: int, response: AlterPartitionResponse) -> list[Effect]:
    """Take the committed ISR, give the proposal up, or ask again."""
    pending = state.pending
    if state.role is not LEADS or pending is None or correlation != pending.correlation:
        return []
    pending.correlation = -1
    alter_timer = state.timer(ALTER_TIMER)
    if response.error == ErrorCode.NONE:
        if response.leader_epoch != state.leader_epoch or response.partition_epoch <= state.isr_partition_epoch:
            return [CancelTimer(alter_timer)]
        return [CancelTimer(alter_timer), *take_committed(state, response.isr, response.partition_epoch)]
    topic, partition = state.topic_partition
    refused = Emit(IsrRefused(topic=topic, partition=partition, error=response.error))
    # Only this refusal says that the proposal was not taken and never will be. Any other may answer a second try, after
    # the first was taken and its answer lost. So what was proposed stays pending, and those who were to join still
    # count, until the metadata tell what came of it. Source: Partition.handleAlterPartitionError.
    if response.error in BACK_TO_COMMITTED:
        state.pending = None
        return [refused, CancelTimer(alter_timer)]
    if response.error in WAIT_FOR_METADATA:
        return [refused, CancelTimer(alter_timer)]
    return [refused, SetTimer(alter_timer, state.settings.retry_backoff_ms)]


def take_committed(state: ReplicaState, isr: tuple[NodeId, ...], partition_epoch: int) -> list[Effect]:
    """The controller's word on the ISR; whatever was pending is settled by it."""
    changed = set(isr) != set(state.isr)
    state.isr, state.isr_partition_epoch, state.pending = isr, partition_epoch, None
    if not changed:
        return []
    topic, partition = state.topic_partition
    return [Emit(IsrCommitted(topic=topic, partition=partition, isr=isr, partition_epoch=partition_epoch))]
