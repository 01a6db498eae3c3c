"""What a heartbeat must say, and which groups take whom."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.groups.consumer import rules
from cluster.groups.consumer.assignors import ASSIGNORS
from cluster.groups.consumer.state import ConsumerGroup, ConsumerMember
from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from cluster.model.messages import ConsumerGroupHeartbeatRequest
from tests.support.worlds.group_world import group_of, member

JOINS: dict[str, Any] = {"member_epoch": 0, "rebalance_timeout_ms": 9, "topics": ("orders",), "owned": ()}


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({}, ErrorCode.NONE),
        ({"topics": ()}, ErrorCode.NONE),
        ({"pattern": ""}, ErrorCode.NONE),
        ({"assignor": "range"}, ErrorCode.NONE),
        ({"member_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"member_id": "", "makes_member_id": False}, ErrorCode.NONE),
        ({"member_id": "", "makes_member_id": False, "member_epoch": 3}, ErrorCode.INVALID_REQUEST),
        ({"instance_id": " "}, ErrorCode.INVALID_REQUEST),
        ({"rack_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"member_epoch": -3}, ErrorCode.INVALID_REQUEST),
        ({"rebalance_timeout_ms": -1}, ErrorCode.INVALID_REQUEST),
        ({"owned": None}, ErrorCode.INVALID_REQUEST),
        ({"owned": ((7, 1),)}, ErrorCode.INVALID_REQUEST),
        ({"topics": None}, ErrorCode.INVALID_REQUEST),
        ({"topics": None, "pattern": "or.*"}, ErrorCode.NONE),
        ({"topics": None, "pattern": "or(.*"}, ErrorCode.INVALID_REGULAR_EXPRESSION),
        ({"member_epoch": -2}, ErrorCode.INVALID_REQUEST),
        ({"member_epoch": -2, "instance_id": "shelf"}, ErrorCode.NONE),
        ({"assignor": "cooperative-sticky"}, ErrorCode.UNSUPPORTED_ASSIGNOR),
    ],
)
def test_a_heartbeat_says_what_it_must(said: dict[str, Any], error: ErrorCode) -> None:
    request = ConsumerGroupHeartbeatRequest(**{"group": "g", "member_id": "a", **JOINS, **said})
    found, decision = rules.valid_request(request, ASSIGNORS).with_evidence
    assert found == error and decision.granted == (error == ErrorCode.NONE)


def test_a_classic_group_with_members_takes_nobody_of_the_newer_protocol() -> None:
    error, decision = rules.of_this_kind(group_of(member("a", "range")), joins=True).with_evidence
    assert error == ErrorCode.GROUP_ID_NOT_FOUND and "not migrated online here" in decision.reason


def test_an_empty_classic_group_is_taken_over_by_who_joins() -> None:
    empty = group_of(state=GroupState.EMPTY)
    assert rules.of_this_kind(empty, joins=True).value == ErrorCode.NONE
    assert rules.of_this_kind(empty, joins=False).value == ErrorCode.GROUP_ID_NOT_FOUND


def test_a_group_of_the_newer_protocol_with_members_takes_no_classic_member() -> None:
    group = group_of(state=GroupState.STABLE)
    group.consumer = ConsumerGroup(epoch=1, members={"a": ConsumerMember(member_id="a")})
    error, decision = rules.takes_classic_member(group).with_evidence
    assert error == ErrorCode.INCONSISTENT_GROUP_PROTOCOL and "not migrated online here" in decision.reason
