"""Partitions that a majority of their replicas commits, with a real controller and brokers in memory."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import EpochAdopted, LogEndReported
from cluster.replication import majority
from tests.support.worlds.replica_world import ORDERS, ReplicaWorld


def by_majority(*, flush_partitions: bool = False) -> ReplicaWorld:
    return ReplicaWorld(min_isr=3, commit_rule="majority", flush_partitions=flush_partitions)


def test_two_of_three_commit_whoever_they_are_and_min_isr_is_not_asked_for() -> None:
    world = by_majority()
    world.kill(3)
    assert world.produce(1, "a").error == ErrorCode.NONE
    assert world.state().isr == (1, 2, 3)


def test_one_of_three_writes_and_commits_nothing() -> None:
    world = by_majority()
    world.kill(2)
    world.kill(3)
    assert world.produce(1, "a").error == ErrorCode.REQUEST_TIMED_OUT
    assert (world.end(1), world.high_watermark(1)) == (1, 0)


def test_what_a_dead_leader_committed_is_committed_by_the_next_without_a_record_of_its_own() -> None:
    world = by_majority()
    assert world.produce(1, "a", "b").error == ErrorCode.NONE
    world.kill(1)
    world.until(lambda: world.state().leader in (2, 3))
    leader = world.state().leader
    world.until(lambda: world.high_watermark(leader) == 2)
    assert world.end(leader) == 2
    assert world.state().leader_epoch == 2


def test_each_replica_adopts_the_epoch_of_its_leader_before_it_counts() -> None:
    world = by_majority()
    assert world.produce(1, "a").error == ErrorCode.NONE
    adopted = [node for node, event in world.events if isinstance(event, EpochAdopted)]
    assert adopted[0] == 1
    assert len(set(adopted)) >= 2
    assert all(world.log(node).adopted_epoch == 0 for node in adopted)


def test_replicas_without_a_leader_tell_a_new_active_controller_again() -> None:
    world = by_majority()
    assert world.produce(1, "a").error == ErrorCode.NONE
    world.kill(2)
    world.kill(1)
    world.until(lambda: world.state().leader == -1)
    reports = [node for node, event in world.events if isinstance(event, LogEndReported)]
    assert 3 in reports
    world.kill(world.active())
    world.until(lambda: world.active() != -1)
    world.start(2)
    world.until(lambda: world.state().leader in (2, 3))
    assert world.produce(world.state().leader, "b").error == ErrorCode.NONE


def test_flushed_copies_count_only_once_they_are_on_disk() -> None:
    world = by_majority(flush_partitions=True)
    assert world.produce(1, "a").error == ErrorCode.NONE
    assert sum(world.log(node).flushed_offset == 1 for node in (1, 2, 3)) >= 2


def test_only_who_has_no_leader_reports() -> None:
    world = by_majority()
    states = [world.replicas[node].replica(ORDERS) for node in (1, 2, 3)]
    assert [majority.report(state) for state in states] == [[], [], []]
