"""What a coordinator's own assignors promise."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.groups.consumer.assignors import ASSIGNORS, assign_range, ordered, uniform
from cluster.groups.consumer.rules.members import preferred_assignor
from cluster.groups.consumer.state import ConsumerMember, Parts

Assign = Callable[[Mapping[str, Parts], Mapping[str, Parts]], dict[str, Parts]]
EACH = pytest.mark.parametrize("assign", ASSIGNORS.values(), ids=list(ASSIGNORS))


def topic(topic_id: int, count: int) -> Parts:
    return frozenset((topic_id, index) for index in range(count))


def indexes(parts: Parts, topic_id: int = 1) -> list[int]:
    return sorted(index for each, index in parts if each == topic_id)


def everybody(parts: Parts, *members: str) -> dict[str, Parts]:
    return dict.fromkeys(members, parts)


@given(
    wants=st.dictionaries(st.sampled_from("abcd"), st.sets(st.sampled_from((1, 2, 3))), min_size=1),
    counts=st.tuples(*(st.integers(0, 5),) * 3),
    before=st.dictionaries(st.sampled_from("abcdx"), st.frozensets(st.tuples(st.integers(1, 4), st.integers(0, 6)))),
    name=st.sampled_from(sorted(ASSIGNORS)),
)
def test_each_partition_has_one_owner_who_wants_it(
    wants: dict[str, set[int]], counts: tuple[int, int, int], before: dict[str, Parts], name: str
) -> None:
    wanted = {
        member: frozenset(part for topic_id in topics for part in topic(topic_id, counts[topic_id - 1]))
        for member, topics in sorted(wants.items())
    }
    given_out = ASSIGNORS[name](wanted, before)
    flat = [part for parts in given_out.values() for part in parts]
    assert len(flat) == len(set(flat))
    assert set(flat) == set().union(*wanted.values())
    assert all(parts <= wanted[member] for member, parts in given_out.items())
    if name == "uniform" and len({frozenset(parts) for parts in wanted.values()}) == 1:
        sizes = [len(parts) for parts in given_out.values()]
        assert max(sizes) - min(sizes) <= 1


@EACH
def test_what_is_right_already_does_not_move(assign: Assign) -> None:
    wanted = everybody(topic(1, 10), "a", "b", "c")
    first = assign(wanted, {})
    assert sorted(len(parts) for parts in first.values()) == [3, 3, 4]
    assert assign(wanted, first) == first


@EACH
def test_one_that_leaves_moves_only_its_own(assign: Assign) -> None:
    before = assign(everybody(topic(1, 9), "a", "b", "c"), {})
    after = assign(everybody(topic(1, 9), "a", "b"), {key: before[key] for key in ("a", "b")})
    assert before["a"] <= after["a"] and before["b"] <= after["b"]


@EACH
def test_one_that_comes_takes_only_its_share(assign: Assign) -> None:
    before = assign(everybody(topic(1, 9), "a", "b"), {})
    after = assign(everybody(topic(1, 9), "a", "b", "c"), before)
    assert after["a"] <= before["a"] and after["b"] <= before["b"] and len(after["c"]) == 3


def test_range_gives_neighbours_of_each_topic() -> None:
    wanted = everybody(topic(1, 10) | topic(2, 3), "a", "b", "c")
    given_out = assign_range(wanted, {})
    assert [indexes(given_out[key]) for key in "abc"] == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert [indexes(given_out[key], 2) for key in "abc"] == [[0], [1], [2]]


def test_uniform_levels_what_subscriptions_make_uneven() -> None:
    wanted = {"a": topic(1, 4) | topic(2, 4), "b": topic(1, 4)}
    given_out = uniform(wanted, {})
    assert {key: len(parts) for key, parts in given_out.items()} == {"a": 4, "b": 4}


def test_most_named_assignor_wins_and_uniform_is_taken_when_nobody_names_one() -> None:
    members = {
        key: ConsumerMember(member_id=key, assignor=name) for key, name in zip("abc", ("", "range", ""), strict=True)
    }
    assert preferred_assignor(members, ASSIGNORS).value == "range"
    assert preferred_assignor({"a": members["a"]}, ASSIGNORS).value == "uniform"


def test_static_members_come_first_by_instance_id() -> None:
    members = {
        "a": ConsumerMember(member_id="a"),
        "b": ConsumerMember(member_id="b", instance_id="2"),
        "c": ConsumerMember(member_id="c", instance_id="1"),
    }
    assert [item.member_id for item in ordered(members)] == ["c", "b", "a"]
