"""How often a follower asks for what is idle, and what it does where its leader has deleted records."""

from __future__ import annotations

import pytest

from cluster.model.effects import Append, CheckpointHighWatermark, Effect, Emit, Send, Truncate
from cluster.model.errors import ErrorCode
from cluster.model.events import CorruptBatchRefused, Event, LogStartAdvanced, ReplicaAppended, ReplicaTruncated
from cluster.model.identifiers import EpochEnd, TopicPartition
from cluster.model.inputs import PartitionChanged, Received
from cluster.model.messages import FetchRequest, FetchResponse
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import kafka_timing
from cluster.replication.following import FOLLOWED_FEW
from cluster.replication.replica_manager import ReplicaManager
from tests.support.worlds.node_world import MemoryLog

LEADER, OWN = 1, 2


def follower_of(count: int) -> tuple[ReplicaManager, dict[int, Send]]:
    """A broker that follows so many partitions, and its first fetch of each."""
    manager = ReplicaManager(OWN, kafka_timing())
    fetches = {}
    for partition in range(count):
        where = TopicPartition("orders", partition)
        manager.open(where, MemoryLog(), 0)
        fetches[partition] = fetch_in(manager.handle(change(where, LEADER, 0), 0))
    return manager, fetches


def change(where: TopicPartition, leader: int, epoch: int) -> PartitionChanged:
    state = PartitionState(
        topic_id=1,
        replicas=(LEADER, OWN),
        isr=(LEADER, OWN),
        leader=leader,
        leader_epoch=epoch,
        partition_epoch=epoch,
        min_insync_replicas=1,
    )
    return PartitionChanged(topic_partition=where, state=state, broker_epochs={LEADER: 1, OWN: 2})


def fetch_in(effects: list[Effect]) -> Send:
    (found,) = [each for each in effects if isinstance(each, Send) and isinstance(each.message, FetchRequest)]
    return found


def answer(manager: ReplicaManager, fetch: Send, records: bytes = b"") -> Send:
    """The fetch that follows this answer."""
    assert isinstance(fetch.message, FetchRequest)
    response = FetchResponse(
        error=ErrorCode.NONE,
        topic=fetch.message.topic,
        partition=fetch.message.partition,
        leader_id=LEADER,
        leader_epoch=0,
        high_watermark=0,
        records=records,
    )
    return fetch_in(manager.handle(Received(sender=LEADER, correlation=fetch.correlation, message=response), 0))


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


def written(log_start_offset: int = 0) -> tuple[ReplicaManager, Send]:
    """A broker that follows with two batches of three records each, and its first fetch."""
    manager, log = ReplicaManager(OWN, kafka_timing()), MemoryLog()
    for base_offset in (0, 3):
        log.append(encode_batch([Record(None, b"v")] * 3, base_offset, 0))
    log.log_start_offset = log_start_offset
    where = TopicPartition("orders", 0)
    manager.open(where, log, 0)
    return manager, fetch_in(manager.handle(change(where, LEADER, 1), 0))


def told(manager: ReplicaManager, fetch: Send, **changed: object) -> list[Effect]:
    """What it does with this answer."""
    response = FetchResponse(topic="orders", partition=0, leader_id=LEADER, leader_epoch=1, high_watermark=6)
    for name, value in changed.items():
        setattr(response, name, value)
    return manager.handle(Received(sender=LEADER, correlation=fetch.correlation, message=response), 0)


def events_in(effects: list[Effect]) -> list[Event]:
    return [each.event for each in effects if isinstance(each, Emit)]


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


def test_where_all_that_it_has_is_deleted_it_goes_on_with_the_batch_that_holds_the_log_start() -> None:
    manager, fetch = written()
    batch = encode_batch([Record(None, b"w")] * 4, 4, 1)
    effects = told(manager, fetch, log_start_offset=6, records=batch)
    deleted, appended = events_in(effects)[:2]
    assert isinstance(deleted, LogStartAdvanced)
    assert isinstance(appended, ReplicaAppended)
    assert deleted.log_start_offset == 6
    assert (appended.base_offset, appended.end_offset) == (4, 8)


