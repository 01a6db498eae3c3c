"""Blocks of producer ids: to each broker its own, and only to its live incarnation."""

from __future__ import annotations

from cluster.controller.producer_ids import BLOCK_COUNT
from cluster.model.errors import ErrorCode
from cluster.model.events import ProducerIdsAllocated
from cluster.model.messages import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from cluster.model.metadata_records import ProducerIdsRecord
from tests.support.worlds.controller_driver import ControllerDriver, three_brokers


def allocate(driver: ControllerDriver, broker: int, epoch: int | None = None) -> AllocateProducerIdsResponse:
    broker_epoch = driver.epochs[broker] if epoch is None else epoch
    answer = driver.ask(broker, AllocateProducerIdsRequest(broker_id=broker, broker_epoch=broker_epoch))
    assert isinstance(answer, AllocateProducerIdsResponse)
    return answer


def test_each_block_begins_where_the_one_before_ends() -> None:
    driver = three_brokers()
    blocks = [allocate(driver, broker) for broker in (1, 2, 1)]
    assert [(block.error, block.producer_id_start, block.producer_id_count) for block in blocks] == [
        (0, 0, BLOCK_COUNT),
        (0, BLOCK_COUNT, BLOCK_COUNT),
        (0, 2 * BLOCK_COUNT, BLOCK_COUNT),
    ]
    assert driver.image.next_producer_id == driver.controller.image.next_producer_id == 3 * BLOCK_COUNT
    assert [record.broker_id for record in driver.records if isinstance(record, ProducerIdsRecord)] == [1, 2, 1]
    assert driver.events(ProducerIdsAllocated)[1].producer_id_start == BLOCK_COUNT


def test_an_earlier_life_of_a_broker_gets_nothing() -> None:
    driver = three_brokers()
    assert allocate(driver, 1, driver.epochs[1] - 1).error == ErrorCode.STALE_BROKER_EPOCH
    assert allocate(driver, 9, 0).error == ErrorCode.STALE_BROKER_EPOCH
    assert not driver.events(ProducerIdsAllocated)


def test_a_new_active_controller_goes_on_where_the_committed_log_ends() -> None:
    driver = three_brokers()
    allocate(driver, 1)
    driver.controller.deactivate(2)
    driver.controller.activate(driver.image, 3, driver.now_ms, driver.next_offset)
    assert allocate(driver, 2).producer_id_start == BLOCK_COUNT
