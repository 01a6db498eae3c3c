"""Joining: ids, generations, leaders, static members."""

from __future__ import annotations

import pytest

from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupGenerationBegan, GroupMemberJoined, GroupMemberLeft
from tests.support.worlds.group_world import Person, part, share, stable, subscription, world_of


def test_a_new_dynamic_member_is_given_an_id_and_comes_again() -> None:
    world = world_of()
    first = Person(world, "a").ask_to_join()
    assert first is not None and first.error == ErrorCode.MEMBER_ID_REQUIRED
    assert first.member_id.startswith("a-") and len(first.member_id) == len("a-") + 36
    assert world.told(GroupMemberJoined) == []


def test_an_id_that_is_never_used_is_forgotten_after_the_session() -> None:
    world = world_of()
    Person(world, "a").ask_to_join()
    assert world.group().pending_members
    world.pass_ms(10_000)
    assert not world.group().pending_members


def test_an_old_client_joins_without_an_id_at_once() -> None:
    world = world_of()
    person = Person(world, "a")
    assert person.ask_to_join(needs_member_id=False) is None
    world.pass_ms(3_000)
    response = person.joined()
    assert response is not None and response.generation == 1 and response.leader == person.member_id


def test_the_first_generation_waits_for_more_members_and_longer_while_they_come() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b")
    a.join()
    world.pass_ms(2_900)
    b.join()
    world.pass_ms(200)
    assert a.joined() is None, "b came during the delay, so it is extended once"
    world.pass_ms(3_000)
    assert a.joined() and b.joined()
    assert (a.generation, b.generation) == (1, 1)


def test_the_first_to_come_leads_and_alone_learns_the_subscriptions() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b")
    b.protocols = (("range", subscription("orders", "users")),)
    a.join()
    b.join()
    world.pass_ms(6_000)
    told_a, told_b = a.joined(), b.joined()
    assert told_a and told_b and told_a.leader == told_b.leader == a.member_id
    assert [item[2] for item in told_a.members] == [subscription(), subscription("orders", "users")]
    assert told_b.members == ()
    began = world.told(GroupGenerationBegan)[0]
    assert began.subscriptions == (
        (a.member_id, "orders"), (b.member_id, "orders"), (b.member_id, "users"),
    )  # fmt: skip


def test_what_members_of_another_kind_of_group_send_is_not_taken_for_subscriptions() -> None:
    world = world_of()
    worker = Person(world, "a")
    worker.join(protocol_type="connect")
    world.pass_ms(world.settings.group_initial_rebalance_delay_ms * 2)
    assert [began.subscriptions for began in world.told(GroupGenerationBegan)] == [()]


def test_a_later_generation_begins_as_soon_as_all_members_are_back() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a)
    assert b.join() is None
    assert a.heartbeat() == ErrorCode.REBALANCE_IN_PROGRESS
    a.join()
    assert a.joined() and b.joined()
    assert (a.generation, b.generation) == (2, 2)


def test_who_does_not_come_back_in_time_is_out() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a)
    a.session_timeout_ms = 1_000_000
    stable_id = a.member_id
    b.join()
    for _ in range(12):
        world.pass_ms(5_000)
        if world.group().state is GroupState.PREPARING:
            a.heartbeat()
    response = b.joined()
    assert response and response.generation == 2 and response.leader == b.member_id
    left = world.told(GroupMemberLeft)
    assert [(event.member_id, event.why) for event in left] == [(stable_id, "not_rejoined")]


def test_joining_again_unchanged_repeats_the_generation() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b")
    a.join()
    b.join()
    world.pass_ms(6_000)
    a.joined(), b.joined()
    again = b.ask_to_join()
    assert again is not None and again.generation == 1, "in CompletingRebalance"
    share(a, b)
    again = b.ask_to_join()
    assert again is not None and again.generation == 1, "in Stable, not the leader"
    assert world.group().state is GroupState.STABLE


def test_a_leader_that_joins_again_begins_a_rebalance() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a, b)
    assert a.ask_to_join() is None
    assert world.group().state is GroupState.PREPARING


def test_another_subscription_begins_a_rebalance() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a, b)
    b.protocols = (("range", subscription("orders", "users")),)
    assert b.ask_to_join() is None
    assert world.group().state is GroupState.PREPARING


def test_a_session_timeout_must_fit_the_limits() -> None:
    world = world_of()
    a = Person(world, "a")
    for session_ms in (5_999, 1_800_001):
        response = a.ask_to_join(session_timeout_ms=session_ms)
        assert response and response.error == ErrorCode.INVALID_SESSION_TIMEOUT


