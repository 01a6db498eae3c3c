"""Elections asked for through Kafka's protocol, with a real controller."""

from __future__ import annotations

import pytest

from cluster.kafka.api import Request
from cluster.kafka.apis.elect_leaders import (
    ELECT_LEADERS,
    ElectionType,
    ElectLeadersExchange,
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)
from cluster.model.errors import ErrorCode
from cluster.model.messages import ElectLeadersRequest as CoreRequest
from cluster.model.messages import ElectLeadersResponse as CoreResponse
from tests.support.clients.client_world import VIEW, request_of, told, view_of
from tests.support.kinds import all_as, as_kind
from tests.support.worlds.replica_world import ReplicaWorld

NAMED = [TopicPartitions("orders", [0])]


def ask(topics: list[TopicPartitions] | None, kind: int = ElectionType.PREFERRED, version: int = 2) -> Request:
    return request_of(ELECT_LEADERS, version, ElectLeadersRequest(kind, topics, 1_000))


def run(world: ReplicaWorld, request: Request) -> ElectLeadersResponse:
    exchange = ElectLeadersExchange(request, view_of(world, 1))
    for asked in all_as(CoreRequest, exchange.requests):
        exchange.answer(asked, world.answer_of(world.send_as_client(world.active(), asked)))
    assert exchange.is_complete
    found: ElectLeadersResponse = told(request, exchange.response())
    return found


@pytest.mark.parametrize("version", ELECT_LEADERS.versions)
def test_an_election_that_is_not_needed_is_told_to_who_names_the_partition(version: int) -> None:
    (topic,) = run(ReplicaWorld(), ask(NAMED, version=version)).replica_election_results
    (partition,) = topic.partition_result
    assert (topic.topic, partition.partition_id) == ("orders", 0)
    assert partition.error_code == ErrorCode.ELECTION_NOT_NEEDED


def test_who_asks_for_all_hears_only_of_those_that_were_held() -> None:
    assert run(ReplicaWorld(), ask(None)).replica_election_results == []


def test_the_preferred_leader_comes_back() -> None:
    world = ReplicaWorld()
    world.kill(1)
    world.until(lambda: world.state().leader == 2)
    world.start(1)
    world.until(lambda: set(world.state().isr) == {1, 2, 3})
    (topic,) = run(world, ask(None)).replica_election_results
    assert [each.error_code for each in topic.partition_result] == [0]
    world.until(lambda: world.state().leader == 1)


def test_the_kind_of_election_is_handed_on_and_an_unknown_one_refused() -> None:
    (asked,) = ElectLeadersExchange(ask(NAMED, ElectionType.UNCLEAN), VIEW).requests
    assert as_kind(CoreRequest, asked).unclean
    (asked,) = ElectLeadersExchange(ask(NAMED, ElectionType.UNCLEAN, version=0), VIEW).requests
    assert not as_kind(CoreRequest, asked).unclean
    exchange = ElectLeadersExchange(ask(NAMED, 2), VIEW)
    assert exchange.requests == []
    assert exchange.response().error_code == ErrorCode.INVALID_REQUEST


def test_a_partition_named_twice_is_asked_for_once() -> None:
    request = ask([*NAMED, TopicPartitions("orders", [0, 1])])
    exchange = ElectLeadersExchange(request, VIEW)
    questions = all_as(CoreRequest, exchange.requests)
    assert [(asked.topic, asked.partition) for asked in questions] == [("orders", 0), ("orders", 1)]
    for asked in questions:
        exchange.answer(asked, CoreResponse())
        exchange.answer(asked, CoreResponse(error=ErrorCode.NOT_CONTROLLER))
    (topic,) = told(request, exchange.response()).replica_election_results
    assert [(each.partition_id, each.error_code) for each in topic.partition_result] == [(0, 0), (1, 0)]
