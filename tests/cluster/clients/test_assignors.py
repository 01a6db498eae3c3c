"""Assignors divide partitions exactly as Kafka's do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from cluster.clients.assignors import ASSIGNORS, Applicant, assign_cooperative, assign_sticky
from cluster.model.consumer_protocol import Subscription, encode_sticky_data
from cluster.model.identifiers import TopicPartition


def who(name: str, *topics: str, owned: Sequence[int] = (), generation: int = 1, instance: str = "") -> Applicant:
    """A member that holds these partitions of orders, and has them from sticky."""
    held = tuple(TopicPartition("orders", index) for index in owned)
    data = encode_sticky_data(held, generation)
    subscription = Subscription(topics=topics or ("orders",), user_data=data, owned=held, generation=generation)
    return Applicant(name, instance, subscription)


def indexes(parts: dict[str, list[TopicPartition]]) -> dict[str, list[int]]:
    return {name: [item.partition for item in part] for name, part in parts.items()}


THREE = [who("C1"), who("C2"), who("C3")]


@pytest.mark.parametrize(
    ("assignor", "expected"),
    [
        ("range", {"C1": [0, 1, 2, 3], "C2": [4, 5, 6], "C3": [7, 8, 9]}),
        ("roundrobin", {"C1": [0, 3, 6, 9], "C2": [1, 4, 7], "C3": [2, 5, 8]}),
        ("sticky", {"C1": [0, 3, 6, 9], "C2": [1, 4, 7], "C3": [2, 5, 8]}),
    ],
)
def test_ten_partitions_over_three_members(assignor: str, expected: dict[str, list[int]]) -> None:
    assert indexes(ASSIGNORS[assignor](THREE, {"orders": 10})) == expected


def test_sticky_leaves_in_place_what_it_can_when_one_leaves() -> None:
    left = [who("C1", owned=[0, 1, 2, 3]), who("C2", owned=[4, 5, 6])]
    assert indexes(assign_sticky(left, {"orders": 10})) == {"C1": [0, 1, 2, 3, 7], "C2": [4, 5, 6, 8, 9]}


def test_sticky_does_not_know_what_another_assignor_dealt() -> None:
    held = {"C1": [0, 1, 2, 3], "C2": [4, 5, 6]}
    by_range = [
        structs.replace(item, subscription=structs.replace(item.subscription, user_data=b""))
        for item in (who(name, owned=owned) for name, owned in held.items())
    ]
    assert indexes(assign_sticky(by_range, {"orders": 10})) == {"C1": [0, 2, 4, 6, 8], "C2": [1, 3, 5, 7, 9]}


def test_cooperative_keeps_what_members_own_and_not_what_sticky_dealt() -> None:
    item = who("C1", owned=[0, 1])
    free = structs.replace(item, subscription=structs.replace(item.subscription, owned=()))
    assert indexes(assign_cooperative([free, who("C2", owned=[0, 2])], {"orders": 4})) == {"C1": [1, 3], "C2": [0, 2]}


def test_range_gives_the_first_members_more_of_each_topic() -> None:
    members = [who(name, "orders", "users") for name in ("C1", "C2", "C3")]
    parts = ASSIGNORS["range"](members, {"orders": 10, "users": 10})
    assert [len(part) for part in parts.values()] == [8, 6, 6]


def test_roundrobin_deals_topic_after_topic() -> None:
    members = [who(name, "orders", "users") for name in ("C1", "C2", "C3")]
    parts = ASSIGNORS["roundrobin"](members, {"orders": 10, "users": 10})
    assert [len(part) for part in parts.values()] == [7, 7, 6]


def test_static_members_come_first_by_instance_id() -> None:
    members = [who("a"), who("z-1", instance="shelf-2"), who("y-1", instance="shelf-1")]
    assert indexes(ASSIGNORS["range"](members, {"orders": 3})) == {"a": [2], "z-1": [1], "y-1": [0]}


def test_who_does_not_subscribe_gets_nothing_of_a_topic() -> None:
    members = [who("a", "orders"), who("b", "orders", "users")]
    for assignor in ASSIGNORS.values():
        parts = assignor(members, {"orders": 2, "users": 2})
        assert {item.topic for item in parts["a"]} <= {"orders"}
        assert sorted(item for part in parts.values() for item in part) == sorted(
            TopicPartition(topic, index) for topic in ("orders", "users") for index in (0, 1)
        )


def test_of_two_that_claim_a_partition_the_later_generation_holds_it() -> None:
    members = [who("a", owned=[0], generation=3), who("b", owned=[0], generation=4)]
    assert indexes(assign_sticky(members, {"orders": 2})) == {"a": [1], "b": [0]}


def test_of_two_that_claim_a_partition_in_one_generation_nobody_holds_it() -> None:
    members = [who("a", owned=[0, 1], generation=3), who("b", owned=[0], generation=3)]
    assert indexes(assign_sticky(members, {"orders": 2})) == {"a": [1], "b": [0]}


def test_a_cooperative_member_waits_for_what_another_still_holds() -> None:
    members = [who("a", owned=[0, 1, 2, 3]), who("b")]
    assert indexes(assign_cooperative(members, {"orders": 4})) == {"a": [0, 1], "b": []}
    after = [who("a", owned=[0, 1], generation=2), who("b", generation=2)]
    assert indexes(assign_cooperative(after, {"orders": 4})) == {"a": [0, 1], "b": [2, 3]}


def test_a_topic_that_does_not_exist_is_left_out() -> None:
    for assignor in ASSIGNORS.values():
        assert assignor([who("a", "nothing")], {"orders": 3}) == {"a": []}


@given(
    members=st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(0, 11), unique=True), min_size=1),
    count=st.integers(0, 10),
)
def test_sticky_is_even_and_keeps_as_much_as_that_allows(members: dict[str, list[int]], count: int) -> None:
    applicants = [who(name, owned=owned, generation=place) for place, (name, owned) in enumerate(members.items())]
    parts = indexes(assign_sticky(applicants, {"orders": count}))
    assert sorted(index for part in parts.values() for index in part) == list(range(count))
    sizes = [len(part) for part in parts.values()]
    assert max(sizes) - min(sizes) <= 1
    for item in applicants:
        newer = {
            index for other in applicants if other.subscription.generation > item.subscription.generation
            for index in members[other.member_id]
        }  # fmt: skip
        held = {index for index in members[item.member_id] if index < count} - newer
        kept = held & set(parts[item.member_id])
        assert kept == held or len(kept) >= min(sizes), "it gives up only what it has above the least"
