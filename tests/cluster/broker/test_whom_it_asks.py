"""Which controller a broker asks, and how soon again: hints, back-off, a leader that it hears of."""

from __future__ import annotations

import pytest

from cluster.broker.lifecycle import (
    NEXT,
    TIMEOUT,
)
from cluster.model.effects import CancelTimer, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.inputs import Disconnected, NodeStarted, QuorumStatus, TimerFired
from cluster.model.messages import (
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
)
from cluster.model.settings import Settings
from tests.support.worlds.broker_alone import Broker


def test_without_a_hint_it_asks_one_controller_after_the_other() -> None:
    broker = Broker()
    targets = [broker.start().target]
    for _ in range(3):
        broker.give(TimerFired(name=TIMEOUT))
        targets.append(broker.next().target)
    assert targets == [101, 102, 103, 101]


def test_controllers_that_point_at_each_other_are_not_asked_in_a_tight_circle() -> None:
    broker = Broker()
    request = broker.start()
    for _ in range(8):
        hint = 101 if request.target == 102 else 102
        broker.answer(request, BrokerRegistrationResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=hint))
        request = broker.next()
    assert broker.timers[NEXT] == 1000


def test_a_new_active_controller_hears_from_it_at_once() -> None:
    broker = Broker()
    broker.running()
    broker.give(QuorumStatus(leader_id=102, epoch=4))
    assert broker.sent is not None
    assert broker.sent.target == 102
    broker.give(QuorumStatus(leader_id=102, epoch=4))
    assert broker.sent is None


def test_a_lost_connection_is_an_answer_that_never_comes_and_the_next_controller_is_asked() -> None:
    broker = Broker()
    asked = broker.start().target
    assert broker.give(Disconnected(peer=2)) == [], "nobody it waits for"
    broker.give(Disconnected(peer=asked))
    assert broker.timers[NEXT] < broker.timers[TIMEOUT]
    assert broker.next().target != asked


@pytest.mark.parametrize(("interval_ms", "waits_ms"), [(100, [5, 10]), (40, [5, 5]), (2_000, [100, 200])])
def test_no_back_off_is_shorter_than_5_ms(interval_ms: int, waits_ms: list[int]) -> None:
    broker = Broker(settings=Settings(broker_heartbeat_interval_ms=interval_ms))
    request, waits = broker.start(), []
    for _ in waits_ms:
        error = ErrorCode.DUPLICATE_BROKER_REGISTRATION
        broker.answer(request, BrokerRegistrationResponse(error=error, leader_id=101))
        waits.append(broker.timers[NEXT])
        request = broker.next()
    assert waits == waits_ms


@pytest.mark.parametrize(
    ("hint", "wait_ms", "asked_next"),
    [(103, 10, 103), (101, 100, 102), (999, 100, 102), (-1, 100, 102)],
)
def test_which_hint_is_followed(hint: int, wait_ms: int, asked_next: int) -> None:
    """Not one that names who was asked, or somebody who is no controller."""
    broker = Broker()
    error = ErrorCode.NOT_CONTROLLER
    refused = broker.answer(broker.start(), BrokerRegistrationResponse(error=error, leader_id=hint))
    assert refused == [CancelTimer(TIMEOUT), SetTimer(NEXT, wait_ms)]
    assert broker.next().target == asked_next


def test_as_many_hints_are_followed_at_once_as_there_are_controllers() -> None:
    broker = Broker()
    sent, waits = broker.start(), []
    for _ in range(4):
        hint = 102 if sent.target != 102 else 103
        broker.answer(sent, BrokerRegistrationResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=hint))
        waits.append(broker.timers[NEXT])
        sent = broker.next()
    assert waits == [10, 10, 10, 800]


def test_an_answer_ends_the_back_off() -> None:
    broker = Broker()
    broker.running()
    for wait_ms in (100, 200):
        broker.next()
        broker.give(TimerFired(name=TIMEOUT))
        assert broker.timers[NEXT] == wait_ms
    broker.answer(broker.next(), BrokerHeartbeatResponse(is_fenced=False, leader_id=102))
    assert broker.next().target == 102
    broker.give(TimerFired(name=TIMEOUT))
    assert broker.timers[NEXT] == 100


def test_a_new_leader_ends_the_back_off_too() -> None:
    broker = Broker()
    broker.running()
    for _ in range(3):
        broker.next()
        broker.give(TimerFired(name=TIMEOUT))
    broker.give(QuorumStatus(leader_id=102, epoch=4))
    broker.give(TimerFired(name=TIMEOUT))
    assert broker.timers[NEXT] == 100


def test_who_leads_is_heard_of_controllers_only_and_not_before_the_start() -> None:
    broker = Broker()
    assert broker.give(QuorumStatus(leader_id=102, epoch=4)) == []
    broker.give(NodeStarted())
    assert broker.sent is not None
    assert broker.sent.target == 102
    assert broker.give(QuorumStatus(leader_id=999, epoch=5)) == []
    broker.give(TimerFired(name=NEXT))
    assert broker.sent is not None
    assert broker.sent.target == 101, "nobody is known to lead"
