"""A broker's own life cycle."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.broker.lifecycle import (
    NEXT,
    REGISTRATION_DEADLINE,
    SHUTDOWN_DEADLINE,
    TIMEOUT,
    BrokerLifecycle,
)
from cluster.model.effects import Effect, Emit, Send, SetTimer, StopNode
from cluster.model.errors import ErrorCode
from cluster.model.inputs import Disconnected, Input, NodeStarted, QuorumStatus, Received, StopRequested, TimerFired
from cluster.model.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    Message,
)
from cluster.model.settings import Settings


class Broker:
    """A lifecycle and what it last asked for."""

    def __init__(self, previous: int = -1, settings: Settings | None = None) -> None:
        self.machine = BrokerLifecycle(1, (101, 102, 103), settings or Settings(), "one", previous)
        self.sent: Send | None = None
        self.states: list[str] = []
        self.timers: dict[str, int] = {}
        self.stopped: StopNode | None = None

    def give(self, happened: Input) -> list[Effect]:
        self.sent = None
        effects = self.machine.handle(happened, 0)
        for effect in effects:
            match effect:
                case Send():
                    self.sent = effect
                case Emit(event=event):
                    self.states.append(event.state)  # type: ignore[union-attr]
                case SetTimer(name=name, delay_ms=delay_ms):
                    self.timers[name] = delay_ms
                case StopNode():
                    self.stopped = effect
                case _:
                    pass
        return effects

    def answer(self, request: Send, message: Message) -> list[Effect]:
        return self.give(Received(sender=request.target, correlation=request.correlation, message=message))

    def next(self) -> Any:
        """The next request, when its time comes."""
        self.give(TimerFired(name=NEXT))
        assert self.sent is not None
        return self.sent

    def start(self) -> Send:
        self.give(NodeStarted())
        assert self.sent is not None
        return self.sent

    def running(self) -> None:
        self.answer(self.start(), BrokerRegistrationResponse(broker_epoch=12, leader_id=101))
        assert self.sent is not None
        self.answer(self.sent, BrokerHeartbeatResponse(is_caught_up=True, is_fenced=True, leader_id=101))
        self.answer(self.next(), BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False, leader_id=101))


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
