"""Offsets that a transaction commits count with it, or never."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import CoordinatorLoaded
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