def test_an_id_that_the_group_does_not_know_is_refused() -> None:
    world = world_of()
    a = Person(world, "a")
    response = a.ask_to_join(member_id="somebody")
    assert response and response.error == ErrorCode.UNKNOWN_MEMBER_ID
    stable(world, a)
    response = Person(world, "b").ask_to_join(member_id="somebody")
    assert response and response.error == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_static_member_that_is_back_in_time_keeps_its_part_and_nobody_rebalances() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b", instance_id="shelf-1")
    stable(world, a, b)
    old_id = b.member_id
    again = Person(world, "b", instance_id="shelf-1")
    response = again.ask_to_join()
    assert response and response.error == ErrorCode.NONE and response.generation == 1
    assert response.member_id != old_id and response.member_id.startswith("shelf-1-")
    again.joined()
    synced = again.sync()
    assert synced and synced.assignment == part(1)
    assert a.heartbeat() == ErrorCode.NONE
    assert b.heartbeat() == ErrorCode.FENCED_INSTANCE_ID, "who uses the old id is fenced"


def test_a_static_member_that_is_back_while_others_join_sends_away_who_waits_under_the_old_id() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b", instance_id="shelf-1")
    stable(world, a, b)
    assert b.join(protocols=(("range", subscription("users")),)) is None, "it waits for the other"
    again = Person(world, "b", instance_id="shelf-1")
    assert again.ask_to_join() is None
    refused = b.joined()
    assert refused is not None and refused.error == ErrorCode.FENCED_INSTANCE_ID


def test_of_two_that_come_under_one_instance_id_before_it_is_written_only_the_last_is_in() -> None:
    """Found by the swarm, seed 60215 with 30 s of faults: both were told the id of the last, and both read."""
    world = world_of()
    a = Person(world, "a", instance_id="shelf-1")
    stable(world, a)
    world.commits = False
    first, last = Person(world, "b", instance_id="shelf-1"), Person(world, "c", instance_id="shelf-1")
    assert (first.ask_to_join(), last.ask_to_join()) == (None, None)
    world.commit_all()
    answers = [person.joined() for person in (first, last)]
    assert [answer and answer.error for answer in answers] == [ErrorCode.FENCED_INSTANCE_ID, ErrorCode.NONE]
    assert [answer.member_id for answer in answers if answer][1] in world.group().members


def test_a_static_leader_that_is_back_keeps_the_assignment() -> None:
    world = world_of()
    a, b = Person(world, "a", instance_id="shelf-1"), Person(world, "b")
    stable(world, a, b)
    response = Person(world, "a", instance_id="shelf-1").ask_to_join()
    assert response and response.skip_assignment and response.leader == response.member_id
    assert len(response.members) == 2


def test_an_old_client_that_is_back_is_not_told_that_it_leads() -> None:
    world = world_of()
    a, b = Person(world, "a", instance_id="shelf-1"), Person(world, "b")
    stable(world, a, b)
    old_id = a.member_id
    response = Person(world, "a", instance_id="shelf-1").ask_to_join(can_skip_assignment=False)
    assert response and response.leader == old_id and response.members == () and not response.skip_assignment


def test_a_static_member_that_stays_away_is_kept_for_its_session_only() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b", instance_id="shelf-1")
    stable(world, a, b)
    for _ in range(2):
        world.pass_ms(5_000)
        a.heartbeat()
    world.pass_ms(1_000)
    assert world.group().state is GroupState.PREPARING
    assert [event.why for event in world.told(GroupMemberLeft)] == ["session_expired"]


def test_a_group_without_a_name_is_refused() -> None:
    world = world_of()
    response = Person(world, "a", group="").ask_to_join()
    assert response and response.error == ErrorCode.INVALID_GROUP_ID


def test_a_text_that_no_record_can_hold_is_refused() -> None:
    world = world_of()
    for person, changes in (
        (Person(world, "a", instance_id="i" * 40_000), {}),
        (Person(world, "a"), {"protocols": (("p" * 40_000, b""),)}),
        (Person(world, "a"), {"protocol_type": "t" * 40_000}),
    ):
        response = person.ask_to_join(**changes)
        assert response and response.error == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(("asked_ms", "known_ms"), [(-1, 10_000), (0, 10_000), (1, 1), (60_000, 60_000)])
def test_a_request_without_a_rebalance_timeout_has_that_of_its_session(asked_ms: int, known_ms: int) -> None:
    world = world_of()
    Person(world, "a").ask_to_join(needs_member_id=False, rebalance_timeout_ms=asked_ms)
    assert [event.rebalance_timeout_ms for event in world.told(GroupMemberJoined)] == [known_ms]
