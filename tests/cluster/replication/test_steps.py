"""Several inputs of one step: the log is where the effects before will put it, not where it stands on disk."""

from __future__ import annotations

from dataclasses import replace as replace_settings

from msgspec.structs import replace

from cluster.model.effects import Append, Effect, Emit, Flush, Send
from cluster.model.events import HighWatermarkAdvanced
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import Flushed, PartitionChanged, Received
from cluster.model.messages import FetchRequest, FetchResponse
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import classroom_timing
from cluster.replication.replica_manager import ReplicaManager
from tests.support.worlds.node_world import MemoryLog

ORDERS = TopicPartition("orders", 0)
UNDER_ONE = PartitionState(
    topic_id=1, replicas=(1, 2, 3), isr=(1, 2, 3), leader=1, leader_epoch=0, partition_epoch=0, min_insync_replicas=1
)
UNDER_THREE = replace(UNDER_ONE, leader=3, leader_epoch=1, partition_epoch=1, isr=(2, 3))


def changed(state: PartitionState) -> PartitionChanged:
    return PartitionChanged(topic_partition=ORDERS, state=state, broker_epochs={1: 1, 2: 2, 3: 3})


def fetch_in(effects: list[Effect]) -> Send:
    (found,) = [item for item in effects if isinstance(item, Send) and isinstance(item.message, FetchRequest)]
    return found


def test_a_new_leader_in_the_step_of_an_append_is_asked_for_what_follows_the_append() -> None:
    manager, log = ReplicaManager(2, classroom_timing()), MemoryLog()
    manager.open(ORDERS, log, 0)
    asked = fetch_in(manager.handle(changed(UNDER_ONE), 0))
    records = encode_batch([Record(None, b"a"), Record(None, b"b")], 0, 0)
    response = FetchResponse(topic="orders", partition=0, leader_epoch=0, high_watermark=0, records=records)
    manager.begin_step()
    appended = manager.handle(Received(sender=1, correlation=asked.correlation, message=response), 0)
    again = fetch_in(manager.handle(changed(UNDER_THREE), 0))
    manager.end_step()
    assert any(isinstance(item, Append) for item in appended)
    assert isinstance(again.message, FetchRequest)
    assert (again.target, again.message.fetch_offset, again.message.last_fetched_epoch) == (3, 2, 0)


def test_the_next_step_sees_the_log_as_it_stands() -> None:
    manager, log = ReplicaManager(2, classroom_timing()), MemoryLog()
    manager.open(ORDERS, log, 0)
    manager.begin_step()
    manager.handle(changed(UNDER_ONE), 0)
    manager.end_step()
    log.append(encode_batch([Record(None, b"a")], 0, 0))
    again = fetch_in(manager.handle(changed(UNDER_THREE), 0))
    assert isinstance(again.message, FetchRequest) and again.message.fetch_offset == 1


def with_unflushed_tail(node: int) -> tuple[ReplicaManager, MemoryLog]:
    """A replica whose last life ended after it had written a record and before it had flushed it."""
    manager, log = ReplicaManager(node, replace_settings(classroom_timing(), flush_partitions=True)), MemoryLog()
    log.append(encode_batch([Record(None, b"a")], 0, 0))
    manager.open(ORDERS, log, 0)
    return manager, log


def test_a_follower_flushes_what_its_last_life_left_before_it_claims_to_have_it() -> None:
    manager, log = with_unflushed_tail(2)
    effects = manager.handle(changed(UNDER_ONE), 0)
    assert Flush(ORDERS) in effects
    assert not any(isinstance(item, Send) for item in effects)
    log.flushed_offset = 1
    asked = fetch_in(manager.handle(Flushed(topic_partition=ORDERS, end_offset=1), 0))
    assert isinstance(asked.message, FetchRequest) and asked.message.fetch_offset == 1


def test_a_leader_flushes_what_its_last_life_left_and_its_high_watermark_moves() -> None:
    manager, log = with_unflushed_tail(1)
    alone = replace(UNDER_ONE, replicas=(1,), isr=(1,))
    assert Flush(ORDERS) in manager.handle(changed(alone), 0)
    log.flushed_offset = 1
    effects = manager.handle(Flushed(topic_partition=ORDERS, end_offset=1), 0)
    moved = [item.event for item in effects if isinstance(item, Emit) and isinstance(item.event, HighWatermarkAdvanced)]
    assert [event.high_watermark for event in moved] == [1]
