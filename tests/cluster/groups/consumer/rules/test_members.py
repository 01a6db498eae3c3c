"""What a heartbeat must say, and which groups take whom."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.groups.consumer.assignors import ASSIGNORS
from cluster.groups.consumer.rules import members as rules
from cluster.groups.consumer.state import ConsumerGroup, ConsumerMember, MemberState
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


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"member_epoch": -3}, {"owned": 0, "topics": 1}),
        ({"topics": None, "pattern": "or(.*"}, {"owned": 0, "pattern": "or(.*"}),
        ({"owned": None, "instance_id": " ", "rack_id": "r"}, {"topics": 1, "instance id": " ", "rack": "r"}),
        ({"assignor": "best"}, {"owned": 0, "topics": 1, "assignor": "best", "assignors": ", ".join(ASSIGNORS)}),
    ],
)
def test_a_refusal_tells_all_that_the_heartbeat_said(said: dict[str, Any], told: dict[str, Any]) -> None:
    request = ConsumerGroupHeartbeatRequest(**{"group": "g", "member_id": "a", **JOINS, **said})
    always = {"member epoch": request.member_epoch, "member id": "a", "rebalance_timeout_ms": 9}
    assert rules.valid_request(request, ASSIGNORS).numbers == {**always, **told}


def test_a_classic_group_with_members_takes_nobody_of_the_newer_protocol() -> None:
    error, decision = rules.of_this_kind(group_of(member("a", "range")), joins=True).with_evidence
    assert error == ErrorCode.GROUP_ID_NOT_FOUND and "not migrated online here" in decision.reason
    assert decision.numbers == {"joins": 1, "has classic members": 1, "is newer": 0}


def test_a_group_of_the_newer_protocol_stays_one_when_its_last_member_has_left() -> None:
    group = group_of(state=GroupState.EMPTY)
    group.consumer = ConsumerGroup(epoch=1)
    ruling = rules.of_this_kind(group, joins=False)
    assert (ruling.value, ruling.reason) == (ErrorCode.NONE, "the group speaks the newer protocol")


def test_an_empty_classic_group_is_taken_over_by_who_joins() -> None:
    empty = group_of(state=GroupState.EMPTY)
    begins, finds_none = (rules.of_this_kind(empty, joins=joins) for joins in (True, False))
    assert (begins.value, begins.reason) == (ErrorCode.NONE, "it begins a group")
    assert (finds_none.value, finds_none.reason) == (ErrorCode.GROUP_ID_NOT_FOUND, "there is no such group")
    assert finds_none.numbers == rules.of_this_kind(None, joins=False).numbers == {
        "joins": 0, "has classic members": 0, "is newer": 0,
    }  # fmt: skip


def test_a_group_of_the_newer_protocol_with_members_takes_no_classic_member() -> None:
    group = group_of(state=GroupState.STABLE)
    group.consumer = ConsumerGroup(epoch=1, members={"a": ConsumerMember(member_id="a")})
    error, decision = rules.takes_classic_member(group).with_evidence
    assert error == ErrorCode.INCONSISTENT_GROUP_PROTOCOL and "not migrated online here" in decision.reason
    taken = rules.takes_classic_member(group_of(member("a", "range")))
    assert (taken.value, taken.reason) == (ErrorCode.NONE, "the group has no members of the newer protocol")


@pytest.mark.parametrize(
    ("silent_ms", "over", "reason"),
    [
        (99, False, "it was heard within its session"),
        (100, True, "no sign of life for the session timeout"),
        (101, True, "no sign of life for the session timeout"),
    ],
)
def test_when_a_session_is_over(silent_ms: int, over: bool, reason: str) -> None:  # noqa: FBT001
    ruling = rules.session_expired(silent_ms, 100)
    assert (ruling.value, ruling.granted, ruling.reason) == (over, over, reason)
    assert ruling.numbers == {"silent_ms": silent_ms, "session_timeout_ms": 100}


@pytest.mark.parametrize(
    ("state", "epoch", "over"),
    [
        (MemberState.UNREVOKED_PARTITIONS, 4, True),
        (MemberState.UNREVOKED_PARTITIONS, 3, False),
        (MemberState.STABLE, 4, False),
    ],
)
def test_who_has_not_given_up_in_time(state: MemberState, epoch: int, over: bool) -> None:  # noqa: FBT001
    slow = ConsumerMember(member_id="a", epoch=4, state=state, rebalance_timeout_ms=70)
    ruling = rules.rebalance_expired(slow, epoch)
    assert (ruling.value, ruling.granted) == (over, over)
    assert ruling.numbers == {"rebalance_timeout_ms": 70, "member epoch": 4}


@pytest.mark.parametrize(
    ("epoch", "owned", "error"),
    [
        (4, None, ErrorCode.NONE),
        (0, None, ErrorCode.NONE),
        (3, frozenset(), ErrorCode.NONE),
        (3, frozenset({(7, 0)}), ErrorCode.NONE),
        (3, frozenset({(7, 1)}), ErrorCode.FENCED_MEMBER_EPOCH),
        (3, None, ErrorCode.FENCED_MEMBER_EPOCH),
        (5, frozenset(), ErrorCode.FENCED_MEMBER_EPOCH),
        (2, frozenset(), ErrorCode.FENCED_MEMBER_EPOCH),
    ],
)
def test_of_which_epoch_a_member_may_speak(epoch: int, owned: Any, error: ErrorCode) -> None:
    known = ConsumerMember(member_id="a", epoch=4, previous_epoch=3, assigned=frozenset({(7, 0)}))
    ruling = rules.member_epoch(known, epoch, owned)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    owns_too_much = owned is None or not owned <= known.assigned
    refused = {"epoch before": 3, "owns too much": int(owns_too_much)} if error != ErrorCode.NONE else {}
    assert ruling.numbers == {"its epoch": epoch, "known epoch": 4, **refused}


def test_who_has_left_for_a_while_does_not_go_on_in_the_epoch_before() -> None:
    away = ConsumerMember(member_id="a", epoch=-2, previous_epoch=4, assigned=frozenset({(7, 0)}))
    assert rules.member_epoch(away, 4, frozenset()).value == ErrorCode.FENCED_MEMBER_EPOCH


@pytest.mark.parametrize(
    ("who", "epoch", "knows", "error"),
    [
        ("a", 4, True, ErrorCode.NONE),
        ("a", 3, True, ErrorCode.STALE_MEMBER_EPOCH),
        ("a", 4, False, ErrorCode.UNSUPPORTED_VERSION),
        ("z", 4, True, ErrorCode.UNKNOWN_MEMBER_ID),
        ("", -1, True, ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_who_may_use_offsets(who: str, epoch: int, knows: bool, error: ErrorCode) -> None:  # noqa: FBT001
    members = {"a": ConsumerMember(member_id="a", epoch=4)}
    ruling = rules.may_use_offsets(members, who, epoch, knows_member_epochs=knows)
    assert (ruling.value, ruling.granted, ruling.numbers["its epoch"]) == (error, error == ErrorCode.NONE, epoch)
    reasons = {ErrorCode.NONE: "it is in its epoch", ErrorCode.STALE_MEMBER_EPOCH: "it speaks of another epoch"}
    assert ruling.reason == reasons.get(error, ruling.reason)
    assert ruling.numbers.get("known epoch") == (4 if error in reasons else None)
    outside = rules.may_use_offsets({}, who, epoch)
    assert outside.value == (ErrorCode.NONE if epoch < 0 else ErrorCode.UNKNOWN_MEMBER_ID)
    assert rules.may_use_offsets({}, "", 0).value == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_full_group_takes_nobody_new() -> None:
    group = ConsumerGroup(members={"a": ConsumerMember(member_id="a")})
    answers = [(who, most, rules.has_room(group, who, most)) for who, most in (("a", 1), ("b", 1), ("b", 2), ("a", 0))]
    assert [ruling.granted for _, _, ruling in answers] == [True, False, True, True]
    for _, most, ruling in answers:
        assert ruling.numbers == {"members": 1, "most": most}
        assert ruling.value == (ErrorCode.NONE if ruling.granted else ErrorCode.GROUP_MAX_SIZE_REACHED)
        assert ruling.reason == ("there is room" if ruling.granted else "the group is full")


@pytest.mark.parametrize(
    ("holder_epoch", "who", "epoch", "instance", "error"),
    [
        (4, "a", 4, None, ErrorCode.NONE),
        (4, "z", 4, None, ErrorCode.UNKNOWN_MEMBER_ID),
        (4, "z", 0, None, ErrorCode.NONE),
        (4, "z", 4, "j", ErrorCode.UNKNOWN_MEMBER_ID),
        (4, "z", 0, "j", ErrorCode.NONE),
        (4, "a", 4, "i", ErrorCode.NONE),
        (4, "z", 4, "i", ErrorCode.FENCED_INSTANCE_ID),
        (4, "a", 0, "i", ErrorCode.NONE),
        (4, "z", 0, "i", ErrorCode.UNRELEASED_INSTANCE_ID),
        (-2, "z", 0, "i", ErrorCode.NONE),
    ],
)
def test_who_may_speak(holder_epoch: int, who: str, epoch: int, instance: str | None, error: ErrorCode) -> None:
    group = ConsumerGroup(members={"a": ConsumerMember(member_id="a", epoch=holder_epoch, instance_id="i")})
    request = ConsumerGroupHeartbeatRequest(group="g", member_id=who, member_epoch=epoch, instance_id=instance)
    ruling = rules.known_member(group, request)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    has_other_holder = error in (ErrorCode.FENCED_INSTANCE_ID, ErrorCode.UNRELEASED_INSTANCE_ID)
    assert ruling.numbers == {"members": 1, **({"member id": who, "holder": "a"} if has_other_holder else {})}


def test_the_assignor_that_most_members_name() -> None:
    named = [ConsumerMember(member_id=str(place), assignor=name) for place, name in enumerate(("b", "a", "x", ""))]
    ruling = rules.preferred_assignor({one.member_id: one for one in named}, ("b", "a"))
    assert (ruling.value, ruling.granted) == ("a", True)
    assert ruling.numbers == {"assignor": "a", "a": 1, "b": 1}
    assert ruling.reason == "no other is named by more members"
    nobody = rules.preferred_assignor({}, ("b", "a"))
    assert (nobody.value, nobody.reason) == ("b", "nobody names one")
    twice = {**{one.member_id: one for one in named}, "4": ConsumerMember(member_id="4", assignor="b")}
    assert rules.preferred_assignor(twice, ("b", "a")).value == "b"
