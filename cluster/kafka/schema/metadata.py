"""Metadata: brokers, topics and who leads what. API key 3."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int16, int32, string, uuid


@dataclass(slots=True)
class MetadataRequestTopic:
    """One topic asked for."""

    topic_id: bytes = uuid("10+")
    name: str | None = string(null="10+")


@dataclass(slots=True)
class MetadataRequest:
    """Tell me about these topics; null asks for all, and so does an empty list in version 0."""

    topics: list[MetadataRequestTopic] | None = array(MetadataRequestTopic, null="1+")
    allow_auto_topic_creation: bool = boolean("4+", default=True)
    include_cluster_authorized_operations: bool = boolean("8-10")
    include_topic_authorized_operations: bool = boolean("8+")


@dataclass(slots=True)
class MetadataResponseBroker:
    """Where one broker listens."""

    node_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string("1+", null="0+", default=None)


@dataclass(slots=True)
class MetadataResponsePartition:
    """Leader and replicas of one partition."""

    error_code: int = int16()
    partition_index: int = int32()
    leader_id: int = int32()
    leader_epoch: int = int32("7+", default=-1)
    replica_nodes: list[int] = array("int32")
    isr_nodes: list[int] = array("int32")
    offline_replicas: list[int] = array("int32", "5+")


@dataclass(slots=True)
class MetadataResponseTopic:
    """One topic and its partitions."""

    error_code: int = int16()
    name: str | None = string(null="12+")
    topic_id: bytes = uuid("10+")
    is_internal: bool = boolean("1+")
    partitions: list[MetadataResponsePartition] = array(MetadataResponsePartition)
    topic_authorized_operations: int = int32("8+", default=-2147483648)


@dataclass(slots=True)
class MetadataResponse:
    """The brokers and topics that the answering broker knows."""

    throttle_time_ms: int = int32("3+")
    brokers: list[MetadataResponseBroker] = array(MetadataResponseBroker)
    cluster_id: str | None = string("2+", null="0+", default=None)
    controller_id: int = int32("1+", default=-1)
    topics: list[MetadataResponseTopic] = array(MetadataResponseTopic)
    cluster_authorized_operations: int = int32("8-10", default=-2147483648)
    error_code: int = int16("13+")
