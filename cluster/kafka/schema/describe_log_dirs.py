"""DescribeLogDirs: where a broker keeps its logs, and how large they are. API key 35."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int16, int32, int64, string


@dataclass(slots=True)
class DescribableLogDirTopic:
    """Partitions of one topic."""

    topic: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class DescribeLogDirsRequest:
    """Tell me of these logs; null for all."""

    topics: list[DescribableLogDirTopic] | None = array(DescribableLogDirTopic, null="0+")


@dataclass(slots=True)
class DescribeLogDirsPartition:
    """One log."""

    partition_index: int = int32()
    partition_size: int = int64()
    offset_lag: int = int64()
    is_future_key: bool = boolean()


@dataclass(slots=True)
class DescribeLogDirsTopic:
    """Logs of one topic."""

    name: str = string()
    partitions: list[DescribeLogDirsPartition] = array(DescribeLogDirsPartition)


@dataclass(slots=True)
class DescribeLogDirsResult:
    """One folder."""

    error_code: int = int16()
    log_dir: str = string()
    topics: list[DescribeLogDirsTopic] = array(DescribeLogDirsTopic)
    total_bytes: int = int64("4+", default=-1)
    usable_bytes: int = int64("4+", default=-1)


@dataclass(slots=True)
class DescribeLogDirsResponse:
    """The folders of the answering broker."""

    throttle_time_ms: int = int32()
    error_code: int = int16("3+")
    results: list[DescribeLogDirsResult] = array(DescribeLogDirsResult)
