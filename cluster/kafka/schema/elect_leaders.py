"""ElectLeaders: ask the controller for an election. API key 43."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int8, int16, int32, string


@dataclass(slots=True)
class TopicPartitions:
    """Partitions of one topic."""

    topic: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class ElectLeadersRequest:
    """Elect leaders for these partitions; null for all."""

    election_type: int = int8("1+")
    topic_partitions: list[TopicPartitions] | None = array(TopicPartitions, null="0+")
    timeout_ms: int = int32(default=60000)


@dataclass(slots=True)
class PartitionResult:
    """What became of one election."""

    partition_id: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")


@dataclass(slots=True)
class ReplicaElectionResult:
    """What became of the elections of one topic."""

    topic: str = string()
    partition_result: list[PartitionResult] = array(PartitionResult)


@dataclass(slots=True)
class ElectLeadersResponse:
    """Who was elected, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16("1+")
    replica_election_results: list[ReplicaElectionResult] = array(ReplicaElectionResult)