def test_what_is_left_of_its_log_is_not_written_over() -> None:
    manager, fetch = written()
    batch = encode_batch([Record(None, b"w")] * 4, 4, 1)
    effects = told(manager, fetch, log_start_offset=5, records=batch)
    assert (appended(effects), refused(effects)) == ([], [(4, 6)])


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


def appended(effects: list[Effect]) -> list[tuple[int, int]]:
    """From where to where (exclusive) records were written."""
    return [(each.base_offset, each.end_offset) for each in events_in(effects) if isinstance(each, ReplicaAppended)]


def test_batches_of_an_epoch_after_the_fetch_are_left_out() -> None:
    manager, fetch = written()
    newer = encode_batch([Record(None, b"w")], 6, 1) + encode_batch([Record(None, b"w")], 7, 2)
    effects = told(manager, fetch, records=newer)
    assert appended(effects) == [(6, 7)]
    again = fetch_in(effects).message
    assert isinstance(again, FetchRequest) and again.fetch_offset == 7


def refused(effects: list[Effect]) -> list[tuple[int, int]]:
    """(where the batch begins, what the follower lacks first) of each batch that was not written."""
    return [(one.base_offset, one.offset) for one in events_in(effects) if isinstance(one, CorruptBatchRefused)]


@pytest.mark.parametrize("good", [0, 1])
@pytest.mark.parametrize("cut_bytes", [0, 5])
def test_what_is_corrupt_is_refused_and_asked_for_later(good: int, cut_bytes: int) -> None:
    """A byte is wrong, or the batch ends too early."""
    manager, fetch = written()
    whole = [encode_batch([Record(None, b"w")], offset, 1) for offset in (6, 7)]
    bad = bytearray(whole[good])
    bad[-1] ^= 1
    records = b"".join(whole[:good]) + bytes(bad[: len(bad) - cut_bytes])
    effects = told(manager, fetch, records=records)
    assert appended(effects) == [(6, 7)] * good
    assert refused(effects) == [(-1, 6 + good)]
    assert not any(isinstance(each, Send) for each in effects)


def test_a_batch_that_ends_where_the_leaders_log_starts_is_not_written() -> None:
    manager, fetch = written()
    gone = encode_batch([Record(None, b"w")] * 2, 4, 1)
    effects = told(manager, fetch, log_start_offset=6, records=gone)
    assert (appended(effects), refused(effects)) == ([], [(4, 6)])


def test_a_batch_that_overlaps_the_log_is_refused_and_asked_for_later() -> None:
    """Truncation by high watermark leaves logs that differ; the broker goes on with its other partitions."""
    manager, fetch = written()
    effects = told(manager, fetch, records=encode_batch([Record(None, b"w")] * 3, 5, 1))
    assert (appended(effects), refused(effects)) == ([], [(5, 6)])
    assert not any(isinstance(each, Send) for each in effects)


def test_a_follower_knows_the_producers_of_what_it_copies() -> None:
    """Of the first producer, whose id is 0, too; and it need not read its own log for them when it is to lead."""
    manager = ReplicaManager(OWN, kafka_timing())
    where = TopicPartition("orders", 0)
    manager.open(where, MemoryLog(), 0)
    fetch = fetch_in(manager.handle(change(where, LEADER, 1), 0))
    records = b"".join(encode_batch([Record(None, b"v")] * 2, 2 * at, 1, sequenced=(0, 0, 2 * at)) for at in (0, 1))
    (copied,) = [each for each in events_in(told(manager, fetch, records=records)) if isinstance(each, ReplicaAppended)]
    assert [sequence[:2] for sequence in copied.sequences] == [(0, 0), (2, 0)]
    assert manager.replica(where).producers.next_offset == 4
