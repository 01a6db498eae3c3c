"""Rules of brokers that obey and of controllers that look, a sentence each."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.model.errors import ErrorCode
from cluster.model.partition_state import PartitionState
from cluster.zookeeper.rules.pushes import compare_brokers, obey_controller, shrink_without, take_leader_epoch

STATE = PartitionState(
    topic_id=7, replicas=(1, 2, 3), isr=(1, 2), leader=1, leader_epoch=4, partition_epoch=9, min_insync_replicas=1
)


def test_a_broker_obeys_the_highest_controller_epoch_that_it_has_heard() -> None:
    assert obey_controller(2, 2, 5, 5).value == ErrorCode.NONE
    assert obey_controller(2, 3, 5, 5).value == ErrorCode.NONE
    refused = obey_controller(2, 1, 5, 6)
    assert (refused.value, refused.granted) == (ErrorCode.STALE_CONTROLLER_EPOCH, False)
    told = {"controller_epoch": 1, "known_controller_epoch": 2, "broker_epoch": 6, "own_broker_epoch": 5}
    assert refused.numbers == told


def test_what_is_meant_for_an_earlier_life_is_refused_where_it_says_so() -> None:
    assert obey_controller(2, 2, 5, 4).value == ErrorCode.STALE_BROKER_EPOCH
    assert obey_controller(2, 2, 5, -1).value == ErrorCode.NONE
    assert obey_controller(2, 2, 5, 0).value == ErrorCode.STALE_BROKER_EPOCH
    assert obey_controller(2, 2, 5, 6).value == ErrorCode.NONE, "it may have heard of a life that begins just now"


def test_a_leader_changes_only_with_a_higher_leader_epoch() -> None:
    newer, other = replace(STATE, leader_epoch=5), replace(STATE, topic_id=8, leader_epoch=0)
    assert take_leader_epoch(None, replace(STATE, leader_epoch=0)).granted
    taken, older = take_leader_epoch(STATE, newer), take_leader_epoch(newer, STATE)
    assert (taken.value, taken.granted, taken.reason) == (True, True, "a newer leader epoch")
    assert (older.value, older.granted, older.reason) == (False, False, "nothing newer than what is known")
    assert older.numbers == {"leader_epoch": 4, "known_leader_epoch": 5}
    assert take_leader_epoch(None, STATE).numbers == {"leader_epoch": 4, "known_leader_epoch": -1}
    assert not take_leader_epoch(STATE, STATE).granted
    assert take_leader_epoch(STATE, other).granted, "another topic of that name begins anew"


def test_a_bounce_is_seen_by_its_transaction_alone() -> None:
    assert compare_brokers({1: 10, 2: 11}, {1: 10, 2: 12}, by_epoch=True).value.bounced == (2,)
    same = compare_brokers({1: 10, 2: 11}, {1: 10, 2: 12}, by_epoch=False)
    assert (same.granted, same.reason) == (False, "the same list as before")
    ruling = compare_brokers({1: 10, 2: 11}, {2: 11, 3: 12}, by_epoch=True)
    changes = ruling.value
    assert (changes.new, changes.dead, changes.bounced) == ((3,), (1,), ())
    assert (ruling.granted, ruling.reason) == (True, "the list of brokers differs")
    assert ruling.numbers == {
        "known": [1, 2], "known epochs": [10, 11], "alive": [2, 3], "alive epochs": [11, 12], "bounced": [],
    }  # fmt: skip


def test_who_is_gone_leaves_the_isr_but_for_its_last_member() -> None:
    ruling = shrink_without(STATE, frozenset({2}))
    assert ruling.value == replace(STATE, isr=(1,), leader_epoch=5, partition_epoch=10)
    assert (ruling.granted, ruling.reason) == (True, "gone ones leave the ISR")
    assert ruling.numbers == {"isr": [1, 2], "gone": [2], "leader": 1, "known_leader_epoch": STATE.leader_epoch}
    ruling = shrink_without(STATE, frozenset({1, 2}))
    assert ruling.value == replace(STATE, isr=(1,), leader=-1, leader_epoch=5, partition_epoch=10)
    assert (ruling.granted, ruling.reason) == (True, "the last member of the ISR stays")
