"""ConsumerGroupHeartbeat: the whole of the newer group protocol. Source: KIP-848. API key 68."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, string, struct, uuid


@dataclass(slots=True)
class TopicPartitions:
    """Partitions of one topic."""

    topic_id: bytes = uuid()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class ConsumerGroupHeartbeatRequest:
    """I am here, I want this, I own that."""

    group_id: str = string()
    member_id: str = string()
    member_epoch: int = int32()
    instance_id: str | None = string(null="0+", default=None)
    rack_id: str | None = string(null="0+", default=None)
    rebalance_timeout_ms: int = int32(default=-1)
    subscribed_topic_names: list[str] | None = array("string", null="0+", default=None)
    subscribed_topic_regex: str | None = string("1+", null="0+", default=None)
    server_assignor: str | None = string(null="0+", default=None)
    topic_partitions: list[TopicPartitions] | None = array(TopicPartitions, null="0+")


@dataclass(slots=True)
class Assignment:
    """All that the member is to own."""

    topic_partitions: list[TopicPartitions] = array(TopicPartitions)


@dataclass(slots=True)
class ConsumerGroupHeartbeatResponse:
    """What the member is to own."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    member_id: str | None = string(null="0+", default=None)
    member_epoch: int = int32()
    heartbeat_interval_ms: int = int32()
    assignment: Assignment | None = struct(Assignment, null="0+")
