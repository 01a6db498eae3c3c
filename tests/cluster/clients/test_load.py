"""A workload against answers written by hand."""

from __future__ import annotations

from cluster.clients.load import BATCH_MAX, CONSUMER, COUNT_TIMER, IN_FLIGHT, PRODUCER, Load
from cluster.clients.state import RETRY_TIMER
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    LoadCounted,
    LoadEnded,
    LoadStarted,
    OperationInvoked,
    OperationRetried,
    OperationSucceeded,
)
from cluster.model.inputs import ClientRequest, Received, TimerFired
from cluster.model.messages import FetchRequest, FetchResponse, MetadataRequest, MetadataResponse, ProduceRequest
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings
from tests.support.worlds.talk import Talk, done, row_of

RECORD_MS = 500


def load(rate_per_s: int = 2, acks: int = -1) -> ClientRequest:
    arguments: dict[str, str | int] = {"topic": "orders", "partition": 0, "rate_per_s": rate_per_s, "acks": acks}
    return ClientRequest(operation="load", arguments=arguments)


def at_work(rate_per_s: int = 2) -> Talk:
    """Both clients know the leader; the first record and the first poll are on their way."""
    talk = Talk(client=Load(3, 1001, (1, 2, 3), (101,), Settings()))
    talk.give(load(rate_per_s))
    know_leader(talk)
    return talk


def know_leader(talk: Talk) -> None:
    """Answer all that ask for metadata."""
    for send in [send for send in talk.sent if isinstance(send.message, MetadataRequest)]:
        answer = MetadataResponse(brokers=(1, 2, 3), partitions=(row_of(1, 0),))
        talk.give(Received(sender=send.target, correlation=send.correlation, message=answer))


def written(*numbers: int, base_offset: int = 0) -> FetchResponse:
    records = encode_batch([Record(b"", f"load-{number}".encode()) for number in numbers], base_offset=base_offset)
    return FetchResponse(topic="orders", partition=0, high_watermark=base_offset + len(numbers), records=records)


def newest(talk: Talk, kind: type) -> int:
    """Place of the newest request of a class."""
    return max(place for place, send in enumerate(talk.sent) if isinstance(send.message, kind))


def wait(talk: Talk, now_ms: int) -> None:
    """Let time pass up to an instant, every timer in its turn."""
    while talk.timers and min(talk.timers.values()) <= now_ms:
        talk.fire()
    talk.now_ms = now_ms


def count(talk: Talk) -> LoadCounted:
    talk.give(TimerFired(name=COUNT_TIMER))
    return talk.named(LoadCounted)[-1]


def test_a_record_becomes_due_at_each_tick_of_the_rate() -> None:
    talk = at_work(rate_per_s=2)
    for second_half in range(1, 5):
        talk.answer(done(second_half - 1), which=newest(talk, ProduceRequest))
        wait(talk, second_half * RECORD_MS - 1)
        assert len(talk.requests(ProduceRequest)) == second_half
        wait(talk, second_half * RECORD_MS)
        assert len(talk.requests(ProduceRequest)) == second_half + 1
    values = [event.value for event in talk.named(OperationInvoked) if event.function == "produce"]
    assert values == ["load-1", "load-2", "load-3", "load-4", "load-5"], "no two records are alike"


def test_what_became_due_while_nobody_answered_goes_in_one_batch_and_has_a_bound() -> None:
    talk = at_work(rate_per_s=1000)
    for second in range(1, 10):
        wait(talk, second * 1000)
    invoked = [event.value for event in talk.named(OperationInvoked) if event.function == "produce"]
    assert invoked[:2] == ["load-1", "load-2 to load-51"] and len(invoked) == IN_FLIGHT
    talk.answer(done(0), which=newest(talk, ProduceRequest))
    invoked = [event.value for event in talk.named(OperationInvoked) if event.function == "produce"]
    assert len(invoked) == IN_FLIGHT + 1 and invoked[-1].endswith(f"to load-{BATCH_MAX}")
    assert count(talk).waiting_count <= 2 * BATCH_MAX


