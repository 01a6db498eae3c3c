"""The election rule."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.controller.rules.leader_election import Candidates, Choice, Election, elect_leader
from cluster.model.partition_state import PartitionState

STATE = PartitionState(
    topic_id=1, replicas=(1, 2, 3), isr=(1, 2, 3), leader=2, leader_epoch=4, partition_epoch=9, min_insync_replicas=2
)


def chosen(
    eligible: set[int],
    isr: tuple[int, ...],
    election: Election = Election.ONLINE,
    *,
    elr: tuple[int, ...] = (),
    elr_enabled: bool = True,
    **changes: int,
) -> Choice:
    candidates = Candidates(
        state=replace(STATE, **changes),
        target_isr=isr,
        target_elr=elr,
        eligible=frozenset(eligible),
        elr_enabled=elr_enabled,
    )
    return elect_leader(candidates, election).value


def test_a_valid_leader_stays() -> None:
    assert chosen({1, 2, 3}, (1, 2, 3)) == Choice(leader=2)


def test_else_the_first_valid_replica_in_assignment_order() -> None:
    assert chosen({1, 3}, (3, 1)) == Choice(leader=1)
    assert chosen({1, 3}, (2, 3)) == Choice(leader=3)


def test_an_eligible_leader_outside_the_isr_is_not_valid() -> None:
    assert chosen({1, 2, 3}, (1, 3)) == Choice(leader=1)


def test_the_elr_counts_only_when_the_isr_is_empty() -> None:
    assert chosen({3}, (), elr=(3,)) == Choice(leader=3, from_elr=True)
    assert chosen({3}, (1,), elr=(3,)) == Choice(leader=-1)


def test_the_last_known_leader_leads_when_isr_and_elr_are_empty() -> None:
    leaderless: dict[str, Any] = {"leader": -1, "last_known_leader": 3}
    assert chosen({1, 3}, (), **leaderless) == Choice(leader=3, unclean=True)
    assert chosen({1}, (), **leaderless) == Choice(leader=-1)
    assert chosen({1, 3}, (), elr=(2,), **leaderless) == Choice(leader=-1)
    assert chosen({1, 3}, (), elr_enabled=False, **leaderless) == Choice(leader=-1)


def test_an_unclean_election_takes_the_first_eligible_replica_but_a_valid_one_first() -> None:
    assert chosen({1, 3}, (2,), Election.UNCLEAN) == Choice(leader=1, unclean=True)
    assert chosen({1, 3}, (3,), Election.UNCLEAN) == Choice(leader=3)
    assert chosen(set(), (2,), Election.UNCLEAN) == Choice(leader=-1)


def test_a_preferred_election_takes_the_first_replica_when_it_is_valid() -> None:
    assert chosen({1, 2, 3}, (1, 2, 3), Election.PREFERRED) == Choice(leader=1)
    assert chosen({2, 3}, (1, 2, 3), Election.PREFERRED) == Choice(leader=2)
    assert chosen({3}, (2, 3), Election.PREFERRED) == Choice(leader=3)
    assert chosen({3}, (2,), Election.PREFERRED) == Choice(leader=-1)


def test_the_decision_carries_what_was_compared() -> None:
    candidates = Candidates(
        state=STATE, target_isr=(1, 3), target_elr=(), eligible=frozenset({1, 3, 7}), elr_enabled=True
    )
    decision = elect_leader(candidates, Election.ONLINE)
    assert decision.numbers["eligible"] == [1, 3]
    assert (decision.numbers["leader_before"], decision.numbers["leader"]) == (2, 1)
