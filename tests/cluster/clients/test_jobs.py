"""What a producer makes of its records: batches for partitions, with keys, and one that is spoilt on its way."""

from __future__ import annotations

from cluster.clients.client import DELIVERY_FACTOR
from cluster.model.errors import ErrorCode
from cluster.model.events import OperationFailed, OperationInvoked, OperationRetried, OperationSucceeded
from cluster.model.messages import (
    InitProducerIdResponse,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
    ProduceResponse,
)
from cluster.model.record_batch import decode_records, is_intact, sequence_of
from cluster.model.settings import Settings
from tests.support.worlds.talk import Talk, done, produce, row_of


def metadata(*leaders: int) -> MetadataResponse:
    """Who leads partitions 0, 1 and so on."""
    rows = [row_of(leader, 0) for leader in leaders]
    return MetadataResponse(
        brokers=(1, 2, 3),
        partitions=tuple((topic, index, told) for index, (topic, _, told) in enumerate(rows)),
    )


def spreading(count: int, *leaders: int, **changes: int | str) -> Talk:
    """A producer that knows how many partitions there are, and who leads them."""
    talk = Talk()
    talk.give(produce(count, **{"partitioner": "java", "in_flight": 9, **changes}))
    talk.answer(metadata(*leaders))
    return talk


def sent_to(talk: Talk) -> list[tuple[int, int, list[str]]]:
    """(broker, partition, values) of each produce request."""
    found = []
    for send in talk.requests(ProduceRequest):
        assert isinstance(send.message, ProduceRequest)
        values = [(record.value or b"").decode() for record in decode_records(send.message.records)]
        found.append((send.target, send.message.partition, values))
    return found


def test_records_go_to_the_partition_of_their_key_at_its_own_leader() -> None:
    talk = spreading(6, 1, 2, 3, batch=9, keys="ann,ben,dan")
    assert sent_to(talk) == [(1, 0, ["v-3", "v-6"]), (2, 1, ["v-2", "v-5"]), (3, 2, ["v-1", "v-4"])]
    asked = [event for event in talk.named(OperationInvoked) if event.function == "produce"]
    assert [(event.partition, event.keys, event.value) for event in asked] == [
        (0, ("dan", "dan"), "v-3, v-6"),
        (1, ("ben", "ben"), "v-2, v-5"),
        (2, ("ann", "ann"), "v-1, v-4"),
    ]
    first = talk.requests(ProduceRequest)[0].message
    assert isinstance(first, ProduceRequest)
    assert [record.key for record in decode_records(first.records)] == [b"dan", b"dan"]
    for partition, which in ((0, -3), (1, -2), (2, -1)):
        talk.answer(ProduceResponse(topic="orders", partition=partition, base_offset=0), which)
    ended = [event for event in talk.named(OperationSucceeded) if event.function == "produce"]
    assert [event.partition for event in ended] == [0, 1, 2]
    assert talk.client.idle


def test_a_full_batch_leaves_before_the_rest() -> None:
    talk = spreading(5, 1, 1, 1, batch=2, keys="ann,dan")
    assert [values for _, _, values in sent_to(talk)] == [["v-1", "v-3"], ["v-2", "v-4"], ["v-5"]]


def test_records_without_a_key_have_none() -> None:
    talk = spreading(3, 1, 1, 1, batch=3)
    ((_, _, values),) = sent_to(talk)
    assert values == ["v-1", "v-2", "v-3"]
    (request,) = talk.asked(ProduceRequest)
    assert [record.key for record in decode_records(request.records)] == [None] * 3


def test_a_partition_without_a_leader_does_not_hold_up_the_others() -> None:
    talk = spreading(3, 1, -1, 3, batch=9, keys="ann,ben,dan")
    assert [(broker, partition) for broker, partition, _ in sent_to(talk)] == [(1, 0), (3, 2)]
    asked = len(talk.requests(MetadataRequest))
    assert talk.fire() == "client.retry"
    assert len(talk.requests(MetadataRequest)) == asked + 1
    talk.answer(metadata(1, 2, 3))
    assert sent_to(talk)[-1] == (2, 1, ["v-2"])


def test_sequence_numbers_are_counted_for_each_partition() -> None:
    talk = spreading(4, 1, 1, 1, batch=1, keys="ann,dan", idempotent=1)
    assert not talk.requests(ProduceRequest), "its id comes first"
    talk.answer(InitProducerIdResponse(producer_id=40, producer_epoch=0))
    sent = [(request.partition, sequence_of(request.records)[1]) for request in talk.asked(ProduceRequest)]
    assert sent == [(2, 0), (0, 0), (2, 1), (0, 1)]


def test_an_unknown_topic_ends_the_command_after_its_time() -> None:
    talk = Talk()
    talk.give(produce(3, partitioner="java"))
    talk.answer(metadata())
    talk.now_ms = DELIVERY_FACTOR * Settings().request_timeout_ms
    talk.fire()
    (failed,) = talk.named(OperationFailed)
    assert (failed.function, failed.error) == ("metadata", ErrorCode.BROKER_NOT_AVAILABLE)
    assert talk.client.idle


def test_a_spoilt_batch_is_refused_and_sent_whole_the_second_time() -> None:
    talk = Talk()
    talk.give(produce(3, in_flight=3, spoil=2))
    talk.leader(1)
    assert [is_intact(request.records) for request in talk.asked(ProduceRequest)] == [True, False, True]
    talk.answer(done(error=ErrorCode.CORRUPT_MESSAGE), -2)
    talk.answer(done(0), -3)
    talk.answer(done(1), -1)
    talk.fire()
    talk.leader(1)
    assert talk.named(OperationRetried)[0].error == ErrorCode.CORRUPT_MESSAGE
    assert is_intact(talk.asked(ProduceRequest)[-1].records)
    talk.answer(done(2))
    assert [event.base_offset for event in talk.named(OperationSucceeded)] == [0, 1, 2]
    assert [event.operation_id for event in talk.named(OperationSucceeded)] == [1, 3, 2]
    assert talk.client.idle
