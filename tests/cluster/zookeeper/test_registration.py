"""A broker's znode: made in its session, gone with it, and how a broker leaves."""

from __future__ import annotations

from typing import Any, cast

import pytest

from cluster.broker.rules import LifecycleState
from cluster.model.effects import CancelTimer, Effect, Send, SetTimer, StopNode
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE
from cluster.model.messages import ControlledShutdownRequest, ControlledShutdownResponse
from cluster.model.settings import Settings
from cluster.zookeeper.flows import Flows, create
from cluster.zookeeper.paths import PERSISTENT, broker_path
from cluster.zookeeper.registration import CLOSE_TIMER, REGISTER_TIMER, SHUTDOWN_TIMER, Registration
from cluster.zookeeper.tree import Tree
from tests.support.worlds.znodes import SESSION, Znodes

SETTINGS = Settings()
STOPS = LifecycleState.PENDING_CONTROLLED_SHUTDOWN


class Session(Znodes):
    """Answers when it is told to; notes that it was begun, and ended."""

    is_open = True

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def start(self) -> None:
        self.told.append("start")

    def close(self) -> None:
        self.told.append("close")


class Broker:
    """Broker 2 and its session."""

    def __init__(self) -> None:
        self.out: list[Effect] = []
        self.session = Session()
        self.flows = Flows(cast(Any, self.session))
        self.life = Registration(2, "me", SETTINGS, cast(Any, self.session), self.flows, self.out)
        self.life.start()

    def registered(self) -> Broker:
        """Its znode stands, unless something is in the way."""
        self.life.on_session_open()
        self.session.answer_all(self.flows)
        return self

    def stopped(self, controller_id: int = 1) -> Broker:
        """It runs, and is asked to leave."""
        self.registered()
        self.life.stop(controller_id)
        return self

    def asked(self) -> list[Send]:
        """Whom it has asked to take its leaderships."""
        return [each for each in self.out if isinstance(each, Send)]

    def answered(self, error: ErrorCode = ErrorCode.NONE, remaining: int = 0, leader_id: int = NO_NODE) -> None:
        answer = ControlledShutdownResponse(error=error, remaining=remaining, leader_id=leader_id)
        self.life.on_answer(self.asked()[-1].correlation, answer)


def test_its_znode_is_made_in_its_session_and_its_transaction_is_the_broker_epoch() -> None:
    broker = Broker().registered()
    assert broker.session.told == ["start"]
    node = broker.session.tree.nodes[broker_path(2)]
    assert (broker.life.state, node.owner) == (LifecycleState.RUNNING, SESSION)
    assert broker.life.broker_epoch == node.czxid > 0


def test_a_znode_that_stands_already_is_not_made_again() -> None:
    broker = Broker().registered()
    asked = len(broker.session.asked)
    broker.registered()
    assert len(broker.session.asked) == asked
    broker.life.on_session_expired()
    assert broker.life.broker_epoch == -1
    assert broker.life.state is LifecycleState.RUNNING, "it goes on, and so does what it leads"


def test_where_there_is_nothing_yet_the_folders_of_all_are_made_first() -> None:
    broker = Broker()
    broker.session.tree = Tree()
    broker.registered()
    assert set(PERSISTENT) <= set(broker.session.tree.nodes)
    assert broker.life.state is LifecycleState.RUNNING


def test_the_next_life_waits_until_the_session_of_the_last_one_is_over() -> None:
    broker = Broker()
    broker.session.do(*create(broker_path(2), "{}", ephemeral=True), session_id=SESSION + 1)
    broker.registered()
    assert (broker.life.broker_epoch, broker.life.state) == (-1, LifecycleState.STARTING)
    assert broker.out[-1] == SetTimer(REGISTER_TIMER, SETTINGS.retry_backoff_ms)
    del broker.session.tree.nodes[broker_path(2)]
    broker.session.is_open = False
    broker.life.on_timer(REGISTER_TIMER)
    broker.session.answer_all(broker.flows)
    assert broker.life.broker_epoch == -1, "not without a session"
    broker.session.is_open = True
    broker.life.on_timer(REGISTER_TIMER)
    broker.session.answer_all(broker.flows)
    assert broker.life.broker_epoch > 0


