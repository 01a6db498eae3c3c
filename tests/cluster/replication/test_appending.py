"""A leader's append: where the batch stands, who is woken, and when its producer is answered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.model.effects import Append, Effect, Emit, Flush, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ReplicaAppended
from cluster.model.identifiers import EDGE_ID, TopicPartition
from cluster.model.inputs import PartitionChanged, Received
from cluster.model.messages import FetchRequest, FetchResponse, ProduceRequest, ProduceResponse
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, check_crc, encode_batch, read_header
from cluster.model.settings import classroom_timing
from cluster.replication.replica_manager import ReplicaManager
from tests.support.kinds import those
from tests.support.worlds.node_world import MemoryLog

ORDERS = TopicPartition("orders", 0)
OWN, FOLLOWER, CLIENT, EPOCH = 1, 2, 1001, 6


class Step:
    """Broker 1 leads, and all that it is given comes in one step: its log stands still meanwhile."""

    def __init__(self, *, flushes: bool = False, replicas: tuple[int, ...] = (OWN, FOLLOWER)) -> None:
        self.manager = ReplicaManager(OWN, replace(classroom_timing(), flush_partitions=flushes))
        self.manager.open(ORDERS, MemoryLog(), 0)
        state = PartitionState(
            topic_id=1, replicas=replicas, isr=replicas, leader=OWN, leader_epoch=EPOCH, partition_epoch=0,
            min_insync_replicas=1,
        )  # fmt: skip
        self.manager.begin_step()
        epochs = dict.fromkeys(replicas, 1)
        self.manager.handle(PartitionChanged(topic_partition=ORDERS, state=state, broker_epochs=epochs), 0)

    def produce(self, *values: bytes, acks: int = -1, timeout_ms: int = 800, sender: int = CLIENT) -> list[Effect]:
        records = encode_batch([Record(None, value) for value in values])
        request = ProduceRequest(
            client_id="p", topic="orders", partition=0, acks=acks, timeout_ms=timeout_ms, records=records
        )
        return self.manager.handle(Received(sender=sender, correlation=7, message=request), 0)

    def fetch(self, replica_id: int) -> list[FetchResponse]:
        """A follower, or with -1 a consumer, asks for what comes first, and waits for it."""
        request = FetchRequest(
            replica_id=replica_id, broker_epoch=1, topic="orders", partition=0, current_leader_epoch=EPOCH,
            fetch_offset=0, max_wait_ms=500,
        )  # fmt: skip
        sender = CLIENT + 1 if replica_id == -1 else replica_id
        return given(self.manager.handle(Received(sender=sender, correlation=8, message=request), 0))


def given(effects: list[Effect]) -> list[FetchResponse]:
    """What those who fetch are sent."""
    return those(FetchResponse, [effect.message for effect in those(Send, effects)])


def answers(effects: list[Effect]) -> list[tuple[int, int]]:
    """(error, base offset) of what the producer is sent."""
    sent = [effect.message for effect in those(Send, effects)]
    return [(message.error, message.base_offset) for message in those(ProduceResponse, sent)]


def test_batches_of_one_step_follow_each_other_in_the_leader_s_epoch() -> None:
    step = Step()
    written = [each for values in ((b"a", b"b"), (b"c",)) for each in those(Append, step.produce(*values))]
    headers = [read_header(each.records) for each in written]
    assert [(it.base_offset, it.end_offset, it.leader_epoch) for it in headers] == [(0, 2, EPOCH), (2, 3, EPOCH)]
    assert all(check_crc(each.records) for each in written), "the CRC does not cover what the leader fills in"


def test_the_event_tells_where_the_batch_stands_and_how_large_it_is() -> None:
    step = Step()
    step.produce(b"a")
    effects = step.produce(b"b", b"c")
    (event,) = those(ReplicaAppended, [emitted.event for emitted in those(Emit, effects)])
    (written,) = those(Append, effects)
    assert (event.base_offset, event.count, event.end_offset, event.leader_epoch) == (1, 2, 3, EPOCH)
    assert event.size_bytes == len(written.records)


@pytest.mark.parametrize(("acks", "flushes", "told"), [
    (-1, False, []), (-1, True, []), (1, False, [(ErrorCode.NONE, 0)]), (1, True, []), (0, False, []),
])  # fmt: skip
def test_only_acks_1_is_answered_at_once_and_not_where_a_leader_flushes_before(
    acks: int, flushes: bool, told: list[tuple[int, int]]
) -> None:
    effects = Step(flushes=flushes).produce(b"a", acks=acks)
    assert answers(effects) == told
    assert (Flush(ORDERS) in effects) is flushes


def test_the_first_who_waits_starts_the_timer_and_those_behind_it_do_not() -> None:
    step = Step()
    assert [timer.delay_ms for timer in those(SetTimer, step.produce(b"a", timeout_ms=700))] == [700]
    assert those(SetTimer, step.produce(b"b", timeout_ms=600)) == []


def test_nobody_but_the_edge_hears_of_a_batch_without_acks() -> None:
    assert answers(Step().produce(b"a", acks=0)) == []
    assert answers(Step().produce(b"a", acks=0, sender=EDGE_ID)) == [(ErrorCode.NONE, 0)]


def test_a_leader_alone_commits_what_it_appends() -> None:
    assert answers(Step(replicas=(OWN,)).produce(b"a")) == [(ErrorCode.NONE, 0)]


def test_a_consumer_that_waits_is_given_what_the_append_commits() -> None:
    step = Step(replicas=(OWN,))
    assert step.fetch(-1) == []
    effects = step.produce(b"a")
    (written,) = those(Append, effects)
    (answer,) = given(effects)
    assert (answer.high_watermark, answer.records) == (1, written.records)


def test_a_follower_that_waits_is_given_the_append_before_it_is_committed() -> None:
    step = Step()
    assert step.fetch(FOLLOWER) == []
    effects = step.produce(b"a")
    (written,) = those(Append, effects)
    (answer,) = given(effects)
    assert (answer.high_watermark, answer.records) == (0, written.records)


def test_a_follower_is_given_all_batches_of_the_step_before_they_are_in_the_log() -> None:
    step = Step()
    written = [each.records for value in (b"a", b"b") for each in those(Append, step.produce(value))]
    (answer,) = step.fetch(FOLLOWER)
    assert answer.records == b"".join(written)
