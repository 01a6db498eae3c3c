"""DescribeTopicPartitions: topics page by page. Source: KIP-966. API key 75."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int16, int32, string, struct, uuid


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
    """One partition."""

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
