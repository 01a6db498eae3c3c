"""CreateTopics: make topics. API key 19."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int8, int16, int32, string, uuid


@dataclass(slots=True)
class CreatableReplicaAssignment:
    """The brokers of one partition."""

    partition_index: int = int32()
    broker_ids: list[int] = array("int32")


@dataclass(slots=True)
class CreatableTopicConfig:
    """A setting of the new topic."""

    name: str = string()
    value: str | None = string(null="0+")


@dataclass(slots=True)
class CreatableTopic:
    """One topic to make."""

    name: str = string()
    num_partitions: int = int32()
    replication_factor: int = int16()
    assignments: list[CreatableReplicaAssignment] = array(CreatableReplicaAssignment)
    configs: list[CreatableTopicConfig] = array(CreatableTopicConfig)


@dataclass(slots=True)
class CreateTopicsRequest:
    """Make these."""

    topics: list[CreatableTopic] = array(CreatableTopic)
    timeout_ms: int = int32(default=60000)
    validate_only: bool = boolean()


@dataclass(slots=True)
class CreatableTopicConfigs:
    """A setting that the topic has now."""

    name: str = string()
    value: str | None = string(null="0+")
    read_only: bool = boolean()
    config_source: int = int8(default=-1)
    is_sensitive: bool = boolean()


@dataclass(slots=True)
class CreatableTopicResult:
    """What became of one topic."""

    name: str = string()
    topic_id: bytes = uuid("7+")
    error_code: int = int16()
    error_message: str | None = string(null="0+")
    topic_config_error_code: int = int16("5+", tag=0)
    num_partitions: int = int32("5+", default=-1)
    replication_factor: int = int16("5+", default=-1)
    configs: list[CreatableTopicConfigs] | None = array(CreatableTopicConfigs, "5+", null="0+")


@dataclass(slots=True)
class CreateTopicsResponse:
    """Which were made, or why not."""

    throttle_time_ms: int = int32()
    topics: list[CreatableTopicResult] = array(CreatableTopicResult)
