"""A leader asks before it begins a transaction in its partition; without that a late record hangs for ever."""

from __future__ import annotations

import pytest

from cluster.model.effects import CancelTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import MarkerWritten, PartitionVerified, TransactionRefused
from cluster.model.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnResponse,
    ProduceRequest,
    WriteTxnMarkersRequest,
)
from cluster.model.record_batch import Record, encode_batch, read_header
from cluster.replication import verification
from cluster.replication.rules.transactions import must_verify
from cluster.replication.state import HeldProduce, ReplicaState, Verifying
from tests.support.worlds.replica_world import ORDERS, ReplicaWorld
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
    assert {(event.producer_id, event.producer_epoch) for event in world.named(PartitionVerified)} == {(0, 0)}
    assert world.read().last_stable_offset == world.read(committed=False).high_watermark == 2
    assert [event.error for event in world.named(PartitionVerified)] == [0, ErrorCode.TRANSACTION_ABORTABLE]


def test_with_version_2_the_epoch_refuses_it() -> None:
    world, error = late_record(verification=False, version=2)
    assert error == ErrorCode.INVALID_PRODUCER_EPOCH
    assert world.read().last_stable_offset == 2


def test_a_batch_of_the_next_epoch_is_asked_about_while_the_last_transaction_is_open_here() -> None:
    """Else the marker of the last one, which brings that epoch, is taken for one that is written already."""
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    assert producer.write("a").error == ErrorCode.NONE
    end = world.end(1)
    producer.epoch += 1
    assert producer.write("b", sequence=0).error == ErrorCode.INVALID_PRODUCER_EPOCH
    assert world.end(1) == end
    producer.epoch -= 1
    assert producer.end().error == ErrorCode.NONE
    world.until(lambda: world.seen() == ["a"])


def held_write() -> tuple[TransactionWorld, TransactionalProducer, int]:
    """A write that begins a transaction, held because the coordinator is busy; and the correlation of its answer."""
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    offsets = AddOffsetsToTxnRequest(
        transactional_id="t", producer_id=producer.producer_id, producer_epoch=producer.epoch, group="g"
    )
    produce = ProduceRequest(
        client_id="p", topic="orders", partition=0, acks=-1, timeout_ms=800, transactional_id="t", adds_partition=True,
        records=encode_batch(
            [Record(None, b"a")], transactional=True, sequenced=(producer.producer_id, producer.epoch, 0)
        ),
    )  # fmt: skip
    world.coordinator("g", of_transaction=False)
    coordinator = world.coordinator()
    (third,) = {1, 2, 3} - {1, coordinator}
    world.cuts |= {(coordinator, third), (third, coordinator)}  # what the coordinator writes stays on its way
    world.send_as_client(coordinator, offsets)
    asked = world.send_as_client(1, produce)
    world.until(lambda: bool(world.named(TransactionRefused)))
    return world, producer, asked


def test_a_partition_that_cannot_be_added_yet_is_asked_for_again() -> None:
    """A transaction over many partitions lost seconds with each: its producer was told CONCURRENT_TRANSACTIONS."""
    world, _, asked = held_write()
    world.cuts.clear()
    assert world.answer_of(asked).error == ErrorCode.NONE
    assert {event.error for event in world.named(TransactionRefused)} == {ErrorCode.CONCURRENT_TRANSACTIONS}
    assert [event.error for event in world.named(PartitionVerified)] == [ErrorCode.NONE]


def test_a_write_is_refused_whose_isr_became_too_small_while_the_coordinator_was_asked() -> None:
    """It was appended and, when a replica came back, acknowledged. Found by the swarm, seed 426 with transactions."""
    world, _, asked = held_write()
    world.replicas[1].replica(ORDERS).min_insync_replicas = 4  # as if the ISR were smaller
    world.cuts.clear()
    assert world.answer_of(asked).error == ErrorCode.NOT_ENOUGH_REPLICAS
    assert [event.error for event in world.named(PartitionVerified)] == [ErrorCode.NONE]
    assert world.end(1) == 0


def test_the_marker_of_the_last_transaction_leaves_the_first_write_of_the_next_one_waiting() -> None:
    """A producer that was quicker than the markers was told INVALID_TXN_STATE, and gave up."""
    world, producer, asked = held_write()
    world.send_as_client(1, marker(producer, producer.epoch, bumps_epoch=True))
    world.until(lambda: bool(world.named(MarkerWritten)))
    world.cuts.clear()
    assert world.answer_of(asked).error == ErrorCode.NONE


@pytest.mark.parametrize(("newer", "bumps_epoch"), [(1, True), (0, False)])
def test_the_marker_of_its_own_transaction_ends_the_wait_of_a_write(newer: int, bumps_epoch: bool) -> None:
    world, producer, asked = held_write()
    world.send_as_client(1, marker(producer, producer.epoch + newer, bumps_epoch=bumps_epoch))
    assert world.answer_of(asked).error == ErrorCode.INVALID_TXN_STATE


def marker(producer: TransactionalProducer, epoch: int, *, bumps_epoch: bool) -> WriteTxnMarkersRequest:
    return WriteTxnMarkersRequest(
        topic="orders", partition=0, producer_id=producer.producer_id, producer_epoch=epoch, committed=True,
        coordinator_epoch=0, bumps_epoch=bumps_epoch,
    )  # fmt: skip


def two_questions() -> ReplicaState:
    """Of a leader: producers 7 and 8 wait for the coordinators 2 and 3."""
    state: ReplicaState = ReplicaWorld().replicas[1].replica(ORDERS)
    why = must_verify(-1, adds_partition=True, verification=True).decision
    for producer_id, coordinator in ((7, 2), (8, 3)):
        records = encode_batch([Record(None, b"a")], transactional=True, sequenced=(producer_id, 0, 0))
        request = ProduceRequest(
            client_id="p", topic="orders", partition=0, acks=-1, timeout_ms=800, transactional_id=f"t{producer_id}",
            records=records, adds_partition=True,
        )  # fmt: skip
        held = HeldProduce(1000, producer_id, request, read_header(records))
        state.verifying[producer_id, 0] = Verifying(100 + coordinator, coordinator, [held], why)
    return state


def test_only_who_waits_for_the_broker_that_is_gone_is_sent_away() -> None:
    state = two_questions()
    assert len(verification.on_disconnected(state, 2)) == 2, "an event and an answer"
    assert list(state.verifying) == [(8, 0)]
    assert verification.on_disconnected(state, 2) == []


def test_a_coordinator_is_waited_for_until_the_last_question_is_answered() -> None:
    state = two_questions()
    guard = CancelTimer(state.timer(verification.VERIFY_TIMER))
    for correlation, is_last in ((102, False), (103, True)):
        answer = AddPartitionsToTxnResponse(error=ErrorCode.INVALID_TXN_STATE)
        assert (guard in verification.on_verified(state, correlation, answer, 0)) is is_last


def test_where_nobody_waits_the_end_of_a_leadership_has_nothing_to_do() -> None:
    state: ReplicaState = ReplicaWorld().replicas[1].replica(ORDERS)
    assert verification.stop(state) == []
