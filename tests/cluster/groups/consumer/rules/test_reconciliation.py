"""One member on its way to its target assignment: each row of KIP-848's reconciliation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.groups.consumer.rules.reconciliation import reconcile
from cluster.groups.consumer.state import NOTHING, ConsumerMember, MemberState, Part, Parts


def parts(*indexes: int) -> Parts:
    return frozenset((7, index) for index in indexes)


ALL = parts(*range(6))


def member(
    epoch: int, *assigned: int, state: MemberState = MemberState.STABLE, revoking: Parts = NOTHING
) -> ConsumerMember:
    return ConsumerMember(
        member_id="a", epoch=epoch, previous_epoch=epoch, state=state, assigned=parts(*assigned), revoking=revoking
    )


def test_a_member_that_is_there_stays_as_it_is() -> None:
    before = member(3, 0, 1)
    ruling = reconcile(before, 3, parts(0, 1), ALL, NOTHING, None)
    assert ruling.value is before and ruling.granted


def test_a_member_that_loses_something_stays_in_its_epoch_until_it_says_so() -> None:
    after = reconcile(member(3, 0, 1, 2), 4, parts(0, 1), ALL, NOTHING, None).value
    assert (after.epoch, after.state) == (3, MemberState.UNREVOKED_PARTITIONS)
    assert (after.assigned, after.revoking) == (parts(0, 1), parts(2))
    silent = reconcile(after, 4, parts(0, 1), ALL, NOTHING, None).value
    still = reconcile(after, 4, parts(0, 1), ALL, NOTHING, parts(0, 1, 2)).value
    assert silent is after and still is after
    gone = reconcile(after, 4, parts(0, 1), ALL, NOTHING, parts(0, 1)).value
    assert (gone.epoch, gone.previous_epoch, gone.state) == (4, 3, MemberState.STABLE)
    assert (gone.assigned, gone.revoking) == (parts(0, 1), NOTHING)


def test_a_member_that_never_took_what_it_loses_goes_on_at_once() -> None:
    after = reconcile(member(3, 0, 1, 2), 4, parts(0, 1), ALL, NOTHING, parts(0)).value
    assert (after.epoch, after.state) == (4, MemberState.STABLE)


@pytest.mark.parametrize(("owned", "has"), [(None, 2), (parts(0, 1), 1), (parts(0), 0)])
def test_a_step_tells_what_a_member_loses_and_what_it_says_it_has_of_it(owned: Parts | None, has: int) -> None:
    numbers = reconcile(member(3, 0, 1, 2), 4, parts(0), ALL, NOTHING, owned).numbers
    assert (numbers["loses"], numbers["says it has of these"]) == (2, has)


def test_a_member_waits_for_what_others_have_in_the_new_epoch() -> None:
    ruling = reconcile(member(3, 0), 4, parts(0, 1, 2), ALL, parts(2), None)
    assert (ruling.reason, ruling.numbers["not released yet"]) == ("others still have a part of it", 1)
    after = ruling.value
    assert (after.epoch, after.state) == (4, MemberState.UNRELEASED_PARTITIONS)
    assert after.assigned == parts(0, 1)
    waits = reconcile(after, 4, parts(0, 1, 2), ALL, parts(2), None).value
    assert waits is after
    ruling = reconcile(after, 4, parts(0, 1, 2), ALL, NOTHING, None)
    assert ruling.reason == "nothing stands in its way"
    has = ruling.value
    assert (has.state, has.assigned) == (MemberState.STABLE, parts(0, 1, 2))


def test_nothing_is_given_before_all_that_is_lost_is_given_up() -> None:
    after = reconcile(member(3, 0, 1), 4, parts(1, 2), ALL, NOTHING, None).value
    assert after.assigned == parts(1)


def test_a_newer_target_meets_a_member_that_still_gives_up() -> None:
    before = member(3, 0, state=MemberState.UNREVOKED_PARTITIONS, revoking=parts(1))
    after = reconcile(before, 5, parts(1), ALL, NOTHING, parts(0)).value
    assert (after.epoch, after.state, after.revoking) == (3, MemberState.UNREVOKED_PARTITIONS, parts(0))


def test_topics_it_wants_no_more_are_taken_while_it_still_gives_up() -> None:
    before = member(3, 0, 1, state=MemberState.UNREVOKED_PARTITIONS, revoking=parts(2))
    after = reconcile(before, 4, parts(0, 1), parts(0), NOTHING, None).value
    assert (after.assigned, after.revoking) == (parts(0), parts(1, 2))


SOME = st.frozensets(st.tuples(st.just(7), st.integers(0, 5)))


@given(assigned=SOME, target=SOME, held=SOME, owned=st.none() | SOME)
def test_nobody_gets_what_others_have(assigned: Parts, target: Parts, held: Parts, owned: Parts | None) -> None:
    held -= assigned
    before = ConsumerMember(member_id="a", epoch=3, previous_epoch=2, assigned=assigned)
    after = reconcile(before, 4, target, ALL, held, owned).value
    assert not after.assigned & held
    assert not after.assigned & after.revoking
    lost: frozenset[Part] = assigned - after.assigned - after.revoking
    assert not lost or (owned is not None and not lost & owned), "it is free only when its owner has said so"
    assert after.epoch in (3, 4) and (after.epoch == 4) == (after.state is not MemberState.UNREVOKED_PARTITIONS)
