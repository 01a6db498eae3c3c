"""DescribeQuorum: the state of the controller quorum as its leader sees it. Source: KIP-595. API key 55."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, int64, string, uint16, uuid


@dataclass(slots=True)
class RequestedPartition:
    """One partition asked for."""

    partition_index: int = int32()


@dataclass(slots=True)
class RequestedTopic:
    """Partitions of one topic asked for."""

    topic_name: str = string()
    partitions: list[RequestedPartition] = array(RequestedPartition)


@dataclass(slots=True)
class DescribeQuorumRequest:
    """Describe the quorum of these partitions."""

    topics: list[RequestedTopic] = array(RequestedTopic)


@dataclass(slots=True)
class ReplicaState:
    """How far one voter or observer is."""

    replica_id: int = int32()
    replica_directory_id: bytes = uuid("2+")
    log_end_offset: int = int64()
    last_fetch_timestamp: int = int64("1+", default=-1)
    last_caught_up_timestamp: int = int64("1+", default=-1)


@dataclass(slots=True)
class PartitionData:
    """One partition's quorum."""

    partition_index: int = int32()
    error_code: int = int16()
    error_message: str | None = string("2+", null="0+")
    leader_id: int = int32()
    leader_epoch: int = int32()
    high_watermark: int = int64()
    current_voters: list[ReplicaState] = array(ReplicaState)
    observers: list[ReplicaState] = array(ReplicaState)


@dataclass(slots=True)
class TopicData:
    """The quorums of one topic's partitions."""

    topic_name: str = string()
    partitions: list[PartitionData] = array(PartitionData)


@dataclass(slots=True)
class Listener:
    """One of its listeners."""

    name: str = string()
    host: str = string()
    port: int = uint16()


@dataclass(slots=True)
class Node:
    """Where one voter listens."""

    node_id: int = int32()
    listeners: list[Listener] = array(Listener)


@dataclass(slots=True)
class DescribeQuorumResponse:
    """Leader, voters and observers."""

    error_code: int = int16()
    error_message: str | None = string("2+", null="0+")
    topics: list[TopicData] = array(TopicData)
    nodes: list[Node] = array(Node, "2+")
