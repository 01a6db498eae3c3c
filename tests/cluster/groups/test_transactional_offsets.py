"""Offsets that a transaction commits count with it, or never."""

from __future__ import annotations

import pytest

from cluster.groups.consumer.state import ConsumerGroup, ConsumerMember
from cluster.groups.group_state import GroupState
from cluster.groups.state import Group
from cluster.groups.transactional_offsets import may_commit
from cluster.model.errors import ErrorCode
from cluster.model.events import CoordinatorLoaded
from cluster.model.messages import TxnOffsetCommitRequest
from tests.support.worlds.group_world import group_of, member
from tests.support.worlds.transaction_world import TransactionalProducer, TransactionWorld


def offset_told(producer: TransactionalProducer, group: str = "g") -> int:
    return producer.offset_of(group).offsets[0][2]


@pytest.mark.parametrize("version", [1, 2])
def test_offsets_count_once_the_transaction_commits(version: int) -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world, version=version)
    assert producer.commit_offset("g", 5).error == ErrorCode.NONE
    assert offset_told(producer) == -1
    assert producer.offset_of("g", stable=True).unstable == (("orders", 0),)
    producer.end()
    world.until(lambda: offset_told(producer) == 5)
    assert producer.offset_of("g", stable=True).unstable == ()


def test_offsets_of_an_aborted_transaction_are_void() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    producer.commit_offset("g", 5)
    producer.end(committed=False)
    world.until(lambda: producer.offset_of("g", stable=True).unstable == ())
    assert offset_told(producer) == -1


def test_the_next_coordinator_of_the_group_knows_what_is_pending() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    producer.commit_offset("g", 5)
    first = world.coordinator("g", of_transaction=False)
    world.kill(first)
    world.until(lambda: world.coordinator("g", of_transaction=False) != first)
    world.until(lambda: len(world.named(CoordinatorLoaded)) > 1)
    assert producer.offset_of("g", stable=True).unstable == (("orders", 0),)
    producer.end()
    world.until(lambda: offset_told(producer) == 5)


def test_the_next_coordinator_of_the_group_takes_offsets_of_an_aborted_transaction_for_void() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    for offset, committed in ((5, True), (7, False)):
        producer.commit_offset("g", offset)
        producer.end(committed=committed)
        world.until(lambda: producer.offset_of("g", stable=True).unstable == ())
    first = world.coordinator("g", of_transaction=False)
    world.kill(first)
    world.until(lambda: world.coordinator("g", of_transaction=False) != first)
    world.until(lambda: len(world.named(CoordinatorLoaded)) > 1)
    assert offset_told(producer) == 5


def newer() -> Group:
    """A group of the newer protocol with one member, in epoch 4."""
    group = group_of(state=GroupState.EMPTY)
    group.consumer = ConsumerGroup(members={"a": ConsumerMember(member_id="a", epoch=4)})
    return group


STABLE, JOINING = group_of(member("a", "range")), group_of(member("a", "range"), state=GroupState.COMPLETING)


@pytest.mark.parametrize(
    ("group", "who", "generation", "error"),
    [
        (None, "", -1, ErrorCode.NONE),
        (None, "a", 4, ErrorCode.ILLEGAL_GENERATION),
        (STABLE, "", -1, ErrorCode.NONE),
        (STABLE, "a", 3, ErrorCode.NONE),
        (STABLE, "a", 2, ErrorCode.ILLEGAL_GENERATION),
        (STABLE, "z", 3, ErrorCode.UNKNOWN_MEMBER_ID),
        (JOINING, "a", 3, ErrorCode.NONE),
        (newer(), "a", 4, ErrorCode.NONE),
        (newer(), "a", 3, ErrorCode.ILLEGAL_GENERATION),
        (newer(), "", -1, ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_who_may_commit_in_a_transaction(group: Group | None, who: str, generation: int, error: ErrorCode) -> None:
    asked = TxnOffsetCommitRequest(
        group="g", transactional_id="t", producer_id=7, producer_epoch=0, generation=generation, member_id=who,
        instance_id="", offsets=(), adds_partition=True,
    )  # fmt: skip
    assert may_commit(group, asked) == error
