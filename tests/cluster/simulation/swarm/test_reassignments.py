"""The swarm moves replicas as often as planned, to any brokers, and cancels some of it."""

from __future__ import annotations

from random import Random

from cluster.faults.grammar import parse_command
from cluster.language.topics import Reassign
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.picture.parts import PartitionState
from cluster.simulation.swarm.plan import REASSIGN_EVERY_S, REASSIGNMENT_SHARE, draw_plan
from cluster.simulation.swarm.reassignments import REPLICAS_MAX, SwarmReassignments

ORDERS = TopicPartition("orders", 0)
BROKERS = (1, 2, 3, 4, 5)


def asked(every_s: float, seconds: float, partitions: list[TopicPartition], *, moving: bool = False) -> list[Reassign]:
    """What is asked for by somebody who looks ten times a second."""
    found: list[Reassign] = []
    state = ClusterState()
    facts = state.partitions[ORDERS] = PartitionState(ORDERS, partition_epoch=0)
    facts.replicas, facts.adding_replicas, facts.removing_replicas = (4, 1, 2), (4,) * moving, (1,) * moving
    reassignments = SwarmReassignments(Random(1), found.append, BROKERS, every_s)
    for tenth in range(1, int(seconds * 10)):
        reassignments.look(tenth / 10, partitions, state)
    return found


def test_replicas_move_about_as_often_as_planned_and_nothing_is_cancelled_that_does_not_move() -> None:
    found = asked(2.0, 400, [ORDERS])
    assert 140 < len(found) < 260
    assert {len(command.target) for command in found} == set(range(1, REPLICAS_MAX + 1))
    assert {node for command in found for node in command.target} == set(BROKERS)
    assert all(parse_command(str(command)) == command and not command.wait for command in found)


def test_some_of_what_moves_is_cancelled() -> None:
    found = asked(2.0, 400, [ORDERS], moving=True)
    cancelled = [command for command in found if not command.target]
    assert 30 < len(cancelled) < 90


def test_nothing_moves_where_nothing_is_planned_or_no_topic_is_there() -> None:
    assert asked(0.0, 100, [ORDERS]) == []
    assert asked(1.0, 100, []) == []


def test_some_plans_move_replicas_and_say_so() -> None:
    plans = [draw_plan(seed, 5.0) for seed in range(400)]
    moving = [plan for plan in plans if plan.reassign_every_s]
    assert abs(len(moving) / len(plans) - REASSIGNMENT_SHARE) < 0.07
    assert {plan.reassign_every_s for plan in moving} == set(REASSIGN_EVERY_S)
    assert all(("reassign-every=" in str(plan)) == bool(plan.reassign_every_s) for plan in plans)
