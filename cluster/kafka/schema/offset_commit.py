"""OffsetCommit: a consumer group notes how far it is. API key 8."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, int64, string


@dataclass(slots=True)
class OffsetCommitRequestPartition:
    """The offset of one partition: the next one to read."""

    partition_index: int = int32()
    committed_offset: int = int64()
    committed_leader_epoch: int = int32("6+", default=-1)
    committed_metadata: str | None = string(null="0+")


@dataclass(slots=True)
class OffsetCommitRequestTopic:
    """The offsets of one topic."""

    name: str = string()
    partitions: list[OffsetCommitRequestPartition] = array(OffsetCommitRequestPartition)


@dataclass(slots=True)
class OffsetCommitRequest:
    """Remember these offsets."""

    group_id: str = string()
    generation_id_or_member_epoch: int = int32(default=-1)
    member_id: str = string()
    retention_time_ms: int = int64("0-4", default=-1)
    group_instance_id: str | None = string("7+", null="0+", default=None)
    topics: list[OffsetCommitRequestTopic] = array(OffsetCommitRequestTopic)


@dataclass(slots=True)
class OffsetCommitResponsePartition:
    """Whether the offset of one partition was kept."""

    partition_index: int = int32()
    error_code: int = int16()


@dataclass(slots=True)
class OffsetCommitResponseTopic:
    """Whether the offsets of one topic were kept."""

    name: str = string()
    partitions: list[OffsetCommitResponsePartition] = array(OffsetCommitResponsePartition)


@dataclass(slots=True)
class OffsetCommitResponse:
    """Whether each offset was kept."""

    throttle_time_ms: int = int32("3+")
    topics: list[OffsetCommitResponseTopic] = array(OffsetCommitResponseTopic)
