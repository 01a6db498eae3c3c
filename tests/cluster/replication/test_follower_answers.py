"""What a follower does with answers: late ones, errors, cuts, and who deletes or flushes meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cluster.model.effects import (
    Append,
    CancelTimer,
    CheckpointHighWatermark,
    Effect,
    Flush,
    HaltNode,
    Send,
    SetTimer,
)
from cluster.model.errors import ErrorCode
from cluster.model.events import BecameFollower, LogEndReported, LogStartAdvanced
from cluster.model.identifiers import NO_NODE, EpochEnd, TopicPartition
from cluster.model.inputs import Disconnected, Flushed, PartitionChanged, Received, TimerFired
from cluster.model.messages import FetchRequest, FetchResponse, OffsetForLeaderEpochRequest
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings, kafka_timing
from cluster.replication.following import FOLLOWED_FEW
from cluster.replication.replica_manager import ReplicaManager
from cluster.replication.time_index import TimeIndex
from tests.support.worlds.follower import LEADER, OWN, answer, change, events_in, fetch_in, follower_of, told
from tests.support.worlds.node_world import MemoryLog

WHERE = TopicPartition("orders", 0)
TIMER = "replica.orders-0.fetch"
BACK_OFF = SetTimer(TIMER, kafka_timing().replica_fetch_backoff_ms)
GUARD = SetTimer(TIMER, kafka_timing().request_timeout_ms)


def one(base_offset: int = 0, epoch: int = 0, count: int = 1) -> bytes:
    return encode_batch([Record(None, b"v")] * count, base_offset, epoch)


def log_of(end_offset: int, log_start_offset: int = 0) -> MemoryLog:
    log = MemoryLog()
    for offset in range(end_offset):
        log.append(one(offset))
    log.log_start_offset = log_start_offset
    return log


def follower(
    log: MemoryLog | None = None, *, high_watermark: int = 0, own: dict[str, str] | None = None, **changes: Any
) -> tuple[ReplicaManager, list[Effect]]:
    """A broker that begins to follow in epoch 1, and what it did."""
    settings: Settings = replace(kafka_timing(), **changes)
    manager = ReplicaManager(OWN, settings)
    manager.open(WHERE, log or MemoryLog(), high_watermark)
    manager.configure(WHERE, own or {})
    return manager, manager.handle(change(WHERE, LEADER, 1), 0)


def changed(leader: int, epoch: int) -> PartitionChanged:
    return change(WHERE, leader, epoch)


def fetched(fetch: Send) -> FetchRequest:
    assert isinstance(fetch.message, FetchRequest)
    return fetch.message


def fetches(effects: list[Effect]) -> list[FetchRequest]:
    return [fetched(each) for each in effects if isinstance(each, Send) and isinstance(each.message, FetchRequest)]


def late(manager: ReplicaManager, correlation: int, **changes: Any) -> list[Effect]:
    response = FetchResponse(topic="orders", partition=0, leader_id=LEADER, leader_epoch=1, high_watermark=0)
    for name, value in changes.items():
        setattr(response, name, value)
    return manager.handle(Received(sender=LEADER, correlation=correlation, message=response), 0)


def test_an_answer_to_another_fetch_than_the_last_is_dropped() -> None:
    manager, effects = follower()
    first = fetch_in(effects).correlation
    assert late(manager, first + 1, records=one(0, 1)) == []
    assert fetches(late(manager, first))
    assert late(manager, first, records=one(0, 1)) == []


def test_who_leads_or_has_left_takes_no_answer_any_more() -> None:
    manager, effects = follower()
    first = fetch_in(effects).correlation
    left = manager.handle(changed(OWN, 2), 0)
    assert CancelTimer(TIMER) in left
    assert late(manager, first, records=one(0, 1)) == []
    assert manager.handle(TimerFired(name=TIMER), 0) == []
    assert not fetches(manager.handle(Flushed(topic_partition=WHERE, end_offset=1), 0))
    assert manager.handle(Disconnected(peer=LEADER), 0) == []


def test_a_lost_connection_is_tried_again_after_the_back_off_and_only_that_of_the_leader() -> None:
    manager, effects = follower()
    first = fetch_in(effects).correlation
    assert manager.handle(Disconnected(peer=LEADER + 7), 0) == []
    assert manager.handle(Disconnected(peer=LEADER), 0) == [BACK_OFF]
    assert manager.handle(Disconnected(peer=LEADER), 0) == []
    assert late(manager, first, records=one(0, 1)) == []
    assert GUARD in manager.handle(TimerFired(name=TIMER), 0)


def test_who_follows_nobody_says_so_and_asks_nobody() -> None:
    manager, _ = follower()
    effects = manager.handle(changed(NO_NODE, 2), 0)
    assert [event for event in events_in(effects) if isinstance(event, BecameFollower)]
    assert not any(isinstance(each, Send) for each in effects)
    assert not any(isinstance(event, LogEndReported) for event in events_in(effects))


def test_by_majority_who_follows_nobody_tells_where_its_log_ends() -> None:
    manager, _ = follower(own={"commit.rule": "majority"})
    told_of = [type(event) for event in events_in(manager.handle(changed(NO_NODE, 2), 0))]
    assert told_of == [BecameFollower, LogEndReported]


def test_who_follows_nobody_is_not_counted_among_those_that_wait_longer() -> None:
    manager, asked = follower_of(FOLLOWED_FEW + 1)
    manager.handle(change(TopicPartition("orders", 3), NO_NODE, 1), 0)
    again = answer(manager, answer(manager, asked[0]))
    assert fetched(again).max_wait_ms == kafka_timing().replica_fetch_wait_max_ms


def test_one_of_many_begins_at_full_pace_with_each_leader_and_slows_down_by_twice() -> None:
    manager, asked = follower_of(FOLLOWED_FEW + 1)
    wait_ms = kafka_timing().replica_fetch_wait_max_ms
    assert fetched(asked[0]).max_wait_ms == wait_ms
    second = answer(manager, asked[0])
    assert fetched(second).max_wait_ms == 2 * wait_ms
    assert fetched(answer(manager, second)).max_wait_ms == 4 * wait_ms
    first_place = TopicPartition("orders", 0)
    assert fetched(fetch_in(manager.handle(change(first_place, LEADER, 5), 0))).max_wait_ms == wait_ms


def test_by_majority_the_first_fetch_of_an_epoch_does_not_wait() -> None:
    manager, effects = follower(own={"commit.rule": "majority"})
    first = fetch_in(effects)
    assert fetched(first).max_wait_ms == 0
    second = fetch_in(told(manager, first, high_watermark=0, epoch_start_offset=0))
    assert fetched(second).max_wait_ms == kafka_timing().replica_fetch_wait_max_ms
    assert fetched(fetch_in(manager.handle(changed(LEADER, 2), 0))).max_wait_ms == 0


@pytest.mark.parametrize(("end_offset", "asks"), [(0, False), (1, True)])
def test_who_has_a_record_asks_first_where_its_epoch_ends(end_offset: int, asks: bool) -> None:
    _, effects = follower(log_of(end_offset), truncation_mode="kip279")
    sent = [type(each.message) for each in effects if isinstance(each, Send)]
    assert sent == [OffsetForLeaderEpochRequest if asks else FetchRequest]


@pytest.mark.parametrize(("high_watermark", "falls"), [(2, False), (3, True), (4, True)])
def test_only_a_high_watermark_above_the_cut_falls(high_watermark: int, falls: bool) -> None:
    manager, effects = follower(log_of(5), high_watermark=high_watermark)
    cut = told(manager, fetch_in(effects), high_watermark=0, diverging=EpochEnd(0, 2))
    assert (CheckpointHighWatermark(WHERE, 2) in cut) is falls
    assert manager.replica(WHERE).high_watermark == 2


def test_times_of_what_is_cut_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    manager, effects = follower(log_of(2))
    cut_to: list[int] = []
    monkeypatch.setattr(TimeIndex, "truncate", lambda _, end_offset: cut_to.append(end_offset))
    told(manager, fetch_in(effects), diverging=EpochEnd(0, 1))
    assert cut_to == [1]


def test_who_is_fenced_waits_for_the_metadata() -> None:
    manager, effects = follower()
    assert told(manager, fetch_in(effects), error=ErrorCode.FENCED_LEADER_EPOCH) == [CancelTimer(TIMER)]


def test_what_cannot_be_written_is_asked_for_again_later() -> None:
    manager, effects = follower()
    torn = bytearray(one(0, 1))
    torn[-1] ^= 1
    assert told(manager, fetch_in(effects), high_watermark=0, records=bytes(torn))[-1] == BACK_OFF


def out_of_range(leader_start: int, leader_end: int, **changes: Any) -> tuple[ReplicaManager, list[Effect]]:
    """A follower with five records hears that its fetch at 5 is out of the leader's range."""
    manager, effects = follower(log_of(5), **changes)
    error = {"error": ErrorCode.OFFSET_OUT_OF_RANGE, "log_start_offset": leader_start, "log_end_offset": leader_end}
    return manager, told(manager, fetch_in(effects), high_watermark=0, **error)


