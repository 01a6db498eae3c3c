"""A broker's own life cycle."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.broker.lifecycle import (
    NEXT,
    REGISTRATION_DEADLINE,
    SHUTDOWN_DEADLINE,
    TIMEOUT,
)
from cluster.model.effects import CancelTimer, Effect, Send, SetTimer, StopNode
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE
from cluster.model.inputs import Disconnected, NodeStarted, Received, StopRequested, TimerFired
from cluster.model.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    Message,
)
from cluster.model.settings import Settings
from tests.support.worlds.broker_alone import Broker


def test_it_registers_with_its_incarnation_and_the_epoch_of_its_clean_stop() -> None:
    sent = Broker(previous=7).start()
    assert sent.message == BrokerRegistrationRequest(broker_id=1, incarnation_id="one", previous_broker_epoch=7)
    assert sent.correlation % 4 == 1


def test_it_goes_through_starting_recovery_and_running() -> None:
    broker = Broker()
    broker.running()
    assert broker.states == ["starting", "recovery", "running"]
    assert (broker.machine.broker_epoch, broker.machine.is_fenced) == (12, False)
    assert broker.timers[NEXT] == 2000


def test_it_asks_to_stay_fenced_and_beats_fast_until_it_has_caught_up() -> None:
    broker = Broker()
    broker.machine.applied(3, False)
    broker.answer(broker.start(), BrokerRegistrationResponse(broker_epoch=12, leader_id=101))
    assert broker.sent is not None
    assert broker.sent.message == BrokerHeartbeatRequest(
        broker_id=1, broker_epoch=12, metadata_offset=3, want_fence=True, want_shut_down=False
    )
    broker.answer(broker.sent, BrokerHeartbeatResponse(is_caught_up=False))
    assert broker.timers[NEXT] == 10
    broker.machine.applied(12, True)
    assert broker.next().message.want_fence is False


def test_a_duplicate_registration_is_tried_again_until_it_is_taken() -> None:
    broker = Broker()
    request = broker.start()
    waits = []
    for _ in range(6):
        error = ErrorCode.DUPLICATE_BROKER_REGISTRATION
        broker.answer(request, BrokerRegistrationResponse(error=error, leader_id=101))
        waits.append(broker.timers[NEXT])
        request = broker.next()
        assert isinstance(request.message, BrokerRegistrationRequest)
    assert waits == [100, 200, 400, 800, 1000, 1000]
    broker.answer(request, BrokerRegistrationResponse(broker_epoch=30, leader_id=101))
    assert broker.machine.broker_epoch == 30


def test_a_registration_that_never_succeeds_ends_the_broker() -> None:
    broker = Broker()
    broker.start()
    assert broker.timers[REGISTRATION_DEADLINE] == 60_000
    broker.give(TimerFired(name=REGISTRATION_DEADLINE))
    assert broker.stopped == StopNode(-1)
    registered = Broker()
    registered.running()
    registered.give(TimerFired(name=REGISTRATION_DEADLINE))
    assert registered.stopped is None


def test_it_follows_the_hint_of_a_wrong_controller() -> None:
    broker = Broker()
    request = broker.start()
    broker.answer(request, BrokerRegistrationResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=103))
    assert broker.timers[NEXT] == 10
    assert broker.next().target == 103


def test_an_answer_to_an_older_request_is_dropped() -> None:
    broker = Broker()
    old = broker.start()
    broker.give(TimerFired(name=TIMEOUT))
    assert broker.answer(old, BrokerRegistrationResponse(broker_epoch=5)) == []
    broker.next()
    assert broker.answer(old, BrokerRegistrationResponse(broker_epoch=5)) == []
    assert broker.machine.broker_epoch == -1


def test_heartbeat_failures_do_not_change_its_state() -> None:
    broker = Broker()
    broker.running()
    broker.answer(broker.next(), BrokerHeartbeatResponse(error=ErrorCode.STALE_BROKER_EPOCH))
    broker.next()
    broker.give(TimerFired(name=TIMEOUT))
    assert broker.machine.state == "running"


def test_a_controlled_shutdown_waits_for_leave() -> None:
    broker = Broker()
    broker.running()
    broker.give(StopRequested())
    assert broker.sent is not None
    assert broker.sent.message.want_shut_down  # type: ignore[union-attr]
    assert broker.timers[SHUTDOWN_DEADLINE] == 9_000 * 33
    broker.answer(broker.sent, BrokerHeartbeatResponse(is_fenced=False, should_shut_down=False))
    assert (broker.timers[NEXT], broker.stopped) == (50, None)
    broker.answer(broker.next(), BrokerHeartbeatResponse(should_shut_down=True))
    assert broker.stopped == StopNode(12)
    assert broker.states[-2:] == ["pending_controlled_shutdown", "shutting_down"]
    assert broker.give(TimerFired(name=NEXT)) == []


def test_a_controlled_shutdown_without_an_answer_gives_up_at_its_deadline() -> None:
    broker = Broker()
    broker.running()
    broker.give(StopRequested())
    assert broker.give(StopRequested()) == []
    broker.give(TimerFired(name=SHUTDOWN_DEADLINE))
    assert broker.stopped == StopNode(12)


def test_a_broker_that_does_not_run_yet_stops_at_once() -> None:
    broker = Broker()
    broker.start()
    broker.give(StopRequested())
    assert broker.stopped == StopNode(-1)


REGISTER = BrokerRegistrationRequest(broker_id=1, incarnation_id="one", previous_broker_epoch=-1)


def beat(**changes: Any) -> BrokerHeartbeatRequest:
    """Of a broker that was registered under epoch 12 and has read nothing."""
    usual: dict[str, Any] = {
        "broker_id": 1,
        "broker_epoch": 12,
        "metadata_offset": -1,
        "want_fence": False,
        "want_shut_down": False,
    }
    return BrokerHeartbeatRequest(**usual | changes)


def request(target: int, message: Message, number: int) -> list[Effect]:
    """What the request of this number comes with."""
    return [CancelTimer(NEXT), SetTimer(TIMEOUT, 2_000), Send(target, message, 4 * number + 1)]


def test_all_that_it_does_from_its_start_to_its_end() -> None:
    broker = Broker()
    begun = broker.give(NodeStarted())
    assert begun[1:] == [SetTimer(REGISTRATION_DEADLINE, 60_000), *request(101, REGISTER, 1)]
    registered = broker.answer(begun[-1], BrokerRegistrationResponse(broker_epoch=12, leader_id=102))  # type: ignore[arg-type]
    expected = [CancelTimer(REGISTRATION_DEADLINE), CancelTimer(TIMEOUT), *request(102, beat(want_fence=True), 2)]
    assert registered == expected
    caught_up = broker.answer(registered[-1], BrokerHeartbeatResponse(is_caught_up=True, leader_id=103))  # type: ignore[arg-type]
    assert (caught_up[0], caught_up[-1]) == (CancelTimer(TIMEOUT), SetTimer(NEXT, 10))
    again = broker.give(TimerFired(name=NEXT))
    assert again == request(103, beat(), 3)
    broker.answer(again[-1], BrokerHeartbeatResponse(is_fenced=False))  # type: ignore[arg-type]
    leaving = broker.give(StopRequested())
    assert leaving[1:] == [SetTimer(SHUTDOWN_DEADLINE, 9_000 * 33), *request(103, beat(want_shut_down=True), 4)]
    gone = broker.answer(leaving[-1], BrokerHeartbeatResponse(should_shut_down=True))  # type: ignore[arg-type]
    cancelled = {effect.name for effect in gone if isinstance(effect, CancelTimer)}
    assert cancelled == {NEXT, TIMEOUT, REGISTRATION_DEADLINE, SHUTDOWN_DEADLINE}
    assert gone[-1] == StopNode(12)


def test_an_answer_that_is_refused_changes_nothing_but_when_it_asks_again() -> None:
    broker = Broker()
    broker.running()
    sent = broker.next()
    refused = BrokerHeartbeatResponse(error=ErrorCode.STALE_BROKER_EPOCH, is_fenced=True, should_shut_down=True)
    assert broker.answer(sent, refused) == [CancelTimer(TIMEOUT), SetTimer(NEXT, 100)]
    assert (broker.machine.is_fenced, broker.machine.state) == (False, "running")


def test_it_is_fenced_until_it_hears_otherwise() -> None:
    broker = Broker()
    assert broker.machine.is_fenced
    broker.running()
    broker.answer(broker.next(), BrokerHeartbeatResponse(is_fenced=True))
    assert broker.machine.is_fenced


def test_a_late_heartbeat_answer_is_dropped() -> None:
    broker = Broker()
    broker.running()
    late = broker.next()
    broker.give(TimerFired(name=TIMEOUT))
    broker.next()
    assert broker.answer(late, BrokerHeartbeatResponse(is_fenced=True)) == []
    assert not broker.machine.is_fenced


def test_a_connection_that_ends_when_nothing_is_asked_is_nothing() -> None:
    broker = Broker()
    broker.running()
    assert broker.give(Disconnected(peer=101)) == []
    broker.next()
    broker.give(TimerFired(name=TIMEOUT))
    assert broker.give(Disconnected(peer=101)) == [], "that request has failed already"


def test_nothing_that_comes_before_its_start_is_an_answer() -> None:
    broker = Broker()
    early = Received(sender=101, correlation=5, message=BrokerRegistrationResponse(broker_epoch=12))
    assert broker.give(early) == broker.give(Disconnected(peer=NO_NODE)) == []


def test_registered_under_epoch_0_is_registered() -> None:
    broker = Broker()
    broker.answer(broker.start(), BrokerRegistrationResponse(broker_epoch=0, leader_id=101))
    assert broker.sent is not None
    assert isinstance(broker.sent.message, BrokerHeartbeatRequest)
    assert broker.give(TimerFired(name=REGISTRATION_DEADLINE)) == []


def test_it_asks_to_be_fenced_while_it_starts_only() -> None:
    broker = Broker()
    broker.answer(broker.start(), BrokerRegistrationResponse(broker_epoch=12, leader_id=101))
    assert broker.sent is not None
    assert broker.sent.message == beat(want_fence=True)
    broker.answer(broker.sent, BrokerHeartbeatResponse(is_caught_up=True))
    assert broker.next().message == beat()


@pytest.mark.parametrize(
    ("interval_ms", "starting_ms", "leaving_ms"),
    [(2_000, 10, 50), (100, 5, 5), (1_200, 6, 30), (240, 5, 6), (39_999, 199, 999)],
)
def test_how_often_it_beats(interval_ms: int, starting_ms: int, leaving_ms: int) -> None:
    broker = Broker(settings=Settings(broker_heartbeat_interval_ms=interval_ms))
    broker.answer(broker.start(), BrokerRegistrationResponse(broker_epoch=12, leader_id=101))
    assert broker.sent is not None
    broker.answer(broker.sent, BrokerHeartbeatResponse(is_caught_up=True))
    assert broker.timers[NEXT] == starting_ms
    broker.answer(broker.next(), BrokerHeartbeatResponse(is_fenced=False))
    assert broker.timers[NEXT] == interval_ms
    broker.give(StopRequested())
    assert broker.sent is not None
    broker.answer(broker.sent, BrokerHeartbeatResponse(is_fenced=False))
    assert broker.timers[NEXT] == leaving_ms
