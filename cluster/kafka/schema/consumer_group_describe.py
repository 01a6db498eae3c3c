"""ConsumerGroupDescribe: groups of the newer protocol and their members. Source: KIP-848, KIP-1099. API key 69."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int8, int16, int32, string, struct, uuid


@dataclass(slots=True)
class ConsumerGroupDescribeRequest:
    """Describe these groups."""

    group_ids: list[str] = array("string")
    include_authorized_operations: bool = boolean()


@dataclass(slots=True)
class TopicPartitions:
    """Partitions of one topic."""

    topic_id: bytes = uuid()
    topic_name: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class Assignment:
    """Partitions of one member."""

    topic_partitions: list[TopicPartitions] = array(TopicPartitions)


@dataclass(slots=True)
class Member:
    """One member."""

    member_id: str = string()
    instance_id: str | None = string(null="0+", default=None)
    rack_id: str | None = string(null="0+", default=None)
    member_epoch: int = int32()
    client_id: str = string()
    client_host: str = string()
    subscribed_topic_names: list[str] = array("string")
    subscribed_topic_regex: str | None = string(null="0+", default=None)
    assignment: Assignment = struct(Assignment)
    target_assignment: Assignment = struct(Assignment)
    member_type: int = int8("1+", default=-1)


@dataclass(slots=True)
class DescribedGroup:
    """One group."""

    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    group_id: str = string()
    group_state: str = string()
    group_epoch: int = int32()
    assignment_epoch: int = int32()
    assignor_name: str = string()
    members: list[Member] = array(Member)
    authorized_operations: int = int32(default=-2147483648)


@dataclass(slots=True)
class ConsumerGroupDescribeResponse:
    """What the coordinator knows of them."""

    throttle_time_ms: int = int32()
    groups: list[DescribedGroup] = array(DescribedGroup)
