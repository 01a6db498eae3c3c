"""What a controller of ZooKeeper's era remembers, and what it decides when brokers come and go."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.controller.rules.leader_election import Election
from cluster.model.effects import Effect
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.partition_state import PartitionState
from cluster.zookeeper.context import ControllerContext
from tests.support.worlds.znodes import Znodes, in_office

ORDERS = TopicPartition("orders", 0)
LED = PartitionState(
    topic_id=1, replicas=(1, 2, 3), isr=(1, 2), leader=1, leader_epoch=4, partition_epoch=9, min_insync_replicas=1
)


def context(state: PartitionState = LED, *dead: int, **own: str) -> ControllerContext:
    found = in_office(Znodes(), list[Effect]()).context
    found.add_topic("orders", 1, own)
    found.image.partitions[ORDERS] = state
    found.set_live({node: epoch for node, epoch in found.live().items() if node not in dead})
    return found


def test_who_is_shutting_down_is_so_until_its_znode_is_another_one() -> None:
    found = context()
    epochs = found.live()
    leaving = replace(found.image.brokers[2], fenced=True)
    found.image.brokers[2] = leaving
    found.set_live(epochs)
    assert found.image.brokers[2] is leaving
    found.set_live(epochs | {2: epochs[2] + 9})
    assert (found.image.brokers[2].fenced, found.live()[2]) == (False, epochs[2] + 9)


def test_a_topic_has_settings_of_its_own_where_its_znode_says_so() -> None:
    found = context()
    found.add_topic("users", 5, {"min.insync.replicas": "2", "unclean.leader.election.enable": "true"})
    topic = found.image.topics["users"]
    assert (topic.topic_id, topic.min_insync_replicas, topic.unclean_leader_election) == (5, 2, True)
    plain = found.image.topics["orders"]
    assert (plain.min_insync_replicas, plain.unclean_leader_election) == (1, None)


def test_a_topic_that_is_no_more_takes_its_partitions_along_and_no_others() -> None:
    found = context()
    found.add_topic("users", 5, {})
    users = TopicPartition("users", 0)
    found.image.partitions[users] = LED
    found.remove_topic("orders")
    assert (list(found.image.topics), list(found.image.partitions)) == (["users"], [users])


def test_a_partition_of_which_nothing_is_read_yet_is_led_by_nobody() -> None:
    found = context(LED, **{"min.insync.replicas": "2"})
    assert found.blank(ORDERS, (1, 2, 3)) == PartitionState(
        topic_id=1, replicas=(1, 2, 3), isr=(), leader=NO_NODE, leader_epoch=-1, partition_epoch=-1,
        min_insync_replicas=2,
    )  # fmt: skip
    assert found.blank(ORDERS, (1,)).min_insync_replicas == 1, "as many as there are"


def test_the_next_of_the_isr_leads_with_the_next_epoch() -> None:
    wanted = context(LED, 1).without(ORDERS, frozenset((1,)), "1 is gone")
    assert wanted is not None
    assert (wanted.state.leader, wanted.state.leader_epoch, wanted.state.isr, wanted.unclean) == (2, 5, (2,), False)
    assert wanted.why == "1 is gone"


def test_a_follower_that_died_leaves_the_isr_which_counts_the_epoch_up_too() -> None:
    wanted = context(LED, 2).without(ORDERS, frozenset((2,)), "2 is gone")
    assert wanted is not None
    assert (wanted.state.leader, wanted.state.leader_epoch, wanted.state.isr) == (1, 5, (1,))


def test_who_was_in_no_isr_changes_nothing() -> None:
    assert context(LED, 3).without(ORDERS, frozenset((3,)), "3 is gone") is None


def test_the_last_of_an_isr_stays_in_it_without_leading() -> None:
    alone = replace(LED, isr=(1,))
    wanted = context(alone, 1).without(ORDERS, frozenset((1,)), "1 is gone")
    assert wanted is not None
    assert (wanted.state.leader, wanted.state.isr) == (NO_NODE, (1,))


def test_nobody_is_elected_where_nobody_may_lead_or_the_leader_may_go_on() -> None:
    assert context().elect(ORDERS, "a look") is None
    leaderless = replace(LED, leader=NO_NODE, isr=(1,))
    assert context(leaderless, 1).elect(ORDERS, "a look") is None


def test_an_unclean_election_takes_who_is_alive_and_says_so() -> None:
    leaderless = replace(LED, leader=NO_NODE, isr=(1,))
    wanted = context(leaderless, 1).elect(ORDERS, "asked for", Election.UNCLEAN)
    assert wanted is not None
    assert (wanted.state.leader, wanted.state.isr, wanted.unclean) == (2, (2,), True)
    assert not wanted.state.recovering, "that era knows no recovery"