def test_a_znode_of_its_own_session_is_its_own_though_the_answer_was_lost() -> None:
    broker = Broker()
    czxid = broker.session.do(*create(broker_path(2), "{}", ephemeral=True)).last.czxid
    assert broker.registered().life.broker_epoch == czxid


def test_who_does_not_run_yet_leaves_at_once() -> None:
    broker = Broker()
    broker.life.stop(1)
    assert broker.life.state is LifecycleState.SHUTTING_DOWN
    assert broker.session.told == ["start", "close"]
    assert broker.out[-2:] == [CancelTimer(SHUTDOWN_TIMER), SetTimer(CLOSE_TIMER, SETTINGS.retry_backoff_ms)]


def test_who_leads_asks_the_controller_first_and_leaves_when_nothing_remains() -> None:
    broker = Broker().stopped()
    (asked,) = broker.asked()
    assert (asked.target, broker.life.state) == (1, STOPS)
    assert asked.message == ControlledShutdownRequest(broker_id=2, broker_epoch=broker.life.broker_epoch)
    assert broker.out[-1] == SetTimer(SHUTDOWN_TIMER, SETTINGS.controlled_shutdown_retry_backoff_ms)
    broker.life.stop(1)
    assert len(broker.asked()) == 1, "it is leaving already"
    broker.life.on_answer(asked.correlation + 4, ControlledShutdownResponse())
    assert broker.life.state is STOPS, "that answers another question"
    broker.answered()
    assert broker.life.state is LifecycleState.SHUTTING_DOWN
    broker.life.closed()
    assert broker.out[-2:] == [CancelTimer(CLOSE_TIMER), StopNode(broker.life.broker_epoch)]


@pytest.mark.parametrize(("leader_id", "next_asked"), [(NO_NODE, 1), (3, 3)])
def test_what_remains_is_asked_for_again_of_whom_the_answer_names(leader_id: int, next_asked: int) -> None:
    broker = Broker().stopped()
    late = broker.asked()[0].correlation
    broker.answered(ErrorCode.NOT_CONTROLLER if leader_id != NO_NODE else ErrorCode.NONE, 2, leader_id)
    assert broker.life.state is STOPS
    broker.life.on_answer(late, ControlledShutdownResponse())
    assert broker.life.state is STOPS, "an answer counts once"
    broker.life.on_timer(SHUTDOWN_TIMER)
    assert [each.target for each in broker.asked()] == [1, next_asked]


def test_an_answer_that_comes_after_it_has_asked_again_counts_for_nothing() -> None:
    broker = Broker().stopped()
    late = broker.asked()[0].correlation
    broker.life.on_timer(SHUTDOWN_TIMER)
    broker.life.on_answer(late, ControlledShutdownResponse())
    assert broker.life.state is STOPS


def test_it_asks_so_often_and_then_leaves_all_the_same() -> None:
    broker = Broker().stopped()
    for _ in range(SETTINGS.controlled_shutdown_max_retries):
        assert broker.life.state is STOPS
        broker.life.on_timer(SHUTDOWN_TIMER)
    assert len(broker.asked()) == SETTINGS.controlled_shutdown_max_retries
    assert broker.life.state is LifecycleState.SHUTTING_DOWN


def test_where_no_controller_is_known_it_leaves_at_once() -> None:
    broker = Broker().stopped(NO_NODE)
    assert (broker.asked(), broker.life.state) == ([], LifecycleState.SHUTTING_DOWN)


def test_who_cannot_end_its_session_goes_without() -> None:
    broker = Broker().stopped(NO_NODE)
    broker.life.on_timer(CLOSE_TIMER)
    assert broker.out[-1] == StopNode(broker.life.broker_epoch)
    assert broker.session.told == ["start", "close"]


def test_a_session_that_ends_otherwise_stops_nobody() -> None:
    broker = Broker().registered()
    broker.life.closed()
    assert not [each for each in broker.out if isinstance(each, StopNode)]
