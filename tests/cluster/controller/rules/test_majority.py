"""Whose log leads where a majority commits."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.controller.rules.majority import LogEndReport, elect_by_majority, leads_on
from cluster.model.partition_state import PartitionState


def leaderless(replicas: tuple[int, ...]) -> PartitionState:
    return PartitionState(
        topic_id=1, replicas=replicas, isr=replicas, leader=-1, leader_epoch=3, partition_epoch=3, min_insync_replicas=1
    )


@pytest.mark.parametrize(
    ("replicas", "told", "leader"),
    [
        ((1, 2, 3), {}, -1),
        ((1, 2, 3), {1: (2, 9)}, -1),
        ((1, 2, 3), {1: (2, 4), 3: (2, 5)}, 3),
        ((1, 2, 3), {1: (0, 9), 3: (2, 5)}, 3),
        ((3, 2, 1), {1: (2, 5), 3: (2, 5)}, 3),
        ((1, 2, 3), {1: (-1, 0), 2: (-1, 0)}, 1),
        ((1, 2, 3, 4), {1: (2, 5), 2: (2, 5)}, -1),
        ((1, 2, 3, 4, 5), {2: (2, 5), 4: (2, 7), 5: (1, 8)}, 4),
    ],
)
def test_a_majority_tells_and_the_newest_epoch_leads_then_the_longest_log(
    replicas: tuple[int, ...], told: dict[int, tuple[int, int]], leader: int
) -> None:
    reports = {node: LogEndReport(*ends, broker_epoch=7) for node, ends in told.items()}
    ruling = elect_by_majority(leaderless(replicas), reports)
    assert (ruling.value, ruling.granted) == (leader, leader != -1)
    asked = {"replicas": len(replicas), "have_told": len(told), "needed": len(replicas) // 2 + 1}
    ends = {f"log_end_offset of {node}": end for node, (_, end) in told.items()}
    epochs = {f"adopted_epoch of {node}": epoch for node, (epoch, _) in told.items()}
    assert ruling.numbers == {**asked, **ends, **epochs}


def test_an_unclean_election_takes_the_best_of_whoever_has_told() -> None:
    reports = {2: LogEndReport(0, 4, 7)}
    assert elect_by_majority(leaderless((1, 2, 3)), reports, needs_majority=False).value == 2
    assert elect_by_majority(leaderless((1, 2, 3)), {}, needs_majority=False).value == -1


@pytest.mark.parametrize(
    ("in_service", "leaving", "leader", "leads"),
    [
        ({1, 2, 3}, 3, 1, True),
        ({1, 2}, 2, 1, False),
        ({1, 2, 3}, 1, 1, False),
        ({1, 2, 9}, 2, 1, False),
        ({1, 2}, 3, 1, True),
        ({1}, 3, 1, True),
    ],
)
def test_a_leader_leads_on_while_it_and_a_majority_are_in_service(
    in_service: set[int], leaving: int, leader: int, leads: bool
) -> None:
    ruling = leads_on(replace(leaderless((1, 2, 3)), leader=leader), in_service, leaving)
    assert ruling.value is ruling.granted is leads
    assert ruling.numbers["in_service"] == len((in_service - {leaving}) & {1, 2, 3})
    assert (ruling.numbers["replicas"], ruling.numbers["needed"]) == (3, 2)
