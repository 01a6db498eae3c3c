"""What a leader refuses, and in which order it looks."""

from __future__ import annotations

import pytest

from cluster.model.compression import Compression, packed
from cluster.model.effects import Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import ProduceAnswered, ReplicaAppended
from cluster.model.identifiers import EDGE_ID, FIRST_CLIENT_ID, TopicPartition
from cluster.model.inputs import PartitionChanged, Received
from cluster.model.messages import FetchRequest, ProduceRequest, ProduceResponse
from cluster.model.partition_state import PartitionState
from cluster.model.settings import classroom_timing
from cluster.replication.replica_manager import ReplicaManager
from tests.support.clients.client_batches import ClientRecord, client_batch
from tests.support.worlds.leader_world import OWN, Leader, high_watermarks
from tests.support.worlds.node_world import MemoryLog
from tests.support.worlds.replica_world import ReplicaWorld, batch


@pytest.fixture(scope="module")
def world() -> ReplicaWorld:
    return ReplicaWorld()


def ask(world: ReplicaWorld, node: int, **changes: object) -> object:
    fields: dict[str, object] = {
        "client_id": "p",
        "topic": "orders",
        "partition": 0,
        "acks": -1,
        "timeout_ms": 500,
        "records": batch("a"),
    } | changes
    return world.answer_of(world.send_as_client(node, ProduceRequest(**fields)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("node", "changes", "error"),
    [
        (1, {"acks": 2}, ErrorCode.INVALID_REQUIRED_ACKS),
        (2, {"acks": 2}, ErrorCode.INVALID_REQUIRED_ACKS),
        (2, {}, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (1, {"topic": "nothing"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (1, {"partition": 9}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (1, {"records": b"no batch"}, ErrorCode.CORRUPT_MESSAGE),
        (1, {"records": batch("a") + batch("b")}, ErrorCode.CORRUPT_MESSAGE),
        (1, {"records": batch("a")[:-1] + b"\x01"}, ErrorCode.CORRUPT_MESSAGE),
        (1, {"records": batch("a" * 1_100_000)}, ErrorCode.MESSAGE_TOO_LARGE),
    ],
)
def test_a_bad_request_is_refused_and_the_log_stays(
    world: ReplicaWorld, node: int, changes: dict[str, object], error: ErrorCode
) -> None:
    before = world.end(1)
    assert ask(world, node, **changes).error == error  # type: ignore[attr-defined]
    assert world.end(1) == before


def test_acks_0_is_never_answered() -> None:
    world = ReplicaWorld()
    asked = world.send_produce(1, "a", acks=0)
    refused = world.send_produce(2, "b", acks=0)
    world.until(world.settled(1, 2, 3))
    assert world.values(3) == ["a"]
    assert not {asked, refused} & set(world.answered)


def test_a_consumer_reads_below_the_high_watermark_only() -> None:
    world = ReplicaWorld()
    world.produce(1, "a", "b")
    world.cuts |= {(1, 2), (1, 3)}
    world.produce(1, "c", acks=1)
    assert world.consumed(1) == ["a", "b"]
    above = world.consume(1, offset=3)
    assert (above.error, above.records) == (0, b"")
    assert world.consume(1, offset=4).error == ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_waiting_consumer_gets_records_when_they_are_committed() -> None:
    world = ReplicaWorld()
    request = FetchRequest(replica_id=-1, topic="orders", partition=0, fetch_offset=0, max_wait_ms=60_000)
    asked = world.send_as_client(1, request)
    assert asked not in world.answered
    world.produce(1, "a")
    assert world.answer_of(asked).records != b""


def test_flushed_partitions_are_acknowledged_after_the_flush_of_every_replica() -> None:
    world = ReplicaWorld(flush_partitions=True)
    assert world.produce(1, "a").error == 0
    assert world.produce(1, "b", acks=1).error == 0
    assert all(world.log(node).flushed_offset >= 1 for node in (1, 2, 3))


def test_a_killed_leader_s_followers_agree_whatever_they_had(world: ReplicaWorld) -> None:
    for number in range(3):
        world.produce(1, f"v{number}")
    world.cuts |= {(1, 3), (3, 1)}
    world.produce(1, "w", acks=1)
    world.kill(1)
    world.cuts.clear()
    world.until(lambda: world.state().leader != 1)
    world.until(lambda: world.values(2) == world.values(3))


def test_a_follower_far_behind_tells_of_what_it_fetched_in_events_of_bounded_size() -> None:
    world = ReplicaWorld(replica_lag_time_max_ms=600_000, fetch_max_bytes=4 << 20)
    world.cuts |= {(1, 3)}
    for number in range(2_500):
        world.send_produce(1, f"v{number}", acks=1)
    world.cuts.clear()
    world.until(lambda: world.end(3) == 2_500)
    told = [event for event in world.named(ReplicaAppended, 3) if event.count > 1]
    assert max(len(event.batches) for event in told) == 1_000
    ends = [event.end_offset for event in world.named(ReplicaAppended, 3)]
    starts = [event.base_offset for event in world.named(ReplicaAppended, 3)]
    assert starts == [0, *ends[:-1]], "no batch is left out or told twice"


@pytest.mark.parametrize(("sender", "is_kafka"), [(EDGE_ID, True), (FIRST_CLIENT_ID, False)])
def test_an_answer_says_whether_a_kafka_client_asked(sender: int, is_kafka: bool) -> None:
    world = ReplicaWorld()
    request = ProduceRequest(
        client_id="producer-1", topic="orders", partition=0, acks=1, timeout_ms=800, records=batch("a")
    )
    effects = world.nodes[1].handle(Received(sender=sender, correlation=4, message=request), world.now_ms)
    emitted = [effect.event for effect in effects if isinstance(effect, Emit)]
    told = [event for event in emitted if isinstance(event, ProduceAnswered)]
    assert [(item.base_offset, item.count, item.kafka_client) for item in told] == [(0, 1, is_kafka)]


def test_each_request_that_waits_is_given_up_at_its_own_time() -> None:
    world = ReplicaWorld()
    world.cuts |= {(2, 1), (3, 1)}
    began_ms = world.now_ms
    asked = {timeout_ms: world.send_produce(1, "a", timeout_ms=timeout_ms) for timeout_ms in (101, 100, 150)}
    for timeout_ms in sorted(asked):
        assert world.answer_of(asked[timeout_ms]).error == ErrorCode.REQUEST_TIMED_OUT
        assert timeout_ms <= world.now_ms - began_ms <= timeout_ms + 5


@pytest.mark.parametrize("codec", Compression)
def test_a_compacted_topic_takes_no_record_without_a_key_whatever_its_batch_is_compressed_with(codec: int) -> None:
    orders, sent = TopicPartition("orders", 0), []
    manager = ReplicaManager(1, classroom_timing())
    manager.open(orders, MemoryLog(), 0)
    state = PartitionState(
        topic_id=1, replicas=(1,), isr=(1,), leader=1, leader_epoch=3, partition_epoch=0, min_insync_replicas=1
    )
    manager.handle(PartitionChanged(topic_partition=orders, state=state, broker_epochs={1: 1}), 0)
    manager.configure(orders, {"cleanup.policy": "compact"})
    for key in (b"k", None):
        records = [ClientRecord(0, 5, b"k", b"v"), ClientRecord(1, 5, key, b"v")]
        packs = (lambda data: packed(codec, data)) if codec else bytes
        request = ProduceRequest(
            client_id="p", topic="orders", partition=0, acks=1, timeout_ms=9,
            records=client_batch(records, attributes=codec, pack=packs),
        )  # fmt: skip
        effects = manager.handle(Received(sender=FIRST_CLIENT_ID, correlation=7, message=request), 1)
        sent += [effect.message for effect in effects if isinstance(effect, Send)]
    assert [answer.error for answer in sent if isinstance(answer, ProduceResponse)] == [
        ErrorCode.NONE,
        ErrorCode.INVALID_RECORD,
    ]


def test_who_leads_a_second_time_knows_nothing_of_its_followers_from_the_first() -> None:
    """Meanwhile another one led, from whom they may have cut what they had."""
    leader = Leader(followers=(2, 3))
    leader.produce("a", "b")
    assert high_watermarks(leader.fetched(2, by=2)) == [], "3 has not fetched"
    leader.decided(3, (OWN, 2, 3))
    assert high_watermarks(leader.decided(OWN, (OWN, 2))) == []
    assert high_watermarks(leader.produce("c")) == []
    assert high_watermarks(leader.fetched(1, by=2)) == [1], "it has cut b"
