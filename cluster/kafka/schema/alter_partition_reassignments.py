"""AlterPartitionReassignments: move replicas. API key 45."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int16, int32, string


@dataclass(slots=True)
class ReassignablePartition:
    """The replicas that one partition is to have; null cancels."""

    partition_index: int = int32()
    replicas: list[int] | None = array("int32", null="0+", default=None)


@dataclass(slots=True)
class ReassignableTopic:
    """Partitions of one topic."""

    name: str = string()
    partitions: list[ReassignablePartition] = array(ReassignablePartition)


@dataclass(slots=True)
class AlterPartitionReassignmentsRequest:
    """Move these."""

    timeout_ms: int = int32(default=60000)
    allow_replication_factor_change: bool = boolean("1+", default=True)
    topics: list[ReassignableTopic] = array(ReassignableTopic)


@dataclass(slots=True)
class ReassignablePartitionResponse:
    """What became of one partition."""

    partition_index: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")


@dataclass(slots=True)
class ReassignableTopicResponse:
    """What became of one topic."""

    name: str = string()
    partitions: list[ReassignablePartitionResponse] = array(ReassignablePartitionResponse)


@dataclass(slots=True)
class AlterPartitionReassignmentsResponse:
    """Which moves have begun."""

    throttle_time_ms: int = int32()
    allow_replication_factor_change: bool = boolean("1+", default=True)
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    responses: list[ReassignableTopicResponse] = array(ReassignableTopicResponse)
