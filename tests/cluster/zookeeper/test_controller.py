"""What a new controller of ZooKeeper's era decides of what it has read."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.model.effects import Effect
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.partition_state import PartitionState
from cluster.zookeeper.controller import after_failover
from tests.support.worlds.znodes import Znodes, in_office

ORDERS = TopicPartition("orders", 0)
LED = PartitionState(
    topic_id=1, replicas=(1, 2, 3), isr=(1, 2), leader=1, leader_epoch=4, partition_epoch=9, min_insync_replicas=1
)


def decided(state: PartitionState, *dead: int) -> tuple[int, tuple[int, ...]] | None:
    """(leader, ISR) that it wants; None where nothing is to change."""
    context = in_office(Znodes(), list[Effect]()).context
    context.add_topic("orders", 1, {})
    context.image.partitions[ORDERS] = state
    context.set_live({node: epoch for node, epoch in context.live().items() if node not in dead})
    wanted = after_failover(context, ORDERS, frozenset(dead))
    return None if wanted is None else (wanted.state.leader, wanted.state.isr)


def test_what_is_led_by_who_is_alive_stays() -> None:
    assert decided(LED) is None


def test_who_died_while_nobody_controlled_leads_no_more() -> None:
    assert decided(LED, 1) == (2, (2,))
    assert decided(LED, 2) == (1, (1,))


def test_a_partition_without_a_leader_gets_one_of_its_isr_that_is_back() -> None:
    leaderless = replace(LED, leader=NO_NODE, isr=(2,))
    assert decided(leaderless) == (2, (2,))
    assert decided(leaderless, 2) is None
