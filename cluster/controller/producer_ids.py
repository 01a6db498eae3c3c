"""Blocks of producer ids: the controller gives each id to one broker only. Source: ProducerIdControlManager."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.state import ControllerState
from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode
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
    error, decision = judge(request, registered_epoch, state.image.next_producer_id)
    if error != ErrorCode.NONE:
        return AllocateProducerIdsResponse(error=error, leader_id=state.leader_id)
    start = state.image.next_producer_id
    allocated = ProducerIdsAllocated(
        broker_id=request.broker_id, producer_id_start=start, producer_id_count=BLOCK_COUNT
    )
    batch.emit(allocated, decision)
    record = ProducerIdsRecord(
        broker_id=request.broker_id, broker_epoch=request.broker_epoch, next_producer_id=start + BLOCK_COUNT
    )
    batch.write(record)
    return AllocateProducerIdsResponse(
        producer_id_start=start, producer_id_count=BLOCK_COUNT, leader_id=state.leader_id
    )


def judge(
    request: AllocateProducerIdsRequest, registered_epoch: int, next_producer_id: int
) -> tuple[ErrorCode, Decision]:
    """Whether a broker gets a block: only its live incarnation does."""
    source = "KIP-730, ProducerIdControlManager.generateNextProducerId"
    numbers: dict[str, int | str | list[int]] = {
        "broker_id": request.broker_id,
        "broker_epoch": request.broker_epoch,
        "registered_broker_epoch": registered_epoch,
        "next_producer_id": next_producer_id,
    }
    if registered_epoch < 0 or registered_epoch != request.broker_epoch:
        reason = "the broker's registration is not current"
        return ErrorCode.STALE_BROKER_EPOCH, Decision("allocate_producer_ids", False, reason, source, numbers)
    reason = "the next block nobody has"
    return ErrorCode.NONE, Decision("allocate_producer_ids", True, reason, source, numbers)
