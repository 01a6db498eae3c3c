"""Where groups are and how they do, in Kafka's bytes."""

from __future__ import annotations

import pytest

from cluster.kafka.apis import groups as delete_groups
from cluster.kafka.apis import groups as describe_groups
from cluster.kafka.apis import groups as find_coordinator
from cluster.kafka.apis import groups as list_groups
from cluster.kafka.apis.groups import (
    DELETE_GROUPS,
    DESCRIBE_GROUPS,
    FIND_COORDINATOR,
    LIST_GROUPS,
    FindCoordinatorExchange,
)
from cluster.model.errors import ErrorCode
from cluster.model.messages import FindCoordinatorRequest, FindCoordinatorResponse
from tests.support.clients.client_world import ENDPOINTS, VIEW, request_of, told
from tests.support.clients.group_client import ask
from tests.support.kinds import all_as
from tests.support.worlds.group_world import GroupWorld, Person, part, stable, subscription


def found(version: int, response: FindCoordinatorResponse | None, **fields: object) -> find_coordinator.Coordinator:
    message = find_coordinator.FindCoordinatorRequest()
    if version >= 4:
        message.coordinator_keys = ["g"]
    else:
        message.key = "g"
    for name, value in fields.items():
        setattr(message, name, value)
    request = request_of(FIND_COORDINATOR, version, message)
    exchange = FindCoordinatorExchange(request, VIEW)
    for asked in all_as(FindCoordinatorRequest, exchange.requests):
        assert response is not None
        exchange.answer(asked, response)
    read = told(request, exchange.response())
    if version >= 4:
        (coordinator,) = all_as(find_coordinator.Coordinator, read.coordinators)
        return coordinator
    return find_coordinator.Coordinator("g", read.node_id, read.host, read.port, read.error_code)


@pytest.mark.parametrize("version", FIND_COORDINATOR.versions)
def test_a_coordinator_is_named_with_its_address(version: int) -> None:
    coordinator = found(version, FindCoordinatorResponse(group="g", coordinator=2))
    assert (coordinator.error_code, coordinator.node_id) == (ErrorCode.NONE, 2)
    assert (coordinator.host, coordinator.port) == ENDPOINTS[2][:2]


def test_no_address_without_a_coordinator() -> None:
    none = FindCoordinatorResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE, group="g")
    coordinator = found(3, none)
    assert (coordinator.error_code, coordinator.node_id) == (ErrorCode.COORDINATOR_NOT_AVAILABLE, -1)
    gone = found(3, FindCoordinatorResponse(group="g", coordinator=77))
    assert gone.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE, "a broker whose address is not known"


def test_a_key_of_a_kind_that_nobody_knows_is_refused() -> None:
    assert found(3, None, key_type=9).error_code == ErrorCode.INVALID_REQUEST


def test_share_groups_have_no_coordinator() -> None:
    assert found(6, None, key_type=2).error_code == ErrorCode.INVALID_REQUEST


def test_groups_are_described_listed_and_deleted() -> None:
    world = GroupWorld()
    world.lead()
    a = Person(world, "a")
    stable(world, a)
    Person(world, "simple", group="h").commit(0, 1)
    for version in DESCRIBE_GROUPS.versions:
        message = describe_groups.DescribeGroupsRequest(["g", "nobody"])
        group, nobody = ask(world, DESCRIBE_GROUPS, version, message).groups
        assert (group.group_state, group.protocol_type, group.protocol_data) == ("Stable", "consumer", "range")
        (member,) = group.members
        assert (member.member_id, member.member_metadata, member.member_assignment) == (
            a.member_id, subscription(), part(0),
        )  # fmt: skip
        expected = ErrorCode.NONE if version < 6 else ErrorCode.GROUP_ID_NOT_FOUND
        assert (nobody.error_code, nobody.group_state) == (expected, "Dead")
        assert nobody.error_message == (None if version < 6 else "there is no classic group nobody")
    for version in LIST_GROUPS.versions:
        listed = ask(world, LIST_GROUPS, version, list_groups.ListGroupsRequest()).groups
        assert [(item.group_id, item.protocol_type) for item in listed] == [("g", "consumer"), ("h", "")]
        assert [item.group_state for item in listed] == (["Stable", "Empty"] if version >= 4 else ["", ""])
    deleted = ask(world, DELETE_GROUPS, 2, delete_groups.DeleteGroupsRequest(["g", "h"])).results
    assert {item.group_id: item.error_code for item in deleted} == {
        "g": ErrorCode.NON_EMPTY_GROUP, "h": ErrorCode.NONE,
    }  # fmt: skip
