"""Rules about members of the classic protocol: which assignor is chosen, who may commit."""

from __future__ import annotations

import pytest

from cluster.groups.classic import rules
from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Ruling
from tests.support.worlds.group_world import group_of, member


def test_the_assignor_with_most_votes_among_those_all_know_is_chosen() -> None:
    group = group_of(member("a", "sticky", "range"), member("b", "range", "sticky"), member("c", "sticky", "range"))
    assert rules.vote_protocol(group).value == "sticky"


def test_an_assignor_that_one_member_lacks_cannot_be_chosen() -> None:
    group = group_of(member("a", "sticky", "range"), member("b", "sticky", "range"), member("c", "range"))
    assert rules.vote_protocol(group).value == "range"


def test_a_new_member_needs_an_assignor_that_all_know() -> None:
    group = group_of(member("a", "sticky", "range"), member("b", "range"))
    assert rules.supports_protocols(group, "consumer", ["sticky"]).value == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert rules.supports_protocols(group, "consumer", ["sticky", "range"]).value == ErrorCode.NONE
    assert rules.supports_protocols(group, "connect", ["range"]).value == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert rules.supports_protocols(group_of(), "consumer", []).value == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize(
    ("state", "generation", "who", "error"),
    [
        (GroupState.STABLE, 3, "a", ErrorCode.NONE),
        (GroupState.PREPARING, 3, "a", ErrorCode.NONE),
        (GroupState.COMPLETING, 3, "a", ErrorCode.REBALANCE_IN_PROGRESS),
        (GroupState.STABLE, 2, "a", ErrorCode.ILLEGAL_GENERATION),
        (GroupState.STABLE, 3, "z", ErrorCode.UNKNOWN_MEMBER_ID),
        (GroupState.COMPLETING, 3, "z", ErrorCode.UNKNOWN_MEMBER_ID),
        (GroupState.STABLE, -1, "", ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_who_may_commit(state: GroupState, generation: int, who: str, error: ErrorCode) -> None:
    assert rules.may_commit(group_of(member("a", "range"), state=state), generation, who, "").value == error


def test_an_empty_group_takes_offsets_from_outside_only() -> None:
    empty = group_of(state=GroupState.EMPTY)
    assert rules.may_commit(empty, -1, "", "").value == ErrorCode.NONE
    assert rules.may_commit(empty, 3, "a", "").value == ErrorCode.UNKNOWN_MEMBER_ID
    assert rules.may_commit(empty, 0, "", "").value == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("generation", "error", "reason"),
    [
        (3, ErrorCode.NONE, "it is in the group's generation"),
        (2, ErrorCode.ILLEGAL_GENERATION, "it is in another generation"),
    ],
)
def test_who_speaks_of_another_generation_is_told_so(generation: int, error: ErrorCode, reason: str) -> None:
    ruling = rules.same_generation(group_of(member("a", "range")), generation)
    assert (ruling.value, ruling.reason) == (error, reason)


def told(ruling: Ruling[ErrorCode]) -> ErrorCode:
    """The error; a ruling says yes where there is none, and only there."""
    assert ruling.granted == (ruling.value == ErrorCode.NONE)
    return ruling.value


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (99, ErrorCode.INVALID_SESSION_TIMEOUT),
        (100, ErrorCode.NONE),
        (200, ErrorCode.NONE),
        (201, ErrorCode.INVALID_SESSION_TIMEOUT),
    ],
)
def test_the_limits_of_a_session_are_inclusive(asked: int, error: ErrorCode) -> None:
    ruling = rules.session_timeout(asked, 100, 200)
    assert told(ruling) == error
    assert ruling.numbers == {"asked": asked, "least": 100, "most": 200}
    assert ruling.reason == ("the session timeout fits" if ruling.granted else "the session timeout is out of range")


def test_a_vote_shows_what_was_counted_and_the_first_name_breaks_a_tie() -> None:
    ruling = rules.vote_protocol(group_of(member("a", "sticky", "range"), member("b", "range", "sticky")))
    assert (ruling.value, ruling.granted) == ("range", True)
    assert ruling.numbers == {"range": 1, "sticky": 1}


def test_why_an_assignor_does_or_does_not_do() -> None:
    group = group_of(member("a", "sticky", "range"), member("b", "range"))
    fits, wrong = (rules.supports_protocols(group, "consumer", [name]) for name in ("range", "sticky"))
    assert (told(fits), fits.reason) == (ErrorCode.NONE, "all know one of its assignors")
    assert (told(wrong), wrong.reason) == (ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "no assignor is known to all")
    assert wrong.numbers["common assignors"] == "range"
    for kind, names in (("", ["range"]), ("consumer", [])):
        assert rules.supports_protocols(group, kind, names).reason == "it names no type or no assignor"
    assert told(rules.supports_protocols(group_of(), "connect", ["any"])) == ErrorCode.NONE
    assert rules.common_protocols(group_of()) == set(), "nobody knows one"


