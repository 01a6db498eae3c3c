from __future__ import annotations

import pytest

from benchmarks.living import TOPIC, leader_of_all
from cluster.model import events as ev


def decided(leader: int, *isr: int) -> ev.PartitionDecided:
    return ev.PartitionDecided(
        topic=TOPIC.topic, partition=0, leader=leader, leader_epoch=0, partition_epoch=0, isr=isr, elr=(),
        replicas=(1, 2, 3), min_insync_replicas=2, why="", unclean=False,
    )  # fmt: skip


def started(node: int) -> ev.ProcessStarted:
    return ev.ProcessStarted(node_id=node, roles=("broker",), incarnation_number=1, pid=1)


def unfenced(node: int) -> ev.BrokerUnfenced:
    return ev.BrokerUnfenced(broker_id=node, broker_epoch=1)


BEGUN: list[ev.Event] = [*map(started, (1, 2, 3)), *map(unfenced, (1, 2, 3)), decided(1, 1, 2, 3)]


@pytest.mark.parametrize(
    ("more", "leader"),
    [
        ([], 1),
        ([started(2)], -1),
        ([started(2), decided(1, 1, 3), unfenced(2)], -1),
        ([started(2), decided(1, 1, 3), unfenced(2), decided(1, 1, 2, 3)], 1),
        ([ev.BrokerFenced(broker_id=1, broker_epoch=1, why="session expired"), decided(2, 2, 3)], -1),
    ],
)
def test_the_leader_is_known_once_all_brokers_serve_in_their_newest_life(more: list[ev.Event], leader: int) -> None:
    assert leader_of_all([*BEGUN, *more], 3) == leader
