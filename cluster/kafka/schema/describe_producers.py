"""DescribeProducers: the producers that a leader remembers. API key 61."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, int64, string


@dataclass(slots=True)
class TopicRequest:
    """Partitions of one topic."""

    name: str = string()
    partition_indexes: list[int] = array("int32")


@dataclass(slots=True)
class DescribeProducersRequest:
    """Who writes to these partitions?"""

    topics: list[TopicRequest] = array(TopicRequest)


@dataclass(slots=True)
class ProducerState:
    """What is remembered of one producer."""

    producer_id: int = int64()
    producer_epoch: int = int32()
    last_sequence: int = int32(default=-1)
    last_timestamp: int = int64(default=-1)
    coordinator_epoch: int = int32()
    current_txn_start_offset: int = int64(default=-1)


@dataclass(slots=True)
class PartitionResponse:
    """The producers of one partition."""

    partition_index: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    active_producers: list[ProducerState] = array(ProducerState)


@dataclass(slots=True)
class TopicResponse:
    """The producers of one topic."""

    name: str = string()
    partitions: list[PartitionResponse] = array(PartitionResponse)


@dataclass(slots=True)
class DescribeProducersResponse:
    """Their ids, epochs and sequences."""

    throttle_time_ms: int = int32()
    topics: list[TopicResponse] = array(TopicResponse)
