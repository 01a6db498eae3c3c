"""CreatePartitions: give topics more partitions. API key 37."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int16, int32, string


@dataclass(slots=True)
class CreatePartitionsAssignment:
    """The brokers of one new partition."""

    broker_ids: list[int] = array("int32")


@dataclass(slots=True)
class CreatePartitionsTopic:
    """One topic, and how many partitions it is to have."""

    name: str = string()
    count: int = int32()
    assignments: list[CreatePartitionsAssignment] | None = array(CreatePartitionsAssignment, null="0+")


@dataclass(slots=True)
class CreatePartitionsRequest:
    """Grow these topics."""

    topics: list[CreatePartitionsTopic] = array(CreatePartitionsTopic)
    timeout_ms: int = int32()
    validate_only: bool = boolean()


@dataclass(slots=True)
class CreatePartitionsTopicResult:
    """What became of one topic."""

    name: str = string()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)


@dataclass(slots=True)
class CreatePartitionsResponse:
    """Which grew."""

    throttle_time_ms: int = int32()
    results: list[CreatePartitionsTopicResult] = array(CreatePartitionsTopicResult)
