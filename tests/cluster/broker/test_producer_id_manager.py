"""A broker's stock of producer ids: whom it asks for more, who waits, and who is told to try again."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.broker.producer_id_manager import RETRY, TIMEOUT, WAITING_MAX, ProducerIdManager
from cluster.model.effects import CancelTimer, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ProducerIdGiven
from cluster.model.inputs import Disconnected, Input, QuorumStatus, Received, TimerFired
from cluster.model.messages import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from cluster.model.settings import Settings


class Stock:
    """A manager of broker 1, registered under epoch 5, and what it did."""

    def __init__(self, *, leader: int = 101) -> None:
        self.manager = ProducerIdManager(1, (101, 102, 103), Settings())
        self.manager.broker_epoch = 5
        self.told: list[InitProducerIdResponse] = []
        self.asked: list[Send] = []
        self.given: list[ProducerIdGiven] = []
        self.timers: set[str] = set()
        if leader != -1:
            self.give(QuorumStatus(leader_id=leader, epoch=1))

    def give(self, happened: Input) -> None:
        for effect in self.manager.handle(happened, 0):
            match effect:
                case Send(message=InitProducerIdResponse() as message):
                    self.told.append(message)
                case Send(message=AllocateProducerIdsRequest()):
                    self.asked.append(effect)
                case Emit(event=ProducerIdGiven() as event):
                    self.given.append(event)
                case SetTimer(name=name):
                    self.timers.add(name)
                case CancelTimer(name=name):
                    self.timers.discard(name)
                case _:
                    raise AssertionError(effect)

    def want(self, count: int = 1, **changes: Any) -> None:
        for _ in range(count):
            request = InitProducerIdRequest(client_id="p", **changes)
            self.give(Received(sender=1001, correlation=3, message=request))

    def fire(self, name: str) -> None:
        self.timers.remove(name)
        self.give(TimerFired(name=name))

    def block(self, start: int, **changes: Any) -> None:
        """The answer to the newest question."""
        answer = AllocateProducerIdsResponse(**{"producer_id_start": start, "producer_id_count": 1000} | changes)
        self.give(Received(sender=self.asked[-1].target, correlation=self.asked[-1].correlation, message=answer))

    @property
    def ids(self) -> list[int]:
        return [answer.producer_id for answer in self.told]


def test_a_producer_waits_for_the_first_block_and_gets_epoch_0() -> None:
    stock = Stock()
    stock.want(2)
    assert not stock.told
    assert [(send.target, send.message) for send in stock.asked] == [
        (101, AllocateProducerIdsRequest(broker_id=1, broker_epoch=5))
    ]
    stock.block(7000)
    assert stock.told == [InitProducerIdResponse(producer_id=at, producer_epoch=0) for at in (7000, 7001)]
    assert [(event.client_id, event.producer_id) for event in stock.given] == [("p", 7000), ("p", 7001)]
    assert not stock.timers


def test_the_next_block_is_asked_for_when_a_tenth_is_left() -> None:
    stock = Stock()
    stock.want()
    stock.block(0)
    stock.want(898)
    assert len(stock.asked) == 1
    stock.want()
    assert len(stock.asked) == 2
    stock.block(5000)
    stock.want(102)
    assert stock.ids == [*range(1000), 5000, 5001]
    assert len(stock.asked) == 2


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"producer_id": 4}, ErrorCode.INVALID_REQUEST),
        ({"producer_epoch": 0}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_what_cannot_be_given_is_refused_at_once(changes: dict[str, Any], error: ErrorCode) -> None:
    stock = Stock()
    stock.want(**changes)
    assert stock.told == [InitProducerIdResponse(error=error)]
    assert not stock.asked


def test_a_producer_that_had_an_id_gets_a_new_one() -> None:
    stock = Stock()
    stock.want(producer_id=9, producer_epoch=3)
    stock.block(0)
    assert stock.told == [InitProducerIdResponse(producer_id=0, producer_epoch=0)]


def test_who_waits_too_long_is_told_to_try_again_and_the_next_one_asks_anew() -> None:
    stock = Stock()
    stock.want()
    stock.fire(TIMEOUT)
    assert [answer.error for answer in stock.told] == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
    stock.want()
    assert len(stock.asked) == 2
    stock.block(0)
    assert stock.ids[-1] == 0


def test_a_late_answer_to_an_older_question_is_dropped() -> None:
    stock = Stock()
    stock.want()
    late = stock.asked[-1]
    stock.fire(TIMEOUT)
    stock.want()
    block = AllocateProducerIdsResponse(producer_id_start=0, producer_id_count=1000)
    stock.give(Received(sender=101, correlation=late.correlation, message=block))
    assert not stock.given, "the block is lost, which costs ids but gives none twice"


@pytest.mark.parametrize("error", [ErrorCode.NOT_CONTROLLER, ErrorCode.STALE_BROKER_EPOCH])
def test_a_refused_question_is_asked_again_after_the_back_off(error: ErrorCode) -> None:
    stock = Stock()
    stock.want()
    stock.block(-1, error=error, leader_id=103)
    stock.fire(RETRY)
    assert [send.target for send in stock.asked] == [101, 103]
    stock.block(0)
    assert stock.ids == [0]


def test_a_new_active_controller_is_asked_at_once() -> None:
    stock = Stock()
    stock.want()
    stock.give(QuorumStatus(leader_id=102, epoch=2))
    assert [send.target for send in stock.asked] == [101, 102]
    stock.give(QuorumStatus(leader_id=102, epoch=3))
    assert len(stock.asked) == 2


def test_a_broken_connection_to_the_controller_is_a_lost_question() -> None:
    stock = Stock()
    stock.want()
    stock.give(Disconnected(peer=2))
    assert RETRY not in stock.timers
    stock.give(Disconnected(peer=101))
    stock.fire(RETRY)
    assert len(stock.asked) == 2


def test_without_a_controller_or_a_registration_nobody_waits() -> None:
    stock = Stock(leader=-1)
    stock.want()
    stock.give(QuorumStatus(leader_id=101, epoch=1))
    stock.manager.broker_epoch = -1
    stock.want()
    assert [answer.error for answer in stock.told] == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS] * 2
    assert not stock.asked


def test_a_crowd_does_not_wait() -> None:
    stock = Stock()
    stock.want(WAITING_MAX + 1)
    assert [answer.error for answer in stock.told] == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]


def test_all_that_it_does_for_one_producer() -> None:
    settings = Settings()
    manager = ProducerIdManager(1, (101, 102, 103), settings, first_correlation=8)
    assert manager.handle(QuorumStatus(leader_id=101, epoch=1), 0) == []
    manager.broker_epoch = 0
    wants = Received(sender=1001, correlation=3, message=InitProducerIdRequest(client_id="p"))
    question = AllocateProducerIdsRequest(broker_id=1, broker_epoch=0)
    correlation = (1 << 32) + 4 * 3 + 1
    asked = [Send(101, question, correlation), SetTimer(TIMEOUT, settings.quorum_request_timeout_ms)]
    assert manager.handle(wants, 0) == asked
    block = AllocateProducerIdsResponse(producer_id_start=7, producer_id_count=1)
    assert manager.handle(Received(sender=101, correlation=correlation, message=block), 0) == [
        CancelTimer(TIMEOUT),
        Emit(ProducerIdGiven(client_id="p", producer_id=7, producer_epoch=0)),
        Send(1001, InitProducerIdResponse(producer_id=7, producer_epoch=0), 3),
    ]
    again = [Send(101, question, correlation + 4), SetTimer(TIMEOUT, settings.quorum_request_timeout_ms)]
    assert manager.handle(wants, 0) == again, "the block was used up"
    lost = [CancelTimer(TIMEOUT), SetTimer(RETRY, settings.retry_backoff_ms)]
    assert manager.handle(Disconnected(peer=101), 0) == lost
    assert manager.handle(Disconnected(peer=101), 0) == [], "nothing is asked any more"


def test_a_broker_that_is_not_registered_asks_nobody() -> None:
    manager = ProducerIdManager(1, (101,), Settings())
    manager.handle(QuorumStatus(leader_id=101, epoch=1), 0)
    wants = Received(sender=1001, correlation=3, message=InitProducerIdRequest(client_id="p"))
    refused = InitProducerIdResponse(error=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    assert manager.handle(wants, 0) == [Send(1001, refused, 3)]


def test_a_back_off_that_is_over_asks_for_those_who_wait_and_once() -> None:
    stock = Stock()
    stock.give(TimerFired(name=RETRY))
    assert not stock.asked, "nobody waits"
    stock.want()
    stock.give(TimerFired(name=RETRY))
    assert len(stock.asked) == 1, "it has asked already"


def test_who_asks_wrongly_hears_why_though_a_crowd_waits() -> None:
    stock = Stock()
    stock.want(WAITING_MAX)
    stock.want(producer_id=4)
    stock.want()
    told = [ErrorCode.INVALID_REQUEST, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
    assert [answer.error for answer in stock.told] == told


def test_somebody_who_is_no_controller_is_not_asked() -> None:
    stock = Stock()
    stock.want()
    stock.give(QuorumStatus(leader_id=999, epoch=2))
    stock.fire(TIMEOUT)
    stock.want()
    assert [send.target for send in stock.asked] == [101]
    stock = Stock()
    stock.want()
    stock.block(-1, error=ErrorCode.NOT_CONTROLLER, leader_id=999)
    stock.fire(RETRY)
    assert [send.target for send in stock.asked] == [101, 101]


def test_a_new_block_is_kept_until_the_old_one_is_used_up() -> None:
    stock = Stock()
    stock.want()
    stock.block(0, producer_id_count=10)
    stock.want(8)
    assert len(stock.asked) == 2, "one is left"
    stock.block(50, producer_id_count=10)
    stock.want(9)
    assert stock.ids == [*range(10), *range(50, 58)]
    assert len(stock.asked) == 2
    stock.want()
    assert len(stock.asked) == 3, "a tenth of the second is left"
