from __future__ import annotations

import pytest

from cluster.model.identifiers import METADATA
from tests.support.traces.watched import ORDERS, Watched
from workbench.session.recording import Recording
from workbench.session.steps.leaderless import leaderless


class Seen(Watched):
    """A cluster beside a recording that hears each event once."""

    def __init__(self) -> None:
        self.recorded = Recording()
        super().__init__(seed=5, controllers=3, brokers=3)


def seen(world: Seen) -> frozenset[object]:
    world.recorded.extend(world.entries[len(world.recorded.entries) :])
    return frozenset(leaderless(world.recorded.live))


def ready() -> Seen:
    world = Seen()
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.do("topic orders replicas=3 min-isr=2")
    world.until(lambda: world.leader() == 1)
    return world


def test_before_the_first_election_nothing_is_missing() -> None:
    assert not seen(Seen())


def test_a_healthy_cluster_misses_no_leader() -> None:
    assert not seen(ready())


@pytest.mark.parametrize("command", ["kill", "pause", "isolate"])
def test_a_dead_a_stopped_and_a_cut_off_leader_are_missing_until_another_leads(command: str) -> None:
    world = ready()
    world.do(f"{command} controller")
    assert METADATA in seen(world)
    world.until(lambda: METADATA not in seen(world))
    world = ready()
    world.do(f"{command} leader(orders-0)")
    assert seen(world) == {ORDERS}
    world.until(lambda: not seen(world))


def test_a_leader_that_is_cut_off_from_one_voter_of_three_leads_on() -> None:
    world = ready()
    leader = world.cluster().quorum_leader
    other = next(voter for voter in (101, 102, 103) if voter != leader)
    world.do(f"cut {leader}-{other}")
    assert METADATA not in seen(world)