def test_the_next_record_does_not_wait_for_the_answer_to_the_one_before() -> None:
    talk = at_work()
    wait(talk, RECORD_MS)
    assert len(talk.requests(ProduceRequest)) == 2
    talk.answer(done(error=ErrorCode.NOT_ENOUGH_REPLICAS), which=newest(talk, ProduceRequest))
    assert talk.named(OperationRetried)[-1:] == [] and count(talk).waiting_count == 2


def test_its_counts_say_how_long_an_answer_took_and_what_waits() -> None:
    talk = at_work()
    wait(talk, 40)
    talk.answer(done(0), which=newest(talk, ProduceRequest))
    first = count(talk)
    assert (first.acked_count, first.p50_ms, first.p99_ms, first.waiting_count) == (1, 40, 40, 0)
    wait(talk, RECORD_MS)
    second = count(talk)
    assert (second.acked_count, second.p50_ms, second.waiting_count) == (1, -1, 1)


def test_the_consumer_reads_on_from_where_it_is() -> None:
    talk = at_work()
    talk.answer(done(0), which=newest(talk, ProduceRequest))
    talk.answer(written(1), which=newest(talk, FetchRequest))
    assert talk.named(OperationSucceeded)[-1].values == ("load-1",)
    wait(talk, 60)
    poll = talk.asked(FetchRequest)[-1]
    assert (poll.fetch_offset, poll.max_wait_ms) == (1, 500)
    assert count(talk).position == 1
    assert count(talk).lost_count == 0


def test_an_acknowledged_record_is_lost_when_another_is_read_at_its_offset() -> None:
    talk = at_work()
    talk.answer(done(5), which=newest(talk, ProduceRequest))
    assert count(talk).lost_count == 0
    talk.answer(written(7, base_offset=5), which=newest(talk, FetchRequest))
    assert count(talk).lost_count == 1


def test_an_acknowledged_record_is_lost_when_another_is_acknowledged_at_its_offset() -> None:
    talk = at_work()
    talk.answer(done(5), which=newest(talk, ProduceRequest))
    wait(talk, RECORD_MS)
    talk.answer(done(5), which=newest(talk, ProduceRequest))
    assert count(talk).lost_count == 1, "record 1 was there, now record 2 is"


def test_a_consumer_whose_log_became_shorter_goes_on_at_its_end() -> None:
    talk = at_work()
    talk.answer(written(1, 2, 3), which=newest(talk, FetchRequest))
    wait(talk, 60)
    gone = FetchResponse(error=ErrorCode.OFFSET_OUT_OF_RANGE, topic="orders", partition=0, log_end_offset=2)
    talk.answer(gone, which=newest(talk, FetchRequest))
    wait(talk, 200)
    know_leader(talk)
    assert talk.asked(FetchRequest)[-1].fetch_offset == 2


def test_another_rate_goes_on_with_the_same_clients_and_counts() -> None:
    talk = at_work()
    talk.answer(done(0), which=newest(talk, ProduceRequest))
    talk.give(load(rate_per_s=20, acks=1))
    first, second = talk.named(LoadStarted)
    assert (first.producer_id, first.rate_per_s, first.acks) == ("load-producer-3", 2, -1)
    assert (second.producer_id, second.rate_per_s, second.acks) == ("load-producer-3", 20, 1)
    assert count(talk).acked_count == 1
    wait(talk, 60)
    assert talk.asked(ProduceRequest)[-1].acks == 1


def test_it_has_ended_once_all_that_it_asked_for_has_its_answer() -> None:
    talk = at_work()
    talk.give(load(rate_per_s=0))
    assert not talk.named(LoadEnded)
    talk.answer(done(0), which=newest(talk, ProduceRequest))
    assert not talk.client.idle, "the poll of the consumer is still at a broker"
    talk.answer(FetchResponse(topic="orders", partition=0, high_watermark=0), which=newest(talk, FetchRequest))
    assert talk.client.idle
    assert talk.named(LoadEnded)
    assert talk.timers == {}, "nothing is left that could wake it"


def test_each_of_the_two_clients_has_timers_of_its_own() -> None:
    talk = Talk(client=Load(3, 1001, (1, 2, 3), (101,), Settings()))
    talk.give(load())
    assert {PRODUCER + RETRY_TIMER, CONSUMER + RETRY_TIMER} <= set(talk.timers), "both wait for metadata"
