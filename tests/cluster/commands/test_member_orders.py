"""What can be done with a member of a group, and what is refused with a reason."""

from __future__ import annotations

import asyncio

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.commands.carry_out import carry_out
from cluster.simulation.world.cluster import SimulatedCluster

JOIN = "consume orders group=g1 member=a"


@pytest.fixture(scope="module")
def cluster() -> SimulatedCluster:
    made = SimulatedCluster(ClusterSpec(seed=1, controllers=1, brokers=1))
    made.begin()
    return made


def said(cluster: SimulatedCluster, text: str) -> tuple[bool, str]:
    answer = asyncio.run(carry_out(cluster.desk, text, cluster.ready))
    return answer.ok, answer.text


def test_orders_are_given_to_members_at_work_only(cluster: SimulatedCluster) -> None:
    assert said(cluster, JOIN) == (False, "no topic orders; create it: topic orders")
    assert said(cluster, "topic orders replicas=1")[0]
    assert said(cluster, "member a kill") == (False, "no member a is at work; there is nobody")
    assert said(cluster, JOIN) == (True, "a is at it")
    assert said(cluster, JOIN) == (False, "a is at work already")
    assert said(cluster, "member b kill") == (False, "no member b is at work; there is a")
    assert said(cluster, "member a resume") == (False, "a is not paused")
    assert said(cluster, "member a pause") == (True, "a: pause")
    assert said(cluster, "member a pause") == (False, "a is paused already")
    assert said(cluster, "member a commit") == (True, "a: commit, once it goes on")
    assert said(cluster, "member a resume") == (True, "a: resume")
    assert said(cluster, "member a kill") == (True, "a: kill")
    assert said(cluster, JOIN) == (True, "a is at it")
