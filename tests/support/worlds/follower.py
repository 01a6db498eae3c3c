"""A broker that follows, and answers of its leader written by hand."""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import CorruptBatchRefused, Event, ReplicaAppended
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import PartitionChanged, Received
from cluster.model.messages import FetchRequest, FetchResponse
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import kafka_timing
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


def appended(effects: list[Effect]) -> list[tuple[int, int]]:
    """From where to where (exclusive) records were written."""
    return [(each.base_offset, each.end_offset) for each in events_in(effects) if isinstance(each, ReplicaAppended)]


def refused(effects: list[Effect]) -> list[tuple[int, int]]:
    """(where the batch begins, what the follower lacks first) of each batch that was not written."""
    return [(one.base_offset, one.offset) for one in events_in(effects) if isinstance(one, CorruptBatchRefused)]
