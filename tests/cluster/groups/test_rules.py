"""Rules of the coordinator: where a group lives, how long its offsets are kept."""

from __future__ import annotations

import pytest

from cluster.groups import rules
from cluster.groups.group_state import GroupState
from cluster.groups.state import CommittedOffset
from tests.support.worlds.group_world import group_of, member

VECTORS = [
    ("g1", 3242, 42), ("my-group", -1906497762, 12), ("test-group", 627841412, 12), ("orders", -1008770331, 31),
    ("console-consumer-1", 35782224, 24), ("a", 97, 47), ("", 0, 0), ("group-42", 506311820, 20),
    ("payments-service", 332086293, 43), ("группа", 1749938458, 8), ("消費者グループ", 1778507784, 34),
    ("😀", 1772899, 49), ("polygenelubricants", -2147483648, 0),
]  # fmt: skip


@pytest.mark.parametrize(("group", "hashed", "partition"), VECTORS)
def test_a_group_lives_where_a_java_broker_puts_it(group: str, hashed: int, partition: int) -> None:
    assert rules.java_hash(group) == hashed
    assert rules.partition_for(group, 50) == partition


def test_an_offset_is_kept_while_a_member_subscribes_and_then_for_the_retention() -> None:
    committed = CommittedOffset(offset=7, at_ms=100)
    busy, empty = group_of(member("a", "range")), group_of(state=GroupState.EMPTY)
    empty.since_ms = 1_000
    assert not rules.offset_expired(busy, committed, 10_000, 500, is_subscribed=True).granted
    assert rules.offset_expired(busy, committed, 10_000, 500, is_subscribed=False).granted
    assert not rules.offset_expired(empty, committed, 1_499, 500, is_subscribed=False).granted
    assert rules.offset_expired(empty, committed, 1_500, 500, is_subscribed=False).granted
