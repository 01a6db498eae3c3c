"""The leader's high watermark, and the producers that wait for it. Source: Kafka Partition, DelayedProduce."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.model.effects import CheckpointHighWatermark, Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import HighWatermarkAdvanced, ProduceAnswered
from cluster.model.identifiers import EDGE_ID, NodeId, Offset
from cluster.model.messages import ProduceResponse
from cluster.replication import isr, parked, rules
from cluster.replication.state import LEADER, LEADS, ReplicaState, WaitingProduce

PRODUCE_TIMER = "produce"
"""When the first of the producers that wait has waited long enough."""


def advance(state: ReplicaState, now_ms: int) -> list[Effect]:
    """Move the high watermark when the rule allows, and answer who waited for it."""
    if state.role is not LEADS:
        return []
    counted = [(state.shared.broker_id, state.own_offset), *_counted_followers(state, now_ms)]
    high_watermark, decision = rules.next_high_watermark(
        state.high_watermark,
        counted,
        len(state.isr),
        state.min_insync_replicas,
        hw_gate=state.settings.hw_gate,
    )
    if decision is None:
        return answer_flushed(state)
    state.high_watermark = high_watermark
    topic, partition = state.topic_partition
    event = HighWatermarkAdvanced(
        topic=topic,
        partition=partition,
        high_watermark=high_watermark,
        leader_epoch=state.leader_epoch,
        role=LEADER,
        log_end_offsets=tuple(counted),
    )
    effects: list[Effect] = [Emit(event, decision), CheckpointHighWatermark(state.topic_partition, high_watermark)]
    if state.waiting:
        effects += answer_waiting(state)
    if state.parked:
        effects += parked.wake(state)
    return effects


def _counted_followers(state: ReplicaState, now_ms: int) -> list[tuple[NodeId, Offset]]:
    """Members of the maximal ISR, and caught-up followers that may join: a lone leader must not run away from them."""
    members = state.maximal_isr
    lag_ms = state.settings.replica_lag_time_max_ms
    counted: list[tuple[NodeId, Offset]] = []
    for node, follower in state.followers.items():
        end_offset = follower.log_end_offset
        if node in members or (
            (end_offset == state.end_offset or now_ms - follower.last_caught_up_ms <= lag_ms)
            and isr.is_eligible(state, node)
        ):
            counted.append((node, max(0, end_offset)))
    return counted


def answer_waiting(state: ReplicaState) -> list[Effect]:
    """Producers whose records are committed. One event tells of requests that follow each other; see `_follows`."""
    waiting = state.waiting
    effects: list[Effect] = []
    run: list[WaitingProduce] = []
    while waiting and is_done(state, waiting[0]):
        done = waiting.popleft()
        if run and not _follows(done, run[-1]):
            effects += answer(state, run, outcome(state, run[0].acks))
            run = []
        run.append(done)
    return effects + answer(state, run, outcome(state, run[0].acks)) if run else effects


def _follows(request: WaitingProduce, before: WaitingProduce) -> bool:
    """Of the same client, with the same acks and so the same outcome, and its records lie right behind."""
    return (
        request.base_offset == before.end_offset
        and (request.sender, request.client_id) == (before.sender, before.client_id)
        and request.acks == before.acks
    )


def answer_flushed(state: ReplicaState) -> list[Effect]:
    """With flushed partitions an acks=1 request waits for the own disk only."""
    return answer_waiting(state) if state.waiting and state.waiting[0].acks == 1 else []


def outcome(state: ReplicaState, acks: int) -> ErrorCode:
    """Of records that are where the producer wants them: with acks=all the ISR must not be below its minimum now."""
    if acks == -1 and len(state.maximal_isr) < state.min_insync_replicas:
        return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    return ErrorCode.NONE


def is_done(state: ReplicaState, waiting: WaitingProduce) -> bool:
    """Whether records are where the producer wants them: committed for acks=all, else in the own log."""
    reached = state.high_watermark if waiting.acks == -1 else state.own_offset
    return waiting.end_offset <= reached


def answer(state: ReplicaState, answered: Sequence[WaitingProduce], error: ErrorCode) -> list[Effect]:
    """Answer requests of one client whose records lie side by side."""
    topic, partition = state.topic_partition
    first, last = answered[0], answered[-1]
    event = ProduceAnswered(
        topic=topic,
        partition=partition,
        client_id=first.client_id,
        error=error,
        acks=first.acks,
        base_offset=first.base_offset,
        count=last.end_offset - first.base_offset,
        kafka_client=first.sender == EDGE_ID,
    )
    effects: list[Effect] = [Emit(event)]
    is_good, leader_id = not error, state.leader
    for waiting in answered:
        response = ProduceResponse(
            error=error,
            topic=topic,
            partition=partition,
            base_offset=waiting.base_offset if is_good else -1,
            leader_id=leader_id,
        )
        effects.append(Send(waiting.sender, response, waiting.correlation))
    return effects
