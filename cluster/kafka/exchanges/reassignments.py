"""AlterPartitionReassignments and ListPartitionReassignments: replicas stay where they were put. Source: KIP-455."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.frames import Request
from cluster.kafka.schema import alter_partition_reassignments as alter_schema
from cluster.kafka.schema import list_partition_reassignments as list_schema
from cluster.model.identifiers import TopicPartition


def alter_reassignments(request: Request, view: BrokerView) -> alter_schema.AlterPartitionReassignmentsResponse:
    """For each partition why its replicas do not move; no error when they are where they are to be."""
    responses = [
        alter_schema.ReassignableTopicResponse(
            topic.name,
            [
                alter_schema.ReassignablePartitionResponse(
                    each.partition_index,
                    *_judged(view, TopicPartition(topic.name, each.partition_index), each.replicas),
                )
                for each in topic.partitions
            ],
        )
        for topic in request.message.topics
    ]
    may_change = request.message.allow_replication_factor_change
    return alter_schema.AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=may_change, responses=responses
    )


def _judged(view: BrokerView, where: TopicPartition, replicas: Sequence[int] | None) -> tuple[KafkaError, str | None]:
    """What Kafka checks before it begins, in its order."""
    known = view.partitions.get(where)
    if known is None:
        return KafkaError.UNKNOWN_TOPIC_OR_PARTITION, "this cluster has no such partition"
    if replicas is None:
        return KafkaError.NO_REASSIGNMENT_IN_PROGRESS, "nothing moves, so there is nothing to cancel"
    if not replicas or len(set(replicas)) != len(replicas):
        return KafkaError.INVALID_REPLICA_ASSIGNMENT, "no broker, or one twice"
    unknown = [node for node in replicas if node not in view.brokers and node not in view.fenced]
    if unknown:
        return KafkaError.INVALID_REPLICA_ASSIGNMENT, f"broker {unknown[0]} is not registered"
    if tuple(replicas) == known.replicas:
        return KafkaError.NONE, None
    return KafkaError.UNSUPPORTED_VERSION, "replicas cannot be moved here: they stay on the brokers they were put on"


def list_reassignments(_request: Request) -> list_schema.ListPartitionReassignmentsResponse:
    """Nothing moves."""
    return list_schema.ListPartitionReassignmentsResponse()
