"""A leader writes how a transaction ended, once; its followers know the same."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import MarkerWritten
from cluster.model.messages import WriteTxnMarkersRequest
from tests.support.worlds.transaction_world import TransactionalProducer, TransactionWorld


def test_the_same_marker_of_version_2_is_acknowledged_and_not_written_again() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    producer.write("a")
    producer.end()
    world.until(lambda: "CompleteCommit" in world.states())
    again = WriteTxnMarkersRequest(
        topic="orders", partition=0, producer_id=producer.producer_id, producer_epoch=producer.epoch,
        coordinator_epoch=9, committed=True, bumps_epoch=True,
    )  # fmt: skip
    end = world.end(1)
    assert world.asked(1, again).error == ErrorCode.NONE
    assert world.end(1) == end
    assert len(world.named(MarkerWritten)) == 1


def test_a_follower_or_an_old_epoch_writes_none() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    producer.write("a")
    old = WriteTxnMarkersRequest(
        topic="orders", partition=0, producer_id=producer.producer_id, producer_epoch=-1, coordinator_epoch=9,
        committed=False,
    )  # fmt: skip
    assert world.asked(1, old).error == ErrorCode.INVALID_PRODUCER_EPOCH
    assert world.asked(2, old).error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_the_next_leader_knows_what_is_open_and_what_was_aborted() -> None:
    world = TransactionWorld()
    done, busy = TransactionalProducer(world, "t"), TransactionalProducer(world, "u")
    done.write("a")
    done.end(committed=False)
    world.until(lambda: "CompleteAbort" in world.states())
    busy.write("open")
    world.until(lambda: {world.end(node) for node in (1, 2, 3)} == {3})
    world.kill(1)
    world.until(lambda: world.state().leader > 1)
    leader = world.state().leader
    answer = world.read(leader)
    assert answer.last_stable_offset == 2, "before the open transaction"
    assert answer.aborted == ((done.producer_id, 0),)
    assert world.seen(leader) == []
