"""Rules of the coordinator: how long offsets are kept."""

from __future__ import annotations

import pytest

from cluster.groups import rules
from cluster.groups.group_state import GroupState
from cluster.groups.state import CommittedOffset
from cluster.model.errors import ErrorCode
from tests.support.worlds.group_world import group_of, member


def test_an_offset_is_kept_while_a_member_subscribes_and_then_for_the_retention() -> None:
    committed = CommittedOffset(offset=7, at_ms=100)
    busy, empty = group_of(member("a", "range")), group_of(state=GroupState.EMPTY)
    empty.since_ms = 1_000
    assert not rules.offset_expired(busy, committed, 10_000, 500, is_subscribed=True).granted
    assert rules.offset_expired(busy, committed, 10_000, 500, is_subscribed=False).granted
    assert not rules.offset_expired(empty, committed, 1_499, 500, is_subscribed=False).granted
    assert rules.offset_expired(empty, committed, 1_500, 500, is_subscribed=False).granted


@pytest.mark.parametrize(("size", "error"), [(32_000, ErrorCode.NONE), (32_001, ErrorCode.INVALID_REQUEST)])
def test_what_a_member_says_of_itself_fits_a_record(size: int, error: ErrorCode) -> None:
    ruling = rules.fits_record("x", "é" * (size // 2) + "y" * (size % 2))
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)
    assert ruling.numbers == {"bytes": size, "most": 32_000}
    assert ruling.reason == ("its texts fit a record" if ruling.granted else "a text is too long for a record")
    assert rules.fits_record().numbers["bytes"] == 0


@pytest.mark.parametrize(
    ("state", "kind", "since_ms", "now_ms", "expired"),
    [
        (GroupState.EMPTY, "consumer", 500, 600, True),
        (GroupState.EMPTY, "consumer", 500, 599, False),
        (GroupState.EMPTY, "consumer", 0, 199, False),
        (GroupState.EMPTY, "consumer", 0, 200, True),
        (GroupState.EMPTY, "", 500, 200, True),
        (GroupState.DEAD, "consumer", 500, 200, True),
    ],
)
def test_retention_begins_with_the_last_member_or_the_commit(
    state: GroupState,
    kind: str,
    since_ms: int,
    now_ms: int,
    expired: bool,  # noqa: FBT001
) -> None:
    group = group_of(state=state)
    group.protocol_type, group.since_ms = kind, since_ms
    committed = CommittedOffset(offset=1, at_ms=100)
    ruling = rules.offset_expired(group, committed, now_ms, 100, is_subscribed=True)
    assert (ruling.value, ruling.granted) == (expired, expired)
    assert ruling.reason == ("retention is over" if expired else "retained")
    assert ruling.numbers["retention_ms"] == 100


@pytest.mark.parametrize(
    ("is_there", "generation", "knows", "error"),
    [
        (True, 4, True, ErrorCode.NONE),
        (False, -1, True, ErrorCode.NONE),
        (False, 0, True, ErrorCode.GROUP_ID_NOT_FOUND),
        (False, 0, False, ErrorCode.ILLEGAL_GENERATION),
    ],
)
def test_a_commit_makes_a_group_from_outside_only(
    is_there: bool,  # noqa: FBT001
    generation: int,
    knows: bool,  # noqa: FBT001
    error: ErrorCode,
) -> None:
    ruling = rules.group_of_commit(group_of() if is_there else None, generation, knows_member_epochs=knows)
    assert (ruling.value, ruling.granted) == (error, error == ErrorCode.NONE)


def test_offsets_count_once_they_are_written() -> None:
    assert rules.is_written(ErrorCode.NONE).value
    assert not rules.is_written(ErrorCode.REQUEST_TIMED_OUT).granted
