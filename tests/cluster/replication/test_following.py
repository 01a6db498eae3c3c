"""How often a follower asks for what is idle, and what it does where its leader has deleted records."""

from __future__ import annotations

from cluster.model.effects import Append, CheckpointHighWatermark, Send, Truncate
from cluster.model.events import ReplicaTruncated
from cluster.model.identifiers import EpochEnd, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import FetchRequest, FetchResponse
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import kafka_timing
from cluster.replication.following import FOLLOWED_FEW
from cluster.replication.replica_manager import ReplicaManager
from tests.support.worlds.follower import (
    LEADER,
    OWN,
    answer,
    change,
    events_in,
    fetch_in,
    follower_of,
    told,
    written,
)
from tests.support.worlds.node_world import MemoryLog


def wait_of(fetch: Send) -> int:
    assert isinstance(fetch.message, FetchRequest)
    return fetch.message.max_wait_ms


def test_one_of_many_idle_partitions_is_asked_for_less_and_less_often() -> None:
    manager, fetches = follower_of(FOLLOWED_FEW + 1)
    second = answer(manager, answer(manager, fetches[0]))
    assert wait_of(second) > wait_of(answer(manager, fetches[1])) > kafka_timing().replica_fetch_wait_max_ms


def test_what_is_written_brings_the_pace_back() -> None:
    manager, fetches = follower_of(FOLLOWED_FEW + 1)
    idle = answer(manager, answer(manager, fetches[0]))
    after = answer(manager, idle, encode_batch([Record(None, b"v")]))
    assert wait_of(after) == kafka_timing().replica_fetch_wait_max_ms


def test_what_is_led_or_gone_counts_no_more() -> None:
    manager, fetches = follower_of(FOLLOWED_FEW + 2)
    manager.handle(change(TopicPartition("orders", 5), OWN, 1), 0)
    manager.close(TopicPartition("orders", 6))
    assert wait_of(answer(manager, fetches[0])) == kafka_timing().replica_fetch_wait_max_ms


def test_a_cut_inside_a_batch_takes_the_whole_batch() -> None:
    """A leader that deleted records up to the middle of a batch says that older epochs end there."""
    manager, fetch = written()
    effects = told(manager, fetch, diverging=EpochEnd(0, 4))
    (cut,) = events_in(effects)
    assert isinstance(cut, ReplicaTruncated)
    assert (cut.old_end_offset, cut.end_offset) == (6, 3)
    assert Truncate(TopicPartition("orders", 0), 3) in effects
    again = fetch_in(effects).message
    assert isinstance(again, FetchRequest)
    assert again.fetch_offset == 3


def test_a_cut_below_the_own_log_start_is_made_where_it_is_told() -> None:
    manager, fetch = written(log_start_offset=4)
    (cut,) = events_in(told(manager, fetch, diverging=EpochEnd(0, 3)))
    assert isinstance(cut, ReplicaTruncated)
    assert cut.end_offset == 3


def test_a_cut_below_the_high_watermark_takes_it_along() -> None:
    """An unclean election may give a follower a leader that lacks what was committed."""
    manager, log, where = ReplicaManager(OWN, kafka_timing()), MemoryLog(), TopicPartition("orders", 0)
    manager.open(where, log, 0)
    asked = fetch_in(manager.handle(change(where, LEADER, 0), 0))
    records = b"".join(encode_batch([Record(None, b"v")], offset, 0) for offset in range(3))
    given = FetchResponse(topic="orders", partition=0, leader_epoch=0, high_watermark=3, records=records)
    effects = manager.handle(Received(sender=LEADER, correlation=asked.correlation, message=given), 0)
    for effect in effects:
        if isinstance(effect, Append):
            log.append(effect.records)
    asked = fetch_in(effects)
    assert isinstance(asked.message, FetchRequest) and asked.message.high_watermark == 3
    cut = FetchResponse(
        topic="orders", partition=0, leader_epoch=0, high_watermark=1, diverging=EpochEnd(epoch=0, end_offset=1)
    )
    effects = manager.handle(Received(sender=LEADER, correlation=asked.correlation, message=cut), 0)
    assert Truncate(where, 1) in effects
    assert CheckpointHighWatermark(where, 1) in effects
    again = fetch_in(effects).message
    assert isinstance(again, FetchRequest) and (again.fetch_offset, again.high_watermark) == (1, 1)
