"""ListOffsets: from a time to an offset. API key 2."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int8, int16, int32, int64, string


@dataclass(slots=True)
class ListOffsetsPartition:
    """The timestamp wanted in one partition."""

    partition_index: int = int32()
    current_leader_epoch: int = int32("4+", default=-1)
    timestamp: int = int64()


@dataclass(slots=True)
class ListOffsetsTopic:
    """The timestamps wanted in one topic."""

    name: str = string()
    partitions: list[ListOffsetsPartition] = array(ListOffsetsPartition)


@dataclass(slots=True)
class ListOffsetsRequest:
    """Which offset belongs to these timestamps (-1 the end, -2 the start, -3 the largest timestamp)?"""

    replica_id: int = int32()
    isolation_level: int = int8("2+")
    topics: list[ListOffsetsTopic] = array(ListOffsetsTopic)
    timeout_ms: int = int32("10+")


@dataclass(slots=True)
class ListOffsetsPartitionResponse:
    """The offset found in one partition."""

    partition_index: int = int32()
    error_code: int = int16()
    timestamp: int = int64(default=-1)
    offset: int = int64(default=-1)
    leader_epoch: int = int32("4+", default=-1)


@dataclass(slots=True)
class ListOffsetsTopicResponse:
    """The offsets found in one topic."""

    name: str = string()
    partitions: list[ListOffsetsPartitionResponse] = array(ListOffsetsPartitionResponse)


@dataclass(slots=True)
class ListOffsetsResponse:
    """The offsets found."""

    throttle_time_ms: int = int32("2+")
    topics: list[ListOffsetsTopicResponse] = array(ListOffsetsTopicResponse)
