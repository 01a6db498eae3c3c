"""OffsetForLeaderEpoch: where an epoch ends in the leader's log. API key 23."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, int64, string


@dataclass(slots=True)
class OffsetForLeaderPartition:
    """The epoch asked for in one partition."""

    partition: int = int32()
    current_leader_epoch: int = int32(default=-1)
    leader_epoch: int = int32()


@dataclass(slots=True)
class OffsetForLeaderTopic:
    """The epochs asked for in one topic."""

    topic: str = string()
    partitions: list[OffsetForLeaderPartition] = array(OffsetForLeaderPartition)


@dataclass(slots=True)
class OffsetForLeaderEpochRequest:
    """Where do these epochs end? Source: KIP-320."""

    replica_id: int = int32("3+", default=-2)
    topics: list[OffsetForLeaderTopic] = array(OffsetForLeaderTopic)


@dataclass(slots=True)
class EpochEndOffset:
    """Where the epoch ends in one partition."""

    error_code: int = int16()
    partition: int = int32()
    leader_epoch: int = int32(default=-1)
    end_offset: int = int64(default=-1)


@dataclass(slots=True)
class OffsetForLeaderTopicResult:
    """Where the epochs end in one topic."""

    topic: str = string()
    partitions: list[EpochEndOffset] = array(EpochEndOffset)


@dataclass(slots=True)
class OffsetForLeaderEpochResponse:
    """The largest epoch not above the one asked for, and its exclusive end."""

    throttle_time_ms: int = int32()
    topics: list[OffsetForLeaderTopicResult] = array(OffsetForLeaderTopicResult)
