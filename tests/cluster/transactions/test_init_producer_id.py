"""Who begins with a transactional id shuts out who had it."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.messages import InitProducerIdRequest
from tests.support.worlds.transaction_world import TransactionalProducer, TransactionWorld


def test_the_next_producer_has_a_larger_epoch_and_the_last_is_fenced() -> None:
    world = TransactionWorld()
    zombie = TransactionalProducer(world)
    zombie.write("zombie")
    successor = TransactionalProducer(world)
    assert successor.producer_id == zombie.producer_id
    assert successor.epoch > zombie.epoch
    assert zombie.end().error == ErrorCode.PRODUCER_FENCED
    assert zombie.write("more").error == ErrorCode.INVALID_PRODUCER_EPOCH
    successor.write("successor")
    successor.end()
    world.until(lambda: world.seen() == ["successor"])


def test_a_producer_that_lost_the_answer_gets_it_again() -> None:
    world = TransactionWorld()
    producer = TransactionalProducer(world)
    asks = InitProducerIdRequest(
        client_id="p", transactional_id="t", producer_id=producer.producer_id, producer_epoch=producer.epoch
    )
    first = world.patiently(asks)
    assert first.producer_epoch == producer.epoch + 1
    assert world.patiently(asks) == first
    stranger = InitProducerIdRequest(client_id="p", transactional_id="t", producer_id=9_999, producer_epoch=0)
    assert world.patiently(stranger).error == ErrorCode.PRODUCER_FENCED
    half = InitProducerIdRequest(client_id="p", transactional_id="t", producer_id=9_999)
    assert world.patiently(half).error == ErrorCode.INVALID_REQUEST
