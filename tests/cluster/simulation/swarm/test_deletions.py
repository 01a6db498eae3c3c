"""The swarm deletes records as often as planned, also where there is nothing to delete any more."""

from __future__ import annotations

from random import Random

from cluster.faults.grammar import parse_command
from cluster.language.topics import DeleteRecords
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.simulation.swarm.deletions import HIGH_WATERMARK, TOO_FAR, SwarmDeletions
from cluster.simulation.swarm.plan import DELETE_EVERY_S, DELETION_SHARE, draw_plan

ORDERS = TopicPartition("orders", 0)


def asked(every_s: float, seconds: float, partitions: list[TopicPartition]) -> list[DeleteRecords]:
    """What is asked for by somebody who looks ten times a second."""
    found: list[DeleteRecords] = []
    deletions = SwarmDeletions(Random(1), found.append, every_s)
    for tenth in range(1, int(seconds * 10)):
        deletions.look(tenth / 10, partitions, ClusterState())
    return found


def test_records_are_deleted_about_as_often_as_planned() -> None:
    found = asked(2.0, 400, [ORDERS])
    assert 140 < len(found) < 260
    assert {command.before_offset for command in found} == {HIGH_WATERMARK, *range(TOO_FAR + 1)}
    assert all(parse_command(str(command)) == command and not command.wait for command in found)


def test_nothing_is_deleted_where_nothing_is_planned_or_no_topic_is_there() -> None:
    assert asked(0.0, 100, [ORDERS]) == []
    assert asked(1.0, 100, []) == []


def test_some_plans_have_deletions_and_say_so() -> None:
    plans = [draw_plan(seed, 5.0) for seed in range(400)]
    deleting = [plan for plan in plans if plan.delete_every_s]
    assert abs(len(deleting) / len(plans) - DELETION_SHARE) < 0.07
    assert {plan.delete_every_s for plan in deleting} == set(DELETE_EVERY_S)
    assert all(("delete-every=" in str(plan)) == bool(plan.delete_every_s) for plan in plans)
