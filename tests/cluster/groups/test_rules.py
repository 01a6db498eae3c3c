"""Rules of the coordinator: how long offsets are kept."""

from __future__ import annotations

from cluster.groups import rules
from cluster.groups.group_state import GroupState
from cluster.groups.state import CommittedOffset
from tests.support.worlds.group_world import group_of, member


def test_an_offset_is_kept_while_a_member_subscribes_and_then_for_the_retention() -> None:
    committed = CommittedOffset(offset=7, at_ms=100)
    busy, empty = group_of(member("a", "range")), group_of(state=GroupState.EMPTY)
    empty.since_ms = 1_000
    assert not rules.offset_expired(busy, committed, 10_000, 500, is_subscribed=True).granted
    assert rules.offset_expired(busy, committed, 10_000, 500, is_subscribed=False).granted
    assert not rules.offset_expired(empty, committed, 1_499, 500, is_subscribed=False).granted
    assert rules.offset_expired(empty, committed, 1_500, 500, is_subscribed=False).granted
