"""DeleteRecords: move the start of logs forward. API key 21."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, int64, string


@dataclass(slots=True)
class DeleteRecordsPartition:
    """The new start of one partition; -1 is its high watermark."""

    partition_index: int = int32()
    offset: int = int64()


@dataclass(slots=True)
class DeleteRecordsTopic:
    """The new starts in one topic."""

    name: str = string()
    partitions: list[DeleteRecordsPartition] = array(DeleteRecordsPartition)


@dataclass(slots=True)
class DeleteRecordsRequest:
    """Drop all records before these offsets."""

    topics: list[DeleteRecordsTopic] = array(DeleteRecordsTopic)
    timeout_ms: int = int32()


@dataclass(slots=True)
class DeleteRecordsPartitionResult:
    """The start of one partition."""

    partition_index: int = int32()
    low_watermark: int = int64()
    error_code: int = int16()


@dataclass(slots=True)
class DeleteRecordsTopicResult:
    """The starts in one topic."""

    name: str = string()
    partitions: list[DeleteRecordsPartitionResult] = array(DeleteRecordsPartitionResult)


@dataclass(slots=True)
class DeleteRecordsResponse:
    """Where the logs start now."""

    throttle_time_ms: int = int32()
    topics: list[DeleteRecordsTopicResult] = array(DeleteRecordsTopicResult)