@pytest.mark.parametrize(
    ("who", "instance", "error"),
    [
        ("a", "", ErrorCode.NONE),
        ("z", "", ErrorCode.UNKNOWN_MEMBER_ID),
        ("a", "i", ErrorCode.NONE),
        ("b", "i", ErrorCode.FENCED_INSTANCE_ID),
        ("a", "j", ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_who_is_known(who: str, instance: str, error: ErrorCode) -> None:
    group = group_of(member("a", "range"), member("b", "range"))
    group.static_ids["i"] = "a"
    ruling = rules.known_member(group, who, instance)
    assert told(ruling) == error
    reasons = {ErrorCode.NONE: "it is in the group", ErrorCode.UNKNOWN_MEMBER_ID: "the group does not know it"}
    assert ruling.reason == reasons.get(error, "another member has its instance id")
    assert told(rules.may_leave(group, who, instance)) == error
    is_fenced = error == ErrorCode.FENCED_INSTANCE_ID
    assert ruling.numbers == ({"member id": who, "holder": "a"} if is_fenced else {"members": 2})
    assert told(rules.known_member(None, who, instance)) == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("who", "instance", "error"),
    [
        ("", "i", ErrorCode.NONE),
        ("", "j", ErrorCode.UNKNOWN_MEMBER_ID),
        ("p", "", ErrorCode.NONE),
        ("p", "i", ErrorCode.FENCED_INSTANCE_ID),
        ("z", "", ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_who_may_leave_without_being_a_member(who: str, instance: str, error: ErrorCode) -> None:
    group = group_of(member("a", "range"))
    group.static_ids["i"] = "a"
    group.pending_members["p"] = "the timer of its id"
    assert told(rules.may_leave(group, who, instance)) == error
    assert told(rules.may_leave(None, who, instance)) == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("state", "beats", "syncs"),
    [
        (GroupState.PREPARING, ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.REBALANCE_IN_PROGRESS),
        (GroupState.EMPTY, ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.NONE),
        (GroupState.COMPLETING, ErrorCode.NONE, ErrorCode.NONE),
        (GroupState.STABLE, ErrorCode.NONE, ErrorCode.NONE),
    ],
)
def test_what_a_state_answers(state: GroupState, beats: ErrorCode, syncs: ErrorCode) -> None:
    group = group_of(member("a", "range"), state=state)
    group.protocol = "range"
    beat = rules.heartbeat(group)
    assert told(beat) == beats
    assert beat.numbers == {"state": str(state), "generation": 3}
    for named in (("", ""), ("consumer", ""), ("", "range"), ("consumer", "range")):
        assert told(rules.sync(group, *named)) == syncs
    for named in (("connect", ""), ("", "sticky")):
        other = rules.sync(group, *named)
        assert told(other) == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
        assert other.numbers == {"its assignor": named[1] or "range", "chosen": "range"}


def test_whose_session_is_over() -> None:
    one = member("a", "range")
    one.heard_ms = 1_000
    over = rules.session_expired(one, 11_000)
    assert (over.value, over.granted) == ("session_expired", True)
    assert over.numbers == {"silent_ms": 10_000, "session_timeout_ms": 10_000, "waits": 0, "is new": 1}
    for phase in ("joining", "syncing"):
        waiting = member("a", "range")
        waiting.is_new = False
        setattr(waiting, phase, object())
        ruling = rules.session_expired(waiting, 11_000)
        assert (ruling.value, ruling.granted) == ("", False)
        waiting.is_new = True
        why = "join_expired" if phase == "joining" else "session_expired"
        assert rules.session_expired(waiting, 11_000).value == why


@pytest.mark.parametrize(("generation", "error"), [(3, ErrorCode.NONE), (2, ErrorCode.ILLEGAL_GENERATION)])
def test_a_commit_shows_both_generations(generation: int, error: ErrorCode) -> None:
    group = group_of(member("a", "range"))
    ruling = rules.may_commit(group, generation, "a", "")
    assert told(ruling) == error
    assert ruling.numbers == {"its generation": generation, "group generation": 3, "state": "Stable"}


def test_who_has_not_joined_yet() -> None:
    group = group_of(member("a", "range"), member("b", "range"))
    group.members["a"].joining = object()  # type: ignore[assignment]
    assert rules.missing(group) == ["b"]
