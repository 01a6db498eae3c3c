"""Fetch: consumers and followers read record batches. API key 1."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import RecordSet, array, int8, int16, int32, int64, record_set, string, struct, uuid


@dataclass(slots=True)
class ReplicaState:
    """The follower that asks."""

    replica_id: int = int32(default=-1)
    replica_epoch: int = int64(default=-1)


@dataclass(slots=True)
class FetchPartition:
    """Where to read in one partition."""

    partition: int = int32()
    current_leader_epoch: int = int32("9+", default=-1)
    fetch_offset: int = int64()
    last_fetched_epoch: int = int32("12+", default=-1)
    log_start_offset: int = int64("5+", default=-1)
    partition_max_bytes: int = int32()
    replica_directory_id: bytes = uuid("17+", tag=0)
    high_watermark: int = int64("18+", tag=1, default=(1 << 63) - 1)


@dataclass(slots=True)
class FetchTopic:
    """Where to read in one topic; by name up to version 12, then by id."""

    topic: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partitions: list[FetchPartition] = array(FetchPartition)


@dataclass(slots=True)
class ForgottenTopic:
    """What to drop from the fetch session."""

    topic: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class FetchRequest:
    """Give me what follows these offsets."""

    cluster_id: str | None = string("12+", null="0+", tag=0, default=None)
    replica_id: int = int32("0-14", default=-1)
    replica_state: ReplicaState | None = struct(ReplicaState, "15+", tag=1)
    max_wait_ms: int = int32()
    min_bytes: int = int32()
    max_bytes: int = int32(default=2147483647)
    isolation_level: int = int8()
    session_id: int = int32("7+")
    session_epoch: int = int32("7+", default=-1)
    topics: list[FetchTopic] = array(FetchTopic)
    forgotten_topics_data: list[ForgottenTopic] = array(ForgottenTopic, "7+")
    rack_id: str = string("11+")


@dataclass(slots=True)
class EpochEndOffset:
    """Where the logs part: the largest epoch they may share and its exclusive end on the leader."""

    epoch: int = int32(default=-1)
    end_offset: int = int64(default=-1)


@dataclass(slots=True)
class LeaderIdAndEpoch:
    """The leader that the answerer knows."""

    leader_id: int = int32(default=-1)
    leader_epoch: int = int32(default=-1)


@dataclass(slots=True)
class SnapshotId:
    """The snapshot to fetch instead."""

    end_offset: int = int64(default=-1)
    epoch: int = int32(default=-1)


@dataclass(slots=True)
class AbortedTransaction:
    """A transaction that a reader of committed records must skip."""

    producer_id: int = int64()
    first_offset: int = int64()


@dataclass(slots=True)
class PartitionData:
    """What one partition answers."""

    partition_index: int = int32()
    error_code: int = int16()
    high_watermark: int = int64()
    last_stable_offset: int = int64(default=-1)
    log_start_offset: int = int64("5+", default=-1)
    diverging_epoch: EpochEndOffset | None = struct(EpochEndOffset, "12+", tag=0)
    current_leader: LeaderIdAndEpoch | None = struct(LeaderIdAndEpoch, "12+", tag=1)
    snapshot_id: SnapshotId | None = struct(SnapshotId, "12+", tag=2)
    aborted_transactions: list[AbortedTransaction] | None = array(AbortedTransaction, null="0+")
    preferred_read_replica: int = int32("11+", default=-1)
    records: RecordSet | None = record_set(null="0+")


@dataclass(slots=True)
class FetchableTopicResponse:
    """What the partitions of one topic answer."""

    topic: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partitions: list[PartitionData] = array(PartitionData)


@dataclass(slots=True)
class NodeEndpoint:
    """Where a leader named above listens."""

    node_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string(null="0+", default=None)


@dataclass(slots=True)
class FetchResponse:
    """Record batches of each partition, or why there are none."""

    throttle_time_ms: int = int32()
    error_code: int = int16("7+")
    session_id: int = int32("7+")
    responses: list[FetchableTopicResponse] = array(FetchableTopicResponse)
    node_endpoints: list[NodeEndpoint] = array(NodeEndpoint, "16+", tag=0)
