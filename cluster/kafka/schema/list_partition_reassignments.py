"""ListPartitionReassignments: moves of replicas that go on. API key 46."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, string


@dataclass(slots=True)
class ListPartitionReassignmentsTopics:
    """Partitions of one topic."""

    name: str = string()
    partition_indexes: list[int] = array("int32")


@dataclass(slots=True)
class ListPartitionReassignmentsRequest:
    """What moves among these; null for all."""

    timeout_ms: int = int32(default=60000)
    topics: list[ListPartitionReassignmentsTopics] | None = array(
        ListPartitionReassignmentsTopics, null="0+", default=None
    )


@dataclass(slots=True)
class OngoingPartitionReassignment:
    """The move of one partition."""

    partition_index: int = int32()
    replicas: list[int] = array("int32")
    adding_replicas: list[int] = array("int32")
    removing_replicas: list[int] = array("int32")


@dataclass(slots=True)
class OngoingTopicReassignment:
    """Moves of one topic."""

    name: str = string()
    partitions: list[OngoingPartitionReassignment] = array(OngoingPartitionReassignment)


@dataclass(slots=True)
class ListPartitionReassignmentsResponse:
    """What moves."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    topics: list[OngoingTopicReassignment] = array(OngoingTopicReassignment)
