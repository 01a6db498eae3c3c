"""What a replica tells of the producers in its log. Source: KIP-664, ReplicaManager.activeProducerState."""

from __future__ import annotations

from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId
from cluster.model.messages import DescribeProducersRequest, DescribeProducersResponse
from cluster.model.record_batch import CorruptBatchError
from cluster.replication.state import ReplicaState


def on_describe_producers(
    state: ReplicaState, sender: NodeId, correlation: int, request: DescribeProducersRequest, _now_ms: int
) -> list[Effect]:
    """From the own log, whoever leads: an admin client may want to compare replicas."""
    response = DescribeProducersResponse(topic=request.topic, partition=request.partition, leader_id=state.leader)
    try:
        state.producers.catch_up(state.log)
    except CorruptBatchError:
        response.error = ErrorCode.KAFKA_STORAGE_ERROR
        return [Send(sender, response, correlation)]
    response.producers = tuple(
        (
            producer_id,
            entry.epoch,
            entry.last_sequence,
            entry.timestamp_ms,
            entry.coordinator_epoch,
            state.producers.transactions.open_from(producer_id),
        )
        for producer_id, entry in state.producers.entries()
    )
    return [Send(sender, response, correlation)]
