"""How transactions end: once, by their producer or by their timeout."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionStateChanged
from cluster.model.inputs import Received
from cluster.model.messages import EndTxnRequest, EndTxnResponse, InitProducerIdRequest
from cluster.transactions.coordinator import ABORT_TIMER, EXPIRE_TIMER
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


def opened(epoch: int = 3, started_ms: int = 400, state: TransactionState = TransactionState.ONGOING) -> Coordinated:
    """A coordinator of one transaction, by default open for 600 ms of its 9,000 and with one partition."""
    is_open = state is TransactionState.ONGOING
    known = Transaction(
        transactional_id="t", producer_id=7, producer_epoch=epoch, timeout_ms=9_000, state=state,
        partitions=frozenset({ORDERS} if is_open else ()), started_ms=started_ms, updated_ms=500,
    )  # fmt: skip
    world = Coordinated(known, transactional_id_expiration_ms=100)
    world.leaders[ORDERS] = 2
    return world


def now_of(world: Coordinated) -> Transaction:
    kept = world.coordinator.kept("t")
    assert kept is not None and kept.now is not None
    return kept.now


def changes(world: Coordinated) -> list[TransactionStateChanged]:
    return [event for event in world.events if isinstance(event, TransactionStateChanged)]


def end(epoch: int = 3, *, committed: bool = True, bumps_epoch: bool = True) -> Received:
    request = EndTxnRequest(
        transactional_id="t", producer_id=7, producer_epoch=epoch, committed=committed, bumps_epoch=bumps_epoch
    )
    return Received(sender=1001, correlation=9, message=request)


def ended(epoch: int, *, bumps_epoch: bool) -> Transaction:
    """One that began at 400 ms, after its producer has asked for its end."""
    world = opened(epoch)
    world.give(end(epoch, bumps_epoch=bumps_epoch))
    return now_of(world)


def test_what_is_decided_began_when_its_transaction_did() -> None:
    now = ended(3, bumps_epoch=True)
    assert (now.state, now.started_ms, now.producer_epoch) == (TransactionState.PREPARE_COMMIT, 400, 4)


@pytest.mark.parametrize(("started_ms", "told_ms"), [(-1, 1_000), (0, 0), (1, 1)])
def test_what_was_not_begun_begins_when_it_is_aborted(started_ms: int, told_ms: int) -> None:
    world = opened(started_ms=started_ms, state=TransactionState.EMPTY)
    world.give(end(committed=False))
    decided, complete = changes(world)
    assert (decided.state, decided.started_ms) == ("PrepareAbort", told_ms)
    assert (complete.state, complete.started_ms) == ("CompleteAbort", -1), "at once: nobody needs a marker"


@pytest.mark.parametrize(("committed", "verb"), [(True, "commits"), (False, "aborts")])
def test_a_decision_tells_how_its_producer_ends_it(committed: bool, verb: str) -> None:  # noqa: FBT001
    world = opened()
    world.give(end(committed=committed))
    assert [event.why for event in changes(world)] == [f"its producer {verb} it"]


def test_who_has_no_epoch_left_is_given_another_producer_id_first_and_only_who_needs_one() -> None:
    assert ended(PRODUCER_EPOCH_MAX, bumps_epoch=True).state is TransactionState.ONGOING
    assert ended(PRODUCER_EPOCH_MAX, bumps_epoch=False).state is TransactionState.PREPARE_COMMIT
    assert ended(PRODUCER_EPOCH_MAX - 1, bumps_epoch=True).state is TransactionState.PREPARE_COMMIT


def test_a_producer_goes_on_with_its_new_id_and_epoch_0() -> None:
    world = opened(PRODUCER_EPOCH_MAX)
    world.give(end(PRODUCER_EPOCH_MAX))
    world.give_id(8)
    assert world.answers == [EndTxnResponse(producer_id=8, producer_epoch=0)]


def test_what_is_late_or_unused_is_left_alone_while_another_change_of_it_is_on_its_way() -> None:
    for state in (TransactionState.ONGOING, TransactionState.EMPTY):
        world = opened(PRODUCER_EPOCH_MAX, state=state)
        world.give(end(PRODUCER_EPOCH_MAX, committed=False))
        begins = InitProducerIdRequest(client_id="p", transactional_id="u", transaction_timeout_ms=100)
        world.give(Received(sender=1001, correlation=10, message=begins))
        assert len(world.wanted_ids) == 2, "one for the next producer of t, one for the first of u"
        world.now_ms = 90_000
        for timer in (ABORT_TIMER, EXPIRE_TIMER):
            world.fire(timer)
        assert (now_of(world).state, changes(world)) == (state, [])
        world.give_id(8)
        assert now_of(world).next_producer_id in (8, -1)
