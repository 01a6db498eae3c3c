"""A producer that numbers its records, against answers written by hand. Source: KIP-98."""

from __future__ import annotations

from cluster.clients.client import DELIVERY_FACTOR
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    OperationFailed,
    OperationInvoked,
    OperationSucceeded,
    OperationUnknown,
)
from cluster.model.inputs import Received, TimerFired
from cluster.model.messages import (
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProduceRequest,
)
from cluster.model.record_batch import read_header, sequence_of
from cluster.model.settings import Settings
from tests.support.worlds.talk import Talk, done, produce


def idempotent(count: int = 1, **changes: int | str) -> Talk:
    """A producer that has its id, 40, and has sent what it may."""
    talk = Talk()
    talk.give(produce(count, idempotent=1, **changes))
    talk.leader(1)
    assert isinstance(talk.sent[-1].message, InitProducerIdRequest)
    assert not talk.requests(ProduceRequest)
    talk.answer(InitProducerIdResponse(producer_id=40, producer_epoch=0))
    return talk


def sequences(talk: Talk) -> list[tuple[int, int, int]]:
    """(producer id, epoch, base sequence) of each produce request sent, in order."""
    sent = [send.message.records for send in talk.requests(ProduceRequest)]  # type: ignore[union-attr]
    return [(read_header(records).producer_id, *sequence_of(records)) for records in sent]


def test_an_idempotent_producer_gets_an_id_first_and_numbers_its_records() -> None:
    talk = idempotent(5, batch=2, in_flight=9)
    assert sequences(talk) == [(40, 0, 0), (40, 0, 2), (40, 0, 4)]
    for base in (0, 2, 4):
        talk.answer(done(base), which=len(talk.sent) - 3 + base // 2)
    assert talk.client.idle
    first = talk.named(OperationInvoked)[0]
    assert (first.function, first.value) == ("init_producer_id", "")
    assert talk.named(OperationSucceeded)[0].function == "init_producer_id"


def test_an_idempotent_producer_has_five_batches_on_their_way_at_most() -> None:
    assert len(sequences(idempotent(9, in_flight=100))) == 5


def test_a_retry_carries_the_same_sequence_and_goes_alone_oldest_first() -> None:
    """Batch 0 is lost, 1 is refused for the gap: 0 is tried again alone, then 1, then 2 goes on."""
    talk = idempotent(3, in_flight=2)
    zero, one = talk.requests(ProduceRequest)
    refused = done(error=ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
    talk.give(Received(sender=1, correlation=one.correlation, message=refused))
    assert talk.fire() == "client.retry"
    assert len(talk.requests(ProduceRequest)) == 2, "what waits for an older batch is not sent"
    talk.give(Received(sender=1, correlation=zero.correlation, message=done(error=ErrorCode.NOT_ENOUGH_REPLICAS)))
    talk.fire()
    talk.leader(1)
    assert sequences(talk)[2:] == [(40, 0, 0)]
    talk.answer(done(0))
    assert sequences(talk)[3:] == [(40, 0, 1), (40, 0, 2)]
    talk.answer(done(1), which=-2)
    talk.answer(done(2))
    assert talk.client.idle
    assert not talk.named(OperationFailed) + talk.named(OperationUnknown)


def test_a_gap_that_nothing_older_can_close_ends_the_command() -> None:
    talk = idempotent(2)
    talk.answer(done(error=ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER))
    assert talk.named(OperationFailed)[0].error == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert talk.client.idle


def test_batches_whose_time_is_over_are_given_up_oldest_first() -> None:
    """Batch 1 is refused for the gap, then 0 finds no leader: 1 waits longer, and is not given up before 0."""
    talk = idempotent(2, in_flight=2)
    zero, one = talk.requests(ProduceRequest)
    for sent, error in ((one, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER), (zero, ErrorCode.NOT_ENOUGH_REPLICAS)):
        talk.give(Received(sender=1, correlation=sent.correlation, message=done(error=error)))
    talk.now_ms = DELIVERY_FACTOR * Settings().request_timeout_ms
    talk.give(TimerFired(name="client.retry"))
    assert [event.operation_id for event in talk.named(OperationFailed)] == [2, 3]
    assert talk.client.idle


def test_an_id_is_asked_for_again_until_a_broker_has_one() -> None:
    talk = Talk()
    talk.give(produce(1, idempotent=1))
    talk.leader(1)
    talk.answer(InitProducerIdResponse(error=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
    talk.fire()
    talk.leader(2)
    assert (talk.sent[-1].target, type(talk.sent[-1].message)) == (2, InitProducerIdRequest)
    talk.now_ms = DELIVERY_FACTOR * Settings().request_timeout_ms
    talk.answer(InitProducerIdResponse(error=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
    (failed,) = talk.named(OperationFailed)
    assert (failed.function, failed.error) == ("init_producer_id", ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    assert talk.client.idle
