"""How transactions end: once, by their producer or by their timeout."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.inputs import Received
from cluster.model.messages import EndTxnRequest
from cluster.transactions.state import PRODUCER_EPOCH_MAX, Transaction, TransactionState
from tests.support.worlds.coordinated import Coordinated
from tests.support.worlds.replica_world import ORDERS
from tests.support.worlds.transaction_world import TransactionalProducer, TransactionWorld


def test_a_transaction_out_of_time_is_aborted_and_its_producer_fenced() -> None:
    world = TransactionWorld(transaction_abort_interval_ms=500)
    producer = TransactionalProducer(world, timeout_ms=1000)
    producer.write("late")
    world.until(lambda: "CompleteAbort" in world.states())
    assert world.seen() == []
    assert producer.end().error == ErrorCode.PRODUCER_FENCED
    assert producer.write("too late").error == ErrorCode.INVALID_PRODUCER_EPOCH


def test_who_ends_again_gets_the_same_answer_and_never_the_other_end() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    producer.write("a")
    was = producer.producer_id, producer.epoch
    first = producer.end()

    def again(*, committed: bool) -> EndTxnRequest:
        return EndTxnRequest(
            transactional_id="t", producer_id=was[0], producer_epoch=was[1], committed=committed, bumps_epoch=True
        )

    assert world.patiently(again(committed=True)) == first
    assert world.patiently(again(committed=False)).error == ErrorCode.INVALID_TXN_STATE


def test_an_id_that_nobody_uses_is_forgotten() -> None:
    idle = Transaction(transactional_id="t", producer_id=7, producer_epoch=3, timeout_ms=9, updated_ms=1_000)
    world = Coordinated(idle, transactional_id_expiration_ms=500)
    world.now_ms = 1_499
    world.fire("transactions.expire")
    assert world.coordinator.kept("t") is not None
    world.now_ms = 1_500
    world.fire("transactions.expire")
    assert world.coordinator.kept("t") is None


def ended(epoch: int, *, bumps_epoch: bool) -> Transaction:
    """One that began at 400 ms, after its producer has asked for its end."""
    begun = Transaction(
        transactional_id="t", producer_id=7, producer_epoch=epoch, timeout_ms=9_000, state=TransactionState.ONGOING,
        partitions=frozenset({ORDERS}), started_ms=400, updated_ms=500,
    )  # fmt: skip
    world = Coordinated(begun)
    world.leaders[ORDERS] = 2
    end = EndTxnRequest(
        transactional_id="t", producer_id=7, producer_epoch=epoch, committed=True, bumps_epoch=bumps_epoch
    )
    world.give(Received(sender=1001, correlation=9, message=end))
    kept = world.coordinator.kept("t")
    assert kept is not None and kept.now is not None
    return kept.now


def test_what_is_decided_began_when_its_transaction_did() -> None:
    now = ended(3, bumps_epoch=True)
    assert (now.state, now.started_ms, now.producer_epoch) == (TransactionState.PREPARE_COMMIT, 400, 4)


def test_who_has_no_epoch_left_is_given_another_producer_id_first_and_only_who_needs_one() -> None:
    assert ended(PRODUCER_EPOCH_MAX, bumps_epoch=True).state is TransactionState.ONGOING
    assert ended(PRODUCER_EPOCH_MAX, bumps_epoch=False).state is TransactionState.PREPARE_COMMIT
