"""From a time to an offset: what a leader tells a consumer, and what it keeps to itself."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.model.effects import Append, AssignEpoch, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import PartitionChanged, Received
from cluster.model.messages import ListOffsetsRequest, ListOffsetsResponse, ProduceRequest
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import classroom_timing
from cluster.replication.list_offsets import NOTHING, may_tell
from cluster.replication.replica_manager import ReplicaManager
from cluster.replication.time_index import FoundRecord
from tests.support.worlds.node_world import MemoryLog
from tests.support.worlds.replica_world import ReplicaWorld

ORDERS = TopicPartition("orders", 0)
LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED = -1, -2, -3, -4, -5
HELD = PartitionState(
    topic_id=1, replicas=(1, 2), isr=(1, 2), leader=1, leader_epoch=3, partition_epoch=0, min_insync_replicas=1
)


class Leader:
    """Broker 1 leads orders-0 in epoch 3 over a log that is given; broker 2 never fetches."""

    def __init__(self, log: MemoryLog, high_watermark: int, **changes: Any) -> None:
        self.log = log
        self.manager = ReplicaManager(1, classroom_timing())
        self.manager.open(ORDERS, log, high_watermark)
        state = replace(HELD, **changes)
        self.sent: list[Any] = []
        self.tell(PartitionChanged(topic_partition=ORDERS, state=state, broker_epochs={1: 1, 2: 2}))

    def tell(self, happened: Any) -> None:
        for effect in self.manager.handle(happened, 1_000):
            match effect:
                case Append(records=records):
                    self.log.append(records)
                case AssignEpoch(epoch=epoch, start_offset=start_offset):
                    self.log.leader_epochs.assign(epoch, start_offset)
                case Send(message=message):
                    self.sent.append(message)

    def write(self, time_ms: int) -> None:
        """One record of that time, which the follower does not fetch."""
        records = encode_batch([Record(None, b"x")], timestamp_ms=time_ms)
        request = ProduceRequest(client_id="p", topic="orders", partition=0, acks=0, timeout_ms=10, records=records)
        self.tell(Received(sender=1001, correlation=7, message=request))

    def find(self, timestamp_ms: int, **changes: Any) -> ListOffsetsResponse:
        request = ListOffsetsRequest(topic="orders", partition=0, timestamp_ms=timestamp_ms, **changes)
        self.tell(Received(sender=1001, correlation=3, message=request))
        answer = self.sent[-1]
        assert isinstance(answer, ListOffsetsResponse)
        return answer

    def found(self, timestamp_ms: int, **changes: Any) -> tuple[int, int, int, int]:
        answer = self.find(timestamp_ms, **changes)
        return answer.error, answer.offset, answer.timestamp_ms, answer.leader_epoch


def log_of(*times: int, epoch: int = 3, size: int = 1) -> MemoryLog:
    """A log of batches of `size` records; each batch has one time."""
    log = MemoryLog()
    for number, time_ms in enumerate(times):
        values = [Record(None, f"{number}.{index}".encode()) for index in range(size)]
        log.append(encode_batch(values, number * size, epoch, time_ms))
    return log


def test_latest_is_the_high_watermark_for_a_consumer_and_the_log_end_for_a_replica() -> None:
    leader = Leader(log_of(100, 200, 300, epoch=2), 3)
    leader.write(400)
    assert leader.found(LATEST) == (0, 3, -1, 3)
    assert leader.found(LATEST, replica_id=2) == (0, 4, -1, 3)


def test_earliest_is_the_start_of_the_log_with_the_epoch_that_wrote_it() -> None:
    assert Leader(log_of(100, 200, epoch=2), 2).found(EARLIEST) == (0, 0, -1, 2)
    assert Leader(log_of(100, epoch=2), 1).found(EARLIEST_LOCAL) == (0, 0, -1, 2)
    assert Leader(MemoryLog(), 0).found(EARLIEST) == (0, 0, -1, 3), "of an empty log it is the leader's own epoch"


@pytest.mark.parametrize(
    ("asked_ms", "found"),
    [(0, (0, 0, 100, 2)), (100, (0, 0, 100, 2)), (101, (0, 2, 300, 2)), (201, (0, 2, 300, 2)), (301, (0, -1, -1, -1))],
)
def test_a_time_finds_the_first_record_of_that_time_or_later(asked_ms: int, found: tuple[int, ...]) -> None:
    assert Leader(log_of(100, 300, 200, epoch=2, size=2), 6).found(asked_ms) == found


def test_the_largest_timestamp_is_not_the_newest_record() -> None:
    assert Leader(log_of(100, 300, 300, 200, epoch=2), 4).found(MAX_TIMESTAMP) == (0, 1, 300, 2)
    assert Leader(MemoryLog(), 0).found(MAX_TIMESTAMP) == (0, -1, -1, -1)


def test_tiered_storage_holds_nothing_here() -> None:
    assert Leader(log_of(100), 1).found(LATEST_TIERED) == (0, -1, -1, -1)
    assert Leader(log_of(100), 1).find(-6).error == ErrorCode.UNSUPPORTED_VERSION


def test_a_consumer_hears_of_no_record_from_the_high_watermark_on() -> None:
    leader = Leader(log_of(100), 1)
    leader.write(200)
    assert leader.found(50) == (0, 0, 100, 3)
    assert leader.found(150) == (0, -1, -1, -1)
    assert leader.found(MAX_TIMESTAMP) == (0, -1, -1, -1)
    assert leader.found(150, replica_id=2) == (0, 1, 200, 3)


def test_a_new_leader_that_does_not_know_what_is_committed_says_so() -> None:
    leader = Leader(log_of(100, 200, 300, epoch=2), 1)
    assert leader.find(LATEST).error == ErrorCode.OFFSET_NOT_AVAILABLE
    assert leader.find(200).error == ErrorCode.OFFSET_NOT_AVAILABLE
    assert leader.found(100) == (0, 0, 100, 2), "what is committed for certain it tells"
    assert leader.find(EARLIEST).error == 0


@pytest.mark.parametrize(
    ("believed", "error"),
    [
        (2, ErrorCode.FENCED_LEADER_EPOCH),
        (4, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (3, ErrorCode.NONE),
        (-1, ErrorCode.NONE),
    ],
)
def test_the_asker_is_fenced_by_the_epoch_it_believes_in(believed: int, error: ErrorCode) -> None:
    assert Leader(log_of(100), 1).find(EARLIEST, current_leader_epoch=believed).error == error


def test_only_a_leader_answers() -> None:
    world = ReplicaWorld()
    world.produce(1, "a")
    asked = ListOffsetsRequest(topic="orders", partition=0, timestamp_ms=LATEST)
    told = {node: world.answer_of(world.send_as_client(node, asked)) for node in (1, 2, 101)}
    assert [told[node].error for node in (1, 2, 101)] == [0, *[ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2]
    assert told[1].offset == 1
    unknown = ListOffsetsRequest(topic="nothing", partition=0, timestamp_ms=LATEST)
    assert world.answer_of(world.send_as_client(1, unknown)).error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_what_is_told_by_time_is_below_the_limit() -> None:
    record = FoundRecord(5, 100, 1)
    assert may_tell(record, 6, lagging=True) == (ErrorCode.NONE, record)
    assert may_tell(record, 5, lagging=False) == (ErrorCode.NONE, NOTHING)
    assert may_tell(record, 5, lagging=True) == (ErrorCode.OFFSET_NOT_AVAILABLE, NOTHING)
    assert may_tell(None, 5, lagging=False) == (ErrorCode.NONE, NOTHING)
