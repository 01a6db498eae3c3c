"""Who leads a partition and where, told beside a refusal, so that a client need not ask for it. Source: KIP-951."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from cluster.kafka.exchanges.topics import Endpoint
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Epoch, NodeId, TopicPartition
from cluster.model.partition_state import PartitionState

NodeEndpoint = TypeVar("NodeEndpoint")


class Led(NamedTuple):
    """What a broker says of a partition, and who leads it."""

    error: int
    """An ErrorCode."""
    leader_id: NodeId
    """As the answerer knows it; -1 when there is none."""
    leader_epoch: Epoch
    """Of that leader."""


def error_of(answer: Any, partitions: Mapping[TopicPartition, PartitionState]) -> int:
    """What the replica says, or that this broker is none of it where the topic is known to the cluster.

    Source: Kafka ReplicaManager.getPartitionOrError.
    """
    is_unknown = answer.error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if is_unknown and TopicPartition(answer.topic, answer.partition) in partitions:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return int(answer.error)


def who_leads(answer: Any, partitions: Mapping[TopicPartition, PartitionState]) -> Led:
    """As the replica says, or the image where this broker has none. Source: Kafka KafkaApis.getCurrentLeader."""
    error = error_of(answer, partitions)
    if error == answer.error:
        return Led(error, answer.leader_id, answer.leader_epoch)
    state = partitions[TopicPartition(answer.topic, answer.partition)]
    return Led(error, state.leader, state.leader_epoch)


def endpoints_of(
    kind: Callable[[NodeId, str, int], NodeEndpoint], nodes: Iterable[NodeId], brokers: Mapping[NodeId, Endpoint]
) -> list[NodeEndpoint]:
    """Where these brokers listen, each once; one that is not in service has no place."""
    return [kind(node, *brokers[node]) for node in sorted(set(nodes)) if node in brokers]
