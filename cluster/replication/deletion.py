"""Deleting records from the front of a log, at the leader and after it at the followers.

Source: KIP-107, Kafka Partition.deleteRecordsOnLeader, lowWatermarkIfLeader, DelayedDeleteRecords.
"""

from __future__ import annotations

from cluster.model.effects import (
    AdvanceLogStart,
    CancelTimer,
    CheckpointHighWatermark,
    Effect,
    Emit,
    Send,
    SetTimer,
)
from cluster.model.errors import ErrorCode
from cluster.model.events import LogStartAdvanced
from cluster.model.identifiers import INTERNAL_TOPICS, NO_EPOCH, NodeId, Offset
from cluster.model.messages import DeleteRecordsRequest, DeleteRecordsResponse
from cluster.model.messages.records import HIGH_WATERMARK
from cluster.replication.state import LEADS, ReplicaState, WaitingDeletion

TIMER = "delete"


def on_delete_records(
    state: ReplicaState, sender: NodeId, correlation: int, request: DeleteRecordsRequest, now_ms: int
) -> list[Effect]:
    """Move the own log start at once; answer when every living replica has followed."""
    if request.topic in INTERNAL_TOPICS:  # no client's to delete
        return [_answer(state, sender, correlation, ErrorCode.INVALID_TOPIC_EXCEPTION)]
    if state.role is not LEADS:
        return [_answer(state, sender, correlation, ErrorCode.NOT_LEADER_OR_FOLLOWER)]
    asked = request.before_offset
    target = state.high_watermark if asked == HIGH_WATERMARK else asked
    if not 0 <= target <= state.high_watermark:
        return [_answer(state, sender, correlation, ErrorCode.OFFSET_OUT_OF_RANGE)]
    own_start = max(target, state.log.log_start_offset)
    effects = advance(state, target)
    waiting = WaitingDeletion(target, sender, correlation, now_ms + request.timeout_ms)
    lowest = low_watermark(state, own_start)
    if lowest >= target:
        return [*effects, _answer(state, sender, correlation, ErrorCode.NONE, lowest)]
    if not state.deleting:
        effects.append(SetTimer(state.timer(TIMER), request.timeout_ms))
    state.deleting.append(waiting)
    return effects


def low_watermark(state: ReplicaState, own_start: Offset) -> Offset:
    """The smallest log start (inclusive) of the replicas whose brokers are in service."""
    alive = state.shared.broker_epochs
    return min([own_start, *(each.log_start_offset for node, each in state.followers.items() if node in alive)])


def answer_done(state: ReplicaState) -> list[Effect]:
    """A follower's log start has moved: who waited for it is answered."""
    lowest = low_watermark(state, state.log.log_start_offset)
    done = [waiting for waiting in state.deleting if waiting.target <= lowest]
    state.deleting = [waiting for waiting in state.deleting if waiting.target > lowest]
    return [_answer(state, each.sender, each.correlation, ErrorCode.NONE, lowest) for each in done]


def on_timeout(state: ReplicaState, now_ms: int) -> list[Effect]:
    """The records are deleted here, and will be elsewhere; who asked has waited long enough."""
    late = [waiting for waiting in state.deleting if waiting.deadline_ms <= now_ms]
    state.deleting = [waiting for waiting in state.deleting if waiting.deadline_ms > now_ms]
    effects: list[Effect] = [
        _answer(state, each.sender, each.correlation, ErrorCode.REQUEST_TIMED_OUT) for each in late
    ]
    if state.deleting:
        next_ms = min(waiting.deadline_ms for waiting in state.deleting)
        effects.append(SetTimer(state.timer(TIMER), next_ms - now_ms))
    return effects


def refuse(state: ReplicaState) -> list[Effect]:
    """Leadership is over: whoever waits has to ask the next leader."""
    waiting, state.deleting = state.deleting, []
    error = ErrorCode.NOT_LEADER_OR_FOLLOWER
    return [
        *(_answer(state, each.sender, each.correlation, error) for each in waiting),
        CancelTimer(state.timer(TIMER)),
    ]


def advance(state: ReplicaState, start_offset: Offset) -> list[Effect]:
    """Records before start_offset (inclusive start) are gone; a log start never goes back."""
    before = state.log.log_start_offset
    if start_offset <= before:
        return []
    state.producers.transactions.forget_aborted(start_offset)
    topic, partition = state.topic_partition
    event = LogStartAdvanced(
        topic=topic,
        partition=partition,
        log_start_offset=start_offset,
        old_log_start_offset=before,
        high_watermark=state.high_watermark,
        role=str(state.role),
    )
    return [Emit(event), AdvanceLogStart(state.topic_partition, start_offset)]


def begin_anew(state: ReplicaState, start_offset: Offset) -> list[Effect]:
    """A follower whose log ends before the leader's begins drops it. Source: AbstractFetcherThread, KIP-107."""
    state.high_watermark = max(state.high_watermark, start_offset)
    state.end_offset, state.tail_epoch = start_offset, NO_EPOCH
    state.times.truncate(0)
    state.producers.truncate(0)
    return [*advance(state, start_offset), CheckpointHighWatermark(state.topic_partition, state.high_watermark)]


def _answer(state: ReplicaState, sender: NodeId, correlation: int, error: ErrorCode, lowest: Offset = -1) -> Send:
    topic, partition = state.topic_partition
    response = DeleteRecordsResponse(
        error=error, topic=topic, partition=partition, low_watermark=lowest, leader_id=state.leader
    )
    return Send(sender, response, correlation)
