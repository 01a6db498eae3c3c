"""What a topic's retention lets go from the front of a log, looked for now and then by each replica.

Source: Kafka LogManager.cleanupLogs, UnifiedLog.deleteOldSegments.
"""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, RollSegment
from cluster.model.events import SegmentsExpired
from cluster.model.ruling import Ruling
from cluster.replication import deletion
from cluster.replication.rules.retention import Expired, expire_by_size, expire_by_time
from cluster.replication.state import ReplicaRole, ReplicaState

TIMER = "replica.retention"
"""One for all replicas of a broker."""


def expire(state: ReplicaState, wall_ms: int) -> list[Effect]:
    """By time first, then by size, as Kafka does: each has its own event, and the log start moves once."""
    if state.role is ReplicaRole.IDLE:
        return []
    limits, segments, high_watermark = state.retention, state.log.segments(), state.high_watermark
    rulings: list[Ruling[Expired]] = []
    if limits.limit_ms >= 0:
        rulings.append(expire_by_time(segments, high_watermark, wall_ms, limits.limit_ms))
        segments = segments[len(rulings[0].value.segments) :]
    if limits.limit_bytes >= 0:
        rulings.append(expire_by_size(segments, high_watermark, limits.limit_bytes))
    gone = [ruling for ruling in rulings if ruling.value.segments]
    if not gone:
        return []
    effects: list[Effect] = [Emit(_told(state, ruling.value, wall_ms), ruling.decision) for ruling in gone]
    end_offset = gone[-1].value.segments[-1].end_offset
    if end_offset == state.log.log_end_offset:  # what is written next goes into a new segment
        effects.append(RollSegment(state.topic_partition, gone[-1].value.setting))
    return [*effects, *deletion.advance(state, end_offset)]


def _told(state: ReplicaState, expired: Expired, wall_ms: int) -> SegmentsExpired:
    topic, partition = state.topic_partition
    end_offset = expired.segments[-1].end_offset
    return SegmentsExpired(
        topic=topic,
        partition=partition,
        setting=expired.setting,
        limit=expired.limit,
        segments=tuple(
            [(each.base_offset, each.end_offset, each.size_bytes, each.newest_ms) for each in expired.segments]
        ),
        kept_bytes=sum(each.size_bytes for each in state.log.segments() if each.base_offset >= end_offset),
        wall_ms=wall_ms,
        role=str(state.role),
    )