def test_out_of_range_begins_anew_where_the_leader_begins_and_asks_later() -> None:
    _, effects = out_of_range(9, 12)
    assert effects[-1] == BACK_OFF and len(effects) > 1


@pytest.mark.parametrize("changes", [{}, {"truncation_mode": "hw", "unclean_leader_election": True}])
def test_out_of_range_is_cut_to_a_shorter_leader_where_that_may_lose_records(changes: dict[str, Any]) -> None:
    _, effects = out_of_range(0, 3, **changes)
    assert [fetch.fetch_offset for fetch in fetches(effects)] == [3]


def test_before_kip_101_a_broker_halts_rather_than_lose_records() -> None:
    manager, effects = follower(log_of(5), high_watermark=5, truncation_mode="hw")
    error = {"error": ErrorCode.OFFSET_OUT_OF_RANGE, "log_start_offset": 0, "log_end_offset": 3}
    (halted,) = told(manager, fetch_in(effects), high_watermark=0, **error)
    assert isinstance(halted, HaltNode)
    assert halted.why == "orders-0: the leader ends at 3, before our 5"


def flushing(log: MemoryLog | None = None) -> tuple[ReplicaManager, Send]:
    log = log or MemoryLog()
    log.flushed_offset = log.log_end_offset
    manager, effects = follower(log, flush_partitions=True)
    return manager, fetch_in(effects)


