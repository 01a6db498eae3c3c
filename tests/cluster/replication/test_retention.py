"""What a replica does about the segments that its topic's retention lets go."""

from __future__ import annotations

from cluster.model.effects import AdvanceLogStart, Emit, RollSegment
from cluster.model.events import LogStartAdvanced, SegmentsExpired
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings
from cluster.model.topic_settings import Retention
from cluster.replication.retention import expire
from cluster.replication.state import FOLLOWS, LEADS, ReplicaRole, ReplicaState, Shared
from cluster.storage.disk import Disk
from cluster.storage.log import open_log
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.segment import Rolling

ORDERS = TopicPartition("orders", 0)
DAY_MS = 86_400_000


def replica(retention: Retention, *, role: ReplicaRole = LEADS, high_watermark: int = 6) -> ReplicaState:
    """Six records, each in a segment of its own, a day apart; the last one is of the seventh day."""
    log, _ = open_log(Disk(MemoryFiles()), "orders-0", ORDERS, clean=True, high_watermark=0, rolling=Rolling(1))
    for offset in range(6):
        log.append(encode_batch([Record(None, b"x")], offset, 0, (offset + 1) * DAY_MS))
    shared = Shared(broker_id=1, settings=Settings())
    state = ReplicaState(topic_partition=ORDERS, shared=shared, log=log, high_watermark=high_watermark)
    state.role, state.retention, state.end_offset = role, retention, 6
    return state


def test_the_event_comes_first_then_the_new_log_start() -> None:
    event, started, advance = expire(replica(Retention(limit_ms=DAY_MS), role=FOLLOWS), 4 * DAY_MS + 1)
    assert isinstance(event, Emit) and isinstance(event.event, SegmentsExpired) and event.decision is not None
    assert [segment[:2] for segment in event.event.segments] == [(0, 1), (1, 2), (2, 3)]
    assert event.event.role == "follower"
    assert isinstance(started, Emit) and isinstance(started.event, LogStartAdvanced)
    assert advance == AdvanceLogStart(ORDERS, 3)


def test_time_and_size_are_told_apart_and_the_log_start_moves_once() -> None:
    size = replica(Retention()).log.segments()[0].size_bytes
    effects = expire(replica(Retention(limit_bytes=size, limit_ms=DAY_MS)), 2 * DAY_MS + 1)
    told = [effect.event for effect in effects if isinstance(effect, Emit)]
    assert [type(event) for event in told] == [SegmentsExpired, SegmentsExpired, LogStartAdvanced]
    assert [effect for effect in effects if isinstance(effect, AdvanceLogStart)] == [AdvanceLogStart(ORDERS, 5)]


def test_a_log_of_which_nothing_stays_goes_on_in_a_new_segment() -> None:
    effects = expire(replica(Retention(limit_ms=0)), 9 * DAY_MS)
    assert effects[1] == RollSegment(ORDERS, "retention.ms")
    assert effects[-1] == AdvanceLogStart(ORDERS, 6)


def test_what_is_not_committed_or_has_no_leader_stays() -> None:
    assert expire(replica(Retention(limit_ms=0), high_watermark=0), 9 * DAY_MS) == []
    assert expire(replica(Retention(limit_ms=0), role=ReplicaRole.IDLE), 9 * DAY_MS) == []
    assert expire(replica(Retention()), 9 * DAY_MS) == []
