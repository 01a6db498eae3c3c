"""From one generation to the next: how long a join phase lasts, and what becomes of who drops out."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.messages import LeaveGroupRequest
from tests.support.worlds.group_world import GroupWorld, Person, stable, world_of


def first_generation_ms(rebalance_timeout_ms: int, *comes_ms: int, delay_ms: int = 3_000) -> int:
    """How long the first of these members waits for its first generation; they come at these times."""
    world = world_of(group_initial_rebalance_delay_ms=delay_ms)
    people: list[Person] = []
    began_ms = world.now_ms
    while not people or people[0].joined() is None:
        elapsed_ms = world.now_ms - began_ms
        for number in [number for number, at in enumerate(comes_ms) if at == elapsed_ms]:
            people.append(Person(world, f"m{number}"))
            people[-1].rebalance_timeout_ms = rebalance_timeout_ms
            people[-1].join()
        world.pass_ms(1)
    return world.now_ms - began_ms


@pytest.mark.parametrize(
    ("rebalance_timeout_ms", "comes_ms", "lasts_ms"),
    [
        (60_000, (0,), 3_000),
        (60_000, (0, 2_900), 6_000),
        (3_000, (0, 2_900), 3_000),
        (3_001, (0, 2_900), 3_001),
        (7_000, (0, 2_900, 5_900, 6_900), 7_000),
    ],
)
def test_a_first_generation_waits_while_members_come_but_not_past_the_rebalance_timeout(
    rebalance_timeout_ms: int, comes_ms: tuple[int, ...], lasts_ms: int
) -> None:
    assert first_generation_ms(rebalance_timeout_ms, *comes_ms) == lasts_ms


def test_without_a_delay_a_second_member_costs_one_turn() -> None:
    assert first_generation_ms(60_000, 0, 0, delay_ms=0) == 2


def test_a_later_generation_waits_no_longer_for_more_that_come() -> None:
    world = world_of()
    a, b, c = Person(world, "a"), Person(world, "b"), Person(world, "c")
    stable(world, a)
    b.join()
    c.join()
    for _ in range(12):
        assert b.joined() is None and a.heartbeat() == ErrorCode.REBALANCE_IN_PROGRESS
        world.pass_ms(5_000)
    assert b.joined() is not None and c.joined() is not None


def three(*, static: bool = False) -> tuple[GroupWorld, Person, Person, Person]:
    """A stable group; the first leads and the others follow."""
    world = world_of()
    a = Person(world, "a", instance_id="shelf" if static else "")
    b, c = Person(world, "b"), Person(world, "c")
    for person in (a, b, c):
        person.rebalance_timeout_ms = 4_000
    stable(world, a, b, c)
    return world, a, b, c


def take_out(world: GroupWorld, person: Person) -> None:
    """It leaves while it waits for an answer to something else."""
    response = world.ask(LeaveGroupRequest(group="g", members=((person.member_id, person.instance_id),)))
    assert response.members[0][2] == ErrorCode.NONE


def test_who_leaves_while_it_waits_for_the_next_generation_is_refused() -> None:
    world, _, b, _ = three()
    Person(world, "d").join()
    assert b.join() is None
    take_out(world, b)
    refused = b.joined()
    assert refused is not None and refused.error == ErrorCode.UNKNOWN_MEMBER_ID


def test_who_leaves_while_it_waits_for_its_part_is_refused() -> None:
    world = world_of()
    a, b = Person(world, "a"), Person(world, "b")
    a.join()
    b.join()
    world.pass_ms(6_000)
    assert a.joined() is not None and b.joined() is not None
    assert b.sync() is None
    take_out(world, b)
    refused = b.synced()
    assert refused is not None and refused.error == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_static_member_that_left_comes_back_as_a_new_one() -> None:
    world, a, *_ = three(static=True)
    old_id = a.member_id
    take_out(world, a)
    a.member_id = ""
    assert a.join() is None, "it waits for the others to join again"
    assert old_id not in world.group().members
    assert world.group().static_ids == {"shelf": next(key for key in world.group().members if key.startswith("shelf"))}


def test_when_the_leader_leaves_the_next_member_leads() -> None:
    world, a, b, _ = three()
    assert world.group().leader == a.member_id
    take_out(world, a)
    assert world.group().leader == b.member_id


def test_when_another_leaves_the_leader_stays() -> None:
    """A static member that is away keeps its first place, but another leads meanwhile."""
    world, a, b, c = three(static=True)
    d = Person(world, "d")
    d.rebalance_timeout_ms = 4_000
    d.join()
    b.join()
    c.join()
    world.pass_ms(4_000)
    assert d.joined() is not None and a.member_id in world.group().members
    assert world.group().leader == b.member_id
    take_out(world, c)
    assert world.group().leader == b.member_id
