"""Who waits for the controller's answer gets one, from it or when it is none any more."""

from __future__ import annotations

from cluster.model.effects import Effect
from cluster.model.errors import ErrorCode
from cluster.model.events import ControllerDeactivated
from cluster.model.identifiers import NO_NODE
from cluster.model.messages import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    CreateTopicRequest,
    DeleteTopicRequest,
    DeleteTopicResponse,
    FetchResponse,
)
from cluster.zookeeper.office import Caller, Office
from tests.support.worlds.znodes import CLIENT, Znodes, answers_to_client, asked_by_client, in_office, told


def office() -> tuple[Office, list[Effect]]:
    out: list[Effect] = []
    return in_office(Znodes(), out), out


def test_who_was_refused_meanwhile_is_not_answered_again() -> None:
    found, out = office()
    caller = asked_by_client(found, DeleteTopicRequest(topic="orders"))
    found.answer(caller, DeleteTopicResponse())
    found.answer(caller, DeleteTopicResponse())
    assert len(answers_to_client(out)) == 1


def test_all_who_wait_for_the_end_of_a_topic_are_told_and_nobody_else() -> None:
    found, out = office()
    for correlation, topic in enumerate(("orders", "orders", "users")):
        found.expect(Caller(CLIENT, correlation, DeleteTopicRequest(topic=topic)))
    found.answer_deleted("orders")
    assert answers_to_client(out) == [DeleteTopicResponse(leader_id=1)] * 2
    found.answer_deleted("users")
    assert len(answers_to_client(out)) == 3


def test_who_asks_one_that_is_no_controller_is_sent_to_the_one_that_is() -> None:
    found, out = office()
    found.context.is_active, found.controller_id = False, 3
    found.refuse(Caller(CLIENT, 5, ControlledShutdownRequest(broker_id=2, broker_epoch=9)))
    found.refuse(Caller(CLIENT, 6, FetchResponse(topic="orders", partition=0)))
    assert answers_to_client(out) == [ControlledShutdownResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=3)]


def test_who_resigns_forgets_all_and_refuses_who_waits_once() -> None:
    found, out = office()
    asked_by_client(found, CreateTopicRequest(topic="orders", partitions=1, replication_factor=1))
    found.resign("its session expired")
    found.resign("its session expired")
    assert [type(event) for event in told(out)].count(ControllerDeactivated) == 1
    (refusal,) = answers_to_client(out)
    assert (refusal.error, refusal.leader_id) == (ErrorCode.NOT_CONTROLLER, NO_NODE)  # type: ignore[union-attr]
    assert (found.is_active, found.controller_id, found.context.live()) == (False, NO_NODE, {})
