"""What a script can ask of consumer groups."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.terms import GrammarError, Value, parse_term

PARTS = tuple(("orders", number) for number in range(4))


def folded(*told: tuple[int, Any]) -> ClusterState:
    state = ClusterState()
    for seq, (node, event) in enumerate(told):
        state.apply(Entry("run", node, 0, seq, seq, 0, 0, None, "", None, event))
    return state


def joined(member: str) -> ev.GroupMemberJoined:
    return ev.GroupMemberJoined(group="g1", member_id=f"{member}-77", instance_id="", client_id=member,
                                client_host="", generation=0, session_timeout_ms=1, rebalance_timeout_ms=1)  # fmt: skip


def assigned(generation: int, **owned: tuple[int, ...]) -> ev.GroupAssigned:
    parts = tuple((f"{member}-77", "orders", number) for member, numbers in owned.items() for number in numbers)
    return ev.GroupAssigned(group="g1", generation=generation, protocol="range", offset=0, assignments=parts)


def asked(state: ClusterState, text: str) -> Value:
    return parse_term(text.split(), frozenset()).value(state, {})


def test_a_group_is_asked_for_generation_members_coordinator_and_parts() -> None:
    state = folded(
        (2, joined("ann")),
        (2, joined("ben")),
        (2, ev.GroupStateChanged(group="g1", before="Empty", state="Stable", generation=1, members=("a", "b"), why="")),
        (2, assigned(1, ann=(0, 1, 2), ben=(3,))),
    )
    assert asked(state, "generation of g1") == 1
    assert asked(state, "members of g1") == 2
    assert asked(state, "coordinator of g1") == 2
    assert [asked(state, f"parts of {member} in g1") for member in ("ann", "ben", "x")] == [3, 1, 0]
    assert asked(state, "generation of g2") is None, "nobody has heard of it"


def test_a_partition_has_moved_when_it_had_another_owner_in_the_assignment_before() -> None:
    state = folded((2, joined("ann")), (2, joined("ben")), (2, assigned(1, ann=(0, 1, 2))))
    assert asked(state, "moved in g1") == 0, "the first owner is nobody's successor"
    state = folded((2, joined("ann")), (2, joined("ben")), (2, assigned(1, ann=(0, 1, 2))),
                   (2, assigned(2, ann=(0,), ben=(1, 2, 3))))  # fmt: skip
    assert asked(state, "moved in g1") == 2


def test_what_a_member_gave_up_and_what_is_committed_are_counted() -> None:
    state = folded(
        (1001, ev.ConsumerRevoked(client_id="ann", group="g1", member_id="ann-77", generation=1, revoked=PARTS,
                                  is_lost=False)),
        (1001, ev.ConsumerRevoked(client_id="ann", group="g1", member_id="ann-77", generation=2, revoked=PARTS[:1],
                                  is_lost=True)),
        (2, ev.OffsetsCommitted(group="g1", member_id="ann-77", generation=1, offset=4, offsets=(("orders", 0, 5),))),
    )  # fmt: skip
    assert asked(state, "given_up by ann in g1") == 5
    assert asked(state, "committed orders-0 in g1") == 5
    assert asked(state, "committed orders-1 in g1") is None


def test_another_coordinator_brings_what_it_has_read() -> None:
    loaded = ev.CoordinatorLoaded(partition=7, leader_epoch=1, end_offset=9, groups=(("g1", 4),),
                                  offsets=(("g1", "orders", 2, 11),))  # fmt: skip
    forgotten = ev.OffsetsForgotten(group="g1", why="expired", partitions=(("orders", 2),))
    state = folded((2, joined("ann")), (3, loaded))
    assert (asked(state, "coordinator of g1"), asked(state, "generation of g1")) == (3, 4)
    assert asked(state, "committed orders-2 in g1") == 11
    assert asked(folded((3, loaded), (3, forgotten)), "committed orders-2 in g1") is None


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("generation of", "generation of GROUP"),
        ("parts of ann g1", "parts of MEMBER in GROUP"),
        ("parts of ann of g1", "parts of MEMBER in GROUP"),
        ("committed orders in g1", "orders"),
        ("moved in g1 g2", "moved in GROUP"),
    ],
)
def test_a_form_that_is_not_kept_is_told(text: str, form: str) -> None:
    with pytest.raises(GrammarError, match=form):
        parse_term(text.split(), frozenset())