def test_what_was_written_is_flushed_before_the_next_fetch_and_no_timer_asks_meanwhile() -> None:
    manager, first = flushing()
    effects = told(manager, first, high_watermark=0, records=one(0, 1))
    assert effects[-2:] == [Flush(WHERE), CancelTimer(TIMER)]
    assert any(isinstance(each, Append) for each in effects) and not fetches(effects)
    assert len(fetches(manager.handle(Flushed(topic_partition=WHERE, end_offset=1), 0))) == 1
    assert not fetches(manager.handle(Flushed(topic_partition=WHERE, end_offset=1), 0)), "one is on its way"


def test_what_writes_nothing_needs_no_flush() -> None:
    manager, first = flushing(log_of(1))
    newer = told(manager, first, high_watermark=0, records=one(1, 9))  # of an epoch that began after the fetch
    assert len(fetches(newer)) == 1 and Flush(WHERE) not in newer
    fetch = fetch_in(newer)
    moved = told(manager, fetch, high_watermark=1)
    assert manager.replica(WHERE).high_watermark == 1
    assert len(fetches(moved)) == 1 and Flush(WHERE) not in moved


def advanced(effects: list[Effect]) -> list[tuple[int, int]]:
    return [
        (event.old_log_start_offset, event.log_start_offset)
        for event in events_in(effects)
        if isinstance(event, LogStartAdvanced)
    ]


@pytest.mark.parametrize(
    ("end_offset", "own_start", "leader_start", "expected"),
    [
        (3, 0, 0, []),
        (3, 1, 0, []),
        (3, 0, 1, [(0, 1)]),
        (3, 1, 2, [(1, 2)]),
        (3, 0, 3, [(0, 3)]),
        (3, 3, 3, []),
    ],
)
def test_the_log_start_follows_the_leaders_once(
    end_offset: int, own_start: int, leader_start: int, expected: list[tuple[int, int]]
) -> None:
    manager, effects = follower(log_of(end_offset, own_start))
    answered = told(manager, fetch_in(effects), high_watermark=0, log_start_offset=leader_start)
    assert advanced(answered) == expected


def test_a_log_that_is_deleted_whole_goes_on_where_the_leader_begins() -> None:
    manager, effects = follower(log_of(2))
    answered = told(manager, fetch_in(effects), high_watermark=0, log_start_offset=2, records=one(2, 1))
    assert advanced(answered) == [(0, 2)]
    assert [each.topic_partition for each in answered if isinstance(each, Append)] == [WHERE]
