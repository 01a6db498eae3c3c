"""One heartbeat of a member: the group after it, its epochs, and what each is to have."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.groups.consumer.state import LEAVE_FOR_A_WHILE, ConsumerGroup, Parts
from cluster.groups.consumer.step import heartbeat, leave, leave_for_a_while, retarget, wanted
from cluster.model.messages import ConsumerGroupHeartbeatRequest
from tests.support.worlds.group_world import SomeTopics

TOPICS = SomeTopics()
ORDERS: Parts = TOPICS.parts("orders")


def beat(group: ConsumerGroup, member_id: str, epoch: int, known: SomeTopics = TOPICS, /, **said: Any) -> ConsumerGroup:
    request = ConsumerGroupHeartbeatRequest(
        group="g", member_id=member_id, member_epoch=epoch, client_id="app", client_host="here", **said
    )
    return heartbeat(group, member_id, request, known)[0]


def join(group: ConsumerGroup, member_id: str, **said: Any) -> ConsumerGroup:
    return beat(group, member_id, 0, **{"topics": ("orders",), "rebalance_timeout_ms": 9_000, "owned": (), **said})


def one() -> ConsumerGroup:
    """A group of one member that has all."""
    return join(ConsumerGroup(), "a")


def test_the_first_member_begins_epoch_1_and_has_all_at_once() -> None:
    group = one()
    assert (group.epoch, group.target_epoch) == (1, 1)
    member = group.members["a"]
    assert (member.epoch, member.assigned) == (1, ORDERS)
    assert (member.client_id, member.client_host, member.rebalance_timeout_ms) == ("app", "here", 9_000)
    assert member.topics == ("orders",)


def test_who_subscribes_to_nothing_begins_an_epoch_all_the_same() -> None:
    group = join(ConsumerGroup(), "a", topics=())
    assert (group.epoch, group.members["a"].epoch, group.members["a"].assigned) == (1, 1, frozenset())


def test_a_heartbeat_that_says_nothing_new_changes_nothing() -> None:
    group = one()
    assert beat(group, "a", 1) == group


@pytest.mark.parametrize(
    ("said", "grows"),
    [
        ({"topics": ("orders", "orders")}, False),
        ({"topics": ("users", "orders")}, True),
        ({"pattern": "or.*"}, True),
        ({"rack_id": "r1"}, False),
        ({"assignor": "range"}, False),
        ({"rebalance_timeout_ms": 7}, False),
    ],
)
def test_a_new_subscription_and_nothing_else_that_a_member_says_begins_an_epoch(
    said: dict[str, Any],
    grows: bool,  # noqa: FBT001
) -> None:
    assert beat(one(), "a", 1, **said).epoch == 1 + grows


def test_what_a_member_does_not_say_stays() -> None:
    said = {"rack_id": "r1", "assignor": "range", "instance_id": "shelf"}
    member = beat(join(ConsumerGroup(), "a", **said), "a", 1).members["a"]
    assert (member.rack_id, member.assignor, member.instance_id) == ("r1", "range", "shelf")
    assert (member.topics, member.rebalance_timeout_ms) == (("orders",), 9_000)
    wide = join(ConsumerGroup(), "a", topics=(), pattern="or.*")
    assert beat(wide, "a", 1, pattern=None).members["a"].pattern == "or.*"
    assert beat(one(), "a", 1, rebalance_timeout_ms=0).members["a"].rebalance_timeout_ms == 0


def test_a_second_member_begins_an_epoch_and_waits_for_what_the_first_has_to_give_up() -> None:
    group = join(one(), "b")
    assert (group.epoch, group.target_epoch) == (2, 2)
    assert sorted(map(len, group.target.values())) == [5, 5]
    assert (group.members["b"].epoch, group.members["b"].assigned) == (2, frozenset())
    assert group.members["a"].assigned == ORDERS, "it has not come since"
    group = beat(group, "a", 1)
    assert len(group.members["a"].assigned) == 5
    assert group.members["a"].epoch == 1, "it has yet to say that it gave up the rest"
    group = beat(group, "a", 1, owned=tuple(group.target["a"]))
    assert group.members["a"].epoch == 2
    assert beat(group, "b", 2).members["b"].assigned == group.target["b"]


def test_a_topic_that_grows_begins_an_epoch_at_the_next_heartbeat() -> None:
    topics = SomeTopics()
    topics.counts["orders"] = (7, 12)
    group = beat(one(), "a", 1, topics)
    assert (group.epoch, len(group.members["a"].assigned)) == (2, 12)


def test_what_is_wanted_is_of_all_members_together() -> None:
    topics = SomeTopics()
    topics.counts["users"] = (8, 2)
    group = beat(beat(ConsumerGroup(), "a", 0, topics, topics=("orders",)), "b", 0, topics, topics=("users",))
    assert wanted(group, topics) == topics.parts("orders") | topics.parts("users")


def test_who_leaves_frees_what_it_had_and_the_others_divide_it_when_they_come() -> None:
    group = leave(join(one(), "b"), "b")
    assert (group.epoch, group.target_epoch, list(group.members)) == (3, 2, ["a"])
    group = beat(group, "a", 1)
    assert (group.target_epoch, group.members["a"].epoch, group.members["a"].assigned) == (3, 3, ORDERS)


def test_a_static_member_that_is_away_keeps_its_place_and_is_back_under_another_id() -> None:
    group = join(ConsumerGroup(), "a", instance_id="shelf")
    away = leave_for_a_while(group, group.members["a"])
    assert (away.epoch, away.members["a"].epoch, away.members["a"].assigned) == (1, LEAVE_FOR_A_WHILE, ORDERS)
    back = join(away, "b", instance_id="shelf")
    assert list(back.members) == ["b"] and list(back.target) == ["b"]
    assert (back.epoch, back.members["b"].epoch, back.members["b"].assigned) == (1, 1, ORDERS), "nobody rebalances"
    assert join(back, "b", instance_id="shelf").members["b"].assigned == ORDERS, "it asks once more"


def test_the_assignor_that_members_name_divides() -> None:
    group = join(join(ConsumerGroup(), "a", assignor="range"), "b", assignor="range")
    fresh = retarget(replace(group, target={}), TOPICS)
    assert [sorted(index for _, index in fresh.target[key]) for key in "ab"] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert fresh.target_epoch == fresh.epoch
