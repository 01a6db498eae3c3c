"""OffsetDelete: forget committed offsets of a group. API key 47."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, string


@dataclass(slots=True)
class OffsetDeleteRequestPartition:
    """One partition."""

    partition_index: int = int32()


@dataclass(slots=True)
class OffsetDeleteRequestTopic:
    """Partitions of one topic."""

    name: str = string()
    partitions: list[OffsetDeleteRequestPartition] = array(OffsetDeleteRequestPartition)


@dataclass(slots=True)
class OffsetDeleteRequest:
    """Forget these offsets."""

    group_id: str = string()
    topics: list[OffsetDeleteRequestTopic] = array(OffsetDeleteRequestTopic)


@dataclass(slots=True)
class OffsetDeleteResponsePartition:
    """What became of one offset."""

    partition_index: int = int32()
    error_code: int = int16()


@dataclass(slots=True)
class OffsetDeleteResponseTopic:
    """What became of the offsets of one topic."""

    name: str = string()
    partitions: list[OffsetDeleteResponsePartition] = array(OffsetDeleteResponsePartition)


@dataclass(slots=True)
class OffsetDeleteResponse:
    """Which were forgotten."""

    error_code: int = int16()
    throttle_time_ms: int = int32()
    topics: list[OffsetDeleteResponseTopic] = array(OffsetDeleteResponseTopic)
