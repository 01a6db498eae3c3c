"""The rules of reassignment, case by case."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis.strategies import lists, sampled_from, sets

from cluster.controller.rules.reassignment import (
    Assignment,
    begin_reassignment,
    complete_reassignment,
    next_leader_epoch,
    reassign_partition,
    revert_reassignment,
)
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import ReassignPartitionRequest
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Ruling
from tests.support.worlds.controller_driver import three_brokers

NODES = range(1, 7)
some = lists(sampled_from(NODES), min_size=1, max_size=4, unique=True).map(tuple)


def state_of(replicas: tuple[int, ...], isr: tuple[int, ...], **fields: Any) -> PartitionState:
    return PartitionState(
        topic_id=1,
        replicas=replicas,
        isr=isr,
        leader=isr[0] if isr else -1,
        leader_epoch=3,
        partition_epoch=5,
        min_insync_replicas=1,
        **fields,
    )


@given(some, some)
def test_the_target_comes_first_and_nobody_is_lost(before: tuple[int, ...], target: tuple[int, ...]) -> None:
    found = begin_reassignment(state_of(before, before), target).value
    assert found.replicas[: len(target)] == target
    assert set(found.replicas) == set(before) | set(target)
    assert set(found.adding) == set(target) - set(before)
    assert set(found.removing) == set(before) - set(target)


@given(some, some, sets(sampled_from(NODES)))
def test_it_is_done_exactly_when_the_whole_target_is_in_sync(
    before: tuple[int, ...], target: tuple[int, ...], in_sync: set[int]
) -> None:
    moving = begin_reassignment(state_of(before, before), target).value
    isr = tuple(node for node in moving.replicas if node in in_sync)
    ruling = complete_reassignment(moving, isr)
    assert ruling.granted == (bool(moving.adding or moving.removing) and set(target) <= in_sync)
    done, isr_then = ruling.value
    assert (done, set(isr_then)) == ((Assignment(target), set(target)) if ruling.granted else (moving, set(isr)))


@given(some, some)
def test_to_cancel_gives_back_who_was_there(before: tuple[int, ...], target: tuple[int, ...]) -> None:
    moving = begin_reassignment(state_of(before, before), target).value
    state = state_of(moving.replicas, before, adding_replicas=moving.adding, removing_replicas=moving.removing)
    ruling = revert_reassignment(state)
    back = ruling.value
    assert (set(back.replicas), set(back.isr), back.unclean) == (set(before), set(before), False)
    assert ruling.granted


def test_to_cancel_with_only_the_added_in_sync_is_unclean_and_with_nobody_else_impossible() -> None:
    only_added = state_of((4, 5, 1, 2), (4,), adding_replicas=(4, 5), removing_replicas=(1, 2))
    unclean = revert_reassignment(only_added)
    assert (tuple(unclean.value), unclean.granted) == (((1, 2), (1,), True), False)
    assert "uncleanly" in unclean.reason
    nobody_else = state_of((4, 5), (4,), adding_replicas=(4, 5))
    impossible = revert_reassignment(nobody_else)
    assert (tuple(impossible.value), impossible.granted) == (((), (), True), False)
    assert impossible.reason == "every replica was added, nobody would be left"


def test_a_partition_is_never_left_without_replicas() -> None:
    leaving = Assignment((1, 2), (), (1, 2))
    assert not complete_reassignment(leaving, ()).granted


ORDERS = TopicPartition("orders", 0)
MOVING = state_of((3, 1, 2), (1, 2), adding_replicas=(3,), removing_replicas=(2,))


def may_move(state: PartitionState, target: tuple[int, ...] | None) -> Ruling[ErrorCode]:
    image = three_brokers().image
    image.partitions[ORDERS] = state
    return reassign_partition(image, ReassignPartitionRequest(topic=ORDERS.topic, partition=0, replicas=target))


def test_only_a_move_that_goes_on_may_end() -> None:
    ends = may_move(MOVING, None)
    assert (ends.value, ends.reason) == (ErrorCode.NONE, "it is under way")
    stays = may_move(state_of((1, 2), (1, 2)), None)
    assert (stays.value, stays.reason) == (ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "nothing moves")


def test_the_evidence_tells_where_a_partition_is_and_where_it_shall_go() -> None:
    told = {"replicas": [3, 1, 2], "adding": [3], "removing": [2]}
    assert may_move(MOVING, (1, 3)).numbers == {**told, "target": [1, 3]}
    assert may_move(MOVING, None).numbers == {**told, "target": []}


def test_the_leader_epoch_grows_with_another_leader_or_when_somebody_leaves() -> None:
    state = state_of((1, 2, 3), (1, 2, 3))
    stays, other, left = (
        next_leader_epoch(state, *after) for after in ((1, (1, 2, 3, 4)), (2, (1, 2, 3)), (1, (1, 2)))
    )
    assert (stays.value, stays.granted, stays.reason) == (3, False, "leader and replicas stay")
    assert (other.value, other.granted, other.reason) == (4, True, "another leader")
    assert (left.value, left.granted, left.reason) == (4, True, "replicas leave")
    assert next_leader_epoch(state, -1, (1, 2)).value == 4
