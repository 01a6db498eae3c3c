"""A leader moves the high watermark of its partition, and wakes who waits for it. Source: Kafka Partition."""

from __future__ import annotations

from cluster.model.effects import CheckpointHighWatermark, Effect, Emit
from cluster.model.events import HighWatermarkAdvanced
from cluster.model.identifiers import NodeId, Offset
from cluster.model.ruling import Ruling
from cluster.replication import majority, waiting_fetches, waiting_produces
from cluster.replication.rules.high_watermark import advance_high_watermark, count_for_high_watermark
from cluster.replication.rules.majority import commit_by_majority
from cluster.replication.state import LEADER, LEADS, ReplicaState


def advance(state: ReplicaState, now_ms: int) -> list[Effect]:
    """Move the high watermark when the rule allows, and answer who waited for it."""
    if state.role is not LEADS:
        return []
    if state.by_majority:
        counted = majority.counted(state)
        return _move(state, counted, commit_by_majority(state.high_watermark, counted, len(state.followers) + 1))
    settings = state.settings
    followers = count_for_high_watermark(
        state.maximal_isr,
        state.followers,
        state.end_offset,
        state.shared.broker_epochs,
        now_ms,
        settings.replica_lag_time_max_ms,
    )
    counted = [(state.shared.broker_id, state.own_offset), *followers.value]
    ruling = advance_high_watermark(
        state.high_watermark, counted, len(state.isr), state.min_insync_replicas, hw_gate=settings.hw_gate
    )
    return _move(state, counted, ruling)


def _move(state: ReplicaState, counted: list[tuple[NodeId, Offset]], ruling: Ruling[Offset]) -> list[Effect]:
    if not ruling.granted:
        return waiting_produces.answer_flushed(state)
    state.high_watermark = ruling.value
    topic, partition = state.topic_partition
    event = HighWatermarkAdvanced(
        topic=topic,
        partition=partition,
        high_watermark=state.high_watermark,
        leader_epoch=state.leader_epoch,
        role=LEADER,
        log_end_offsets=tuple(counted),
    )
    effects: list[Effect] = [
        Emit(event, ruling.decision),
        CheckpointHighWatermark(state.topic_partition, state.high_watermark),
    ]
    if state.waiting:
        effects += waiting_produces.answer_waiting(state)
    if state.parked:
        effects += waiting_fetches.wake(state)
    return effects
