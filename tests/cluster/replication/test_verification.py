"""A leader asks before it begins a transaction in its partition; without that a late record hangs for ever."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import PartitionVerified
from tests.support.worlds.transaction_world import TransactionalProducer, TransactionWorld


def late_record(*, verification: bool, version: int) -> tuple[TransactionWorld, int]:
    """A record of a transaction comes after the end of it; what its producer is told."""
    world = TransactionWorld(transaction_verification=verification)
    producer = TransactionalProducer(world, version=version)
    was = producer.epoch
    if version == 1:
        producer.add()
    producer.write("a")
    producer.end()
    world.wait(1000)
    producer.epoch = was
    late = producer.write("late", sequence=1)
    return world, late.error


def test_version_1_without_verification_lets_a_late_record_hang() -> None:
    world, error = late_record(verification=False, version=1)
    assert error == ErrorCode.NONE
    world.wait(20_000)
    assert world.read().last_stable_offset == 2, "nobody ever ends what the late record began"
    assert world.read(committed=False).high_watermark == 3


def test_verification_refuses_a_late_record() -> None:
    world, error = late_record(verification=True, version=1)
    assert error == ErrorCode.TRANSACTION_ABORTABLE
    assert world.read().last_stable_offset == world.read(committed=False).high_watermark == 2
    assert [event.error for event in world.named(PartitionVerified)] == [0, ErrorCode.TRANSACTION_ABORTABLE]


def test_with_version_2_the_epoch_refuses_it() -> None:
    world, error = late_record(verification=False, version=2)
    assert error == ErrorCode.INVALID_PRODUCER_EPOCH
    assert world.read().last_stable_offset == 2
