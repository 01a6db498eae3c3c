"""Blocks of producer ids: the controller gives each id to one broker only. Source: ProducerIdControlManager."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.rules.brokers import allocate_producer_ids
from cluster.controller.state import ControllerState
from cluster.model.events import ProducerIdsAllocated
from cluster.model.messages import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from cluster.model.metadata_records import ProducerIdsRecord

BLOCK_COUNT = 1000
"""Ids of one block. Source: Kafka ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE."""


def on_allocate_producer_ids(
    state: ControllerState, batch: Batch, request: AllocateProducerIdsRequest
) -> AllocateProducerIdsResponse:
    """Give the next block to a registered broker; it is answered once the record is committed."""
    broker = state.image.brokers.get(request.broker_id)
    registered_epoch = -1 if broker is None else broker.broker_epoch
    ruling = allocate_producer_ids(request, registered_epoch, state.image.next_producer_id)
    if not ruling.granted:
        return AllocateProducerIdsResponse(error=ruling.value, leader_id=state.leader_id)
    start = state.image.next_producer_id
    allocated = ProducerIdsAllocated(
        broker_id=request.broker_id, producer_id_start=start, producer_id_count=BLOCK_COUNT
    )
    batch.emit(allocated, ruling.decision)
    record = ProducerIdsRecord(
        broker_id=request.broker_id, broker_epoch=request.broker_epoch, next_producer_id=start + BLOCK_COUNT
    )
    batch.write(record)
    return AllocateProducerIdsResponse(
        producer_id_start=start, producer_id_count=BLOCK_COUNT, leader_id=state.leader_id
    )
