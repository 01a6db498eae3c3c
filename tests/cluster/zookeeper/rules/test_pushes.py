"""Rules of brokers that obey and of controllers that look, a sentence each."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.partition_state import PartitionState
from cluster.zookeeper.rules.pushes import compare_brokers, obey_controller, shrink_without, take_leader_epoch

STATE = PartitionState(
    topic_id=7, replicas=(1, 2, 3), isr=(1, 2), leader=1, leader_epoch=4, partition_epoch=9, min_insync_replicas=1
)


def test_a_broker_obeys_the_highest_controller_epoch_that_it_has_heard() -> None:
    assert obey_controller(2, 2, 5, 5).value == ErrorCode.NONE
    assert obey_controller(2, 3, 5, 5).value == ErrorCode.NONE
    assert obey_controller(2, 1, 5, 5).value == ErrorCode.STALE_CONTROLLER_EPOCH


def test_what_is_meant_for_an_earlier_life_is_refused_where_it_says_so() -> None:
    assert obey_controller(2, 2, 5, 4).value == ErrorCode.STALE_BROKER_EPOCH
    assert obey_controller(2, 2, 5, -1).value == ErrorCode.NONE


def test_a_leader_changes_only_with_a_higher_leader_epoch() -> None:
    newer = PartitionState(**{name: getattr(STATE, name) for name in STATE.__struct_fields__} | {"leader_epoch": 5})
    assert take_leader_epoch(None, STATE).granted
    assert take_leader_epoch(STATE, newer).granted
    assert not take_leader_epoch(STATE, STATE).granted
    assert not take_leader_epoch(newer, STATE).granted


def test_a_bounce_is_seen_by_its_transaction_alone() -> None:
    assert compare_brokers({1: 10, 2: 11}, {1: 10, 2: 12}, by_epoch=True).value.bounced == (2,)
    assert not compare_brokers({1: 10, 2: 11}, {1: 10, 2: 12}, by_epoch=False).granted
    changes = compare_brokers({1: 10, 2: 11}, {2: 11, 3: 12}, by_epoch=True).value
    assert (changes.new, changes.dead, changes.bounced) == ((3,), (1,), ())


def test_who_is_gone_leaves_the_isr_but_for_its_last_member() -> None:
    left = shrink_without(STATE, frozenset({2})).value
    assert (left.isr, left.leader, left.leader_epoch) == ((1,), 1, 5)
    last = shrink_without(STATE, frozenset({1, 2})).value
    assert (last.isr, last.leader) == ((1,), -1)
