"""DescribeTopicPartitions: topics page by page, with eligible leader replicas. Source: KIP-966.

Source: Kafka DescribeTopicPartitionsRequestHandler, KRaftMetadataCache.describeTopicResponse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView, is_legal_topic
from cluster.kafka.codec.fields import array, boolean, int16, int32, string, struct, uuid
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import INTERNAL_TOPICS, NO_NODE
from cluster.model.partition_state import PartitionState
from cluster.model.uuids import topic_uuid

PARTITIONS_MAX = 2000
"""max.request.partition.size.limit: the most of one page, whatever the client allows."""


@dataclass(slots=True)
class TopicRequest:
    """One topic asked for."""

    name: str = string()


@dataclass(slots=True)
class Cursor:
    """The topic and the partition at which a page begins."""

    topic_name: str = string()
    partition_index: int = int32()


@dataclass(slots=True)
class DescribeTopicPartitionsRequest:
    """Describe these topics, from the cursor on."""

    topics: list[TopicRequest] = array(TopicRequest)
    response_partition_limit: int = int32(default=2000)
    cursor: Cursor | None = struct(Cursor, null="0+")


@dataclass(slots=True)
class DescribeTopicPartitionsResponsePartition:
    """One partition of a described topic: leader, replicas, ISR and ELR."""

    error_code: int = int16()
    partition_index: int = int32()
    leader_id: int = int32()
    leader_epoch: int = int32(default=-1)
    replica_nodes: list[int] = array("int32")
    isr_nodes: list[int] = array("int32")
    eligible_leader_replicas: list[int] | None = array("int32", null="0+", default=None)
    last_known_elr: list[int] | None = array("int32", null="0+", default=None)
    offline_replicas: list[int] = array("int32")


@dataclass(slots=True)
class DescribeTopicPartitionsResponseTopic:
    """One topic and its partitions."""

    error_code: int = int16()
    name: str | None = string(null="0+")
    topic_id: bytes = uuid()
    is_internal: bool = boolean()
    partitions: list[DescribeTopicPartitionsResponsePartition] = array(DescribeTopicPartitionsResponsePartition)
    topic_authorized_operations: int = int32(default=-2147483648)


@dataclass(slots=True)
class DescribeTopicPartitionsResponse:
    """One page, and where the next begins."""

    throttle_time_ms: int = int32()
    topics: list[DescribeTopicPartitionsResponseTopic] = array(DescribeTopicPartitionsResponseTopic)
    next_cursor: Cursor | None = struct(Cursor, null="0+")


def describe_topic_partitions(request: Request, view: BrokerView) -> DescribeTopicPartitionsResponse:
    """One page: the topics asked for in the order of their names, all of them for none, from the cursor on."""
    message = request.message
    topics: dict[str, dict[int, PartitionState]] = {}
    for (name, index), state in sorted(view.partitions.items()):
        topics.setdefault(name, {})[index] = state
    start = ("", 0) if message.cursor is None else (message.cursor.topic_name, message.cursor.partition_index)
    names = sorted({topic.name for topic in message.topics} or topics)
    left = max(1, min(message.response_partition_limit, PARTITIONS_MAX))
    response = DescribeTopicPartitionsResponse()
    for name in names:
        if name < start[0]:
            continue
        if name not in topics:
            response.topics.append(_unknown(name))
            continue
        first = max(0, start[1]) if name == start[0] else 0
        wanted = [index for index in topics[name] if index >= first]
        if not left:
            response.next_cursor = Cursor(name, first)
            break
        page, rest = wanted[:left], wanted[left:]
        left -= len(page)
        response.topics.append(_topic(view, name, topics[name], page))
        if rest:
            response.next_cursor = Cursor(name, rest[0])
            break
    return response


def _unknown(name: str) -> DescribeTopicPartitionsResponseTopic:
    legal = is_legal_topic(name)
    error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if legal else ErrorCode.INVALID_TOPIC_EXCEPTION
    return DescribeTopicPartitionsResponseTopic(error, name)


def _topic(
    view: BrokerView, name: str, states: dict[int, PartitionState], page: list[int]
) -> DescribeTopicPartitionsResponseTopic:
    topic_id = topic_uuid(next(iter(states.values())).topic_id)
    partitions = [_partition(view, index, states[index]) for index in page]
    return DescribeTopicPartitionsResponseTopic(ErrorCode.NONE, name, topic_id, name in INTERNAL_TOPICS, partitions)


def _partition(view: BrokerView, index: int, state: PartitionState) -> DescribeTopicPartitionsResponsePartition:
    """A leader that is fenced is none, as in Metadata."""
    alive = state.leader in view.brokers
    return DescribeTopicPartitionsResponsePartition(
        ErrorCode.NONE if alive else ErrorCode.LEADER_NOT_AVAILABLE,
        index,
        state.leader if alive else NO_NODE,
        state.leader_epoch,
        list(state.replicas),
        list(state.isr),
        list(state.elr),
        [] if state.last_known_leader == NO_NODE else [state.last_known_leader],
        [node for node in state.replicas if node not in view.brokers],
    )


DESCRIBE_TOPIC_PARTITIONS: Final = Api(
    75,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    Known.by(describe_topic_partitions),
    versions="0",
    flexible="0+",
)
