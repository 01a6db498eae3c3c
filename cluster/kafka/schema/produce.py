"""Produce: a client appends record batches. API key 0."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import RecordSet, array, int16, int32, int64, record_set, string, struct, uuid


@dataclass(slots=True)
class PartitionProduceData:
    """The batch for one partition."""

    index: int = int32()
    records: RecordSet | None = record_set(null="0+")


@dataclass(slots=True)
class TopicProduceData:
    """The batches for one topic; by name up to version 12, then by id."""

    name: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partition_data: list[PartitionProduceData] = array(PartitionProduceData)


@dataclass(slots=True)
class ProduceRequest:
    """Append these batches, one to each partition."""

    transactional_id: str | None = string(null="0+", default=None)
    acks: int = int16()
    timeout_ms: int = int32()
    topic_data: list[TopicProduceData] = array(TopicProduceData)


@dataclass(slots=True)
class BatchIndexAndErrorMessage:
    """A record that made its batch fail."""

    batch_index: int = int32()
    batch_index_error_message: str | None = string(null="0+", default=None)


@dataclass(slots=True)
class LeaderIdAndEpoch:
    """The leader that the answerer knows."""

    leader_id: int = int32(default=-1)
    leader_epoch: int = int32(default=-1)


@dataclass(slots=True)
class PartitionProduceResponse:
    """What became of one batch."""

    index: int = int32()
    error_code: int = int16()
    base_offset: int = int64()
    log_append_time_ms: int = int64(default=-1)
    log_start_offset: int = int64("5+", default=-1)
    record_errors: list[BatchIndexAndErrorMessage] = array(BatchIndexAndErrorMessage, "8+")
    error_message: str | None = string("8+", null="0+", default=None)
    current_leader: LeaderIdAndEpoch | None = struct(LeaderIdAndEpoch, "10+", tag=0)


@dataclass(slots=True)
class TopicProduceResponse:
    """What became of the batches of one topic."""

    name: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partition_responses: list[PartitionProduceResponse] = array(PartitionProduceResponse)


@dataclass(slots=True)
class NodeEndpoint:
    """Where a leader named above listens."""

    node_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string(null="0+", default=None)


@dataclass(slots=True)
class ProduceResponse:
    """Where each batch went, or why not."""

    responses: list[TopicProduceResponse] = array(TopicProduceResponse)
    throttle_time_ms: int = int32()
    node_endpoints: list[NodeEndpoint] = array(NodeEndpoint, "10+", tag=0)
