"""OffsetFetch: how far a consumer group is. API key 9."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int16, int32, int64, string


@dataclass(slots=True)
class OffsetFetchRequestTopic:
    """Partitions of one topic, up to version 7."""

    name: str = string()
    partition_indexes: list[int] = array("int32")


@dataclass(slots=True)
class OffsetFetchRequestTopics:
    """Partitions of one topic, from version 8 on."""

    name: str = string()
    partition_indexes: list[int] = array("int32")


@dataclass(slots=True)
class OffsetFetchRequestGroup:
    """One group, from version 8 on."""

    group_id: str = string()
    member_id: str | None = string("9+", null="0+", default=None)
    member_epoch: int = int32("9+", default=-1)
    topics: list[OffsetFetchRequestTopics] | None = array(OffsetFetchRequestTopics, null="0+")


@dataclass(slots=True)
class OffsetFetchRequest:
    """Which offsets did the group commit? Version 8 and later ask for many groups."""

    group_id: str = string("0-7")
    topics: list[OffsetFetchRequestTopic] | None = array(OffsetFetchRequestTopic, "0-7", null="2+")
    groups: list[OffsetFetchRequestGroup] = array(OffsetFetchRequestGroup, "8+")
    require_stable: bool = boolean("7+")


@dataclass(slots=True)
class OffsetFetchResponsePartition:
    """The offset of one partition, up to version 7."""

    partition_index: int = int32()
    committed_offset: int = int64()
    committed_leader_epoch: int = int32("5+", default=-1)
    metadata: str | None = string(null="0+")
    error_code: int = int16()


@dataclass(slots=True)
class OffsetFetchResponseTopic:
    """The offsets of one topic, up to version 7."""

    name: str = string()
    partitions: list[OffsetFetchResponsePartition] = array(OffsetFetchResponsePartition)


@dataclass(slots=True)
class OffsetFetchResponsePartitions:
    """The offset of one partition, from version 8 on."""

    partition_index: int = int32()
    committed_offset: int = int64()
    committed_leader_epoch: int = int32(default=-1)
    metadata: str | None = string(null="0+")
    error_code: int = int16()


@dataclass(slots=True)
class OffsetFetchResponseTopics:
    """The offsets of one topic, from version 8 on."""

    name: str = string()
    partitions: list[OffsetFetchResponsePartitions] = array(OffsetFetchResponsePartitions)


@dataclass(slots=True)
class OffsetFetchResponseGroup:
    """The offsets of one group."""

    group_id: str = string()
    topics: list[OffsetFetchResponseTopics] = array(OffsetFetchResponseTopics)
    error_code: int = int16()


@dataclass(slots=True)
class OffsetFetchResponse:
    """The committed offsets."""

    throttle_time_ms: int = int32("3+")
    topics: list[OffsetFetchResponseTopic] = array(OffsetFetchResponseTopic, "0-7")
    error_code: int = int16("2-7")
    groups: list[OffsetFetchResponseGroup] = array(OffsetFetchResponseGroup, "8+")
