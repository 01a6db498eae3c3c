"""ListOffsets: from a time to an offset. Source: KIP-79, KIP-734 (largest timestamp), KIP-405 (local and tiered).

The core has no such message; what it knows of a partition (start, high watermark, epoch) answers the special times.
A real time needs a look into records, which is the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error
from cluster.kafka.frames import Request
from cluster.kafka.schema.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from cluster.model.identifiers import NO_EPOCH, UNKNOWN_OFFSET, Epoch, Offset, TopicPartition


class SpecialTime(IntEnum):
    """Timestamps that are none."""

    LATEST = -1
    """Where a consumer would find the next record: the high watermark, not the log end offset."""
    EARLIEST = -2
    """The first record that is still there."""
    MAX_TIMESTAMP = -3
    """The record with the largest timestamp."""
    EARLIEST_LOCAL = -4
    """The first that is not only in tiered storage: here the first."""
    LATEST_TIERED = -5
    """The last in tiered storage: here there is none."""


class AskedOffset(NamedTuple):
    """What is asked of one partition."""

    timestamp_ms: int
    """A time, or a SpecialTime."""
    current_leader_epoch: Epoch
    """What the client believes; -1 skips the check."""


@dataclass(slots=True, kw_only=True)
class FoundOffset:
    """What was found in one partition."""

    error: int = 0
    """One of our codes."""
    offset: Offset = UNKNOWN_OFFSET
    """First record at that time or later; -1 when there is none."""
    timestamp_ms: int = -1
    """Of that record; -1 for special times."""
    leader_epoch: Epoch = NO_EPOCH
    """Of that record, or of the leader."""


def asked_offsets(request: Request) -> dict[TopicPartition, AskedOffset]:
    """What is asked, by partition."""
    return {
        TopicPartition(topic.name, each.partition_index): AskedOffset(each.timestamp, each.current_leader_epoch)
        for topic in request.message.topics
        for each in topic.partitions
    }


def special_offset(
    timestamp_ms: int, log_start_offset: Offset, high_watermark: Offset, leader_epoch: Epoch
) -> FoundOffset | None:
    """The answer that needs no look into records; None when one must be searched by its time.

    Args:
        log_start_offset: inclusive.
        high_watermark: exclusive.
        leader_epoch: of the leader that answers.
    """
    match timestamp_ms:
        case SpecialTime.LATEST:
            return FoundOffset(offset=high_watermark, leader_epoch=leader_epoch)
        case SpecialTime.EARLIEST | SpecialTime.EARLIEST_LOCAL:
            return FoundOffset(offset=log_start_offset, leader_epoch=leader_epoch)
        case SpecialTime.LATEST_TIERED:
            return FoundOffset()
        case _:
            return None


def list_offsets_response(request: Request, found: Mapping[TopicPartition, FoundOffset]) -> ListOffsetsResponse:
    """What the client is told, in the order in which it asked; a partition without a finding is unknown."""
    topics = []
    for topic in request.message.topics:
        indexes = [each.partition_index for each in topic.partitions]
        partitions = [_partition(request.version, at, found.get(TopicPartition(topic.name, at))) for at in indexes]
        topics.append(ListOffsetsTopicResponse(topic.name, partitions))
    return ListOffsetsResponse(topics=topics)


def _partition(version: int, index: int, found: FoundOffset | None) -> ListOffsetsPartitionResponse:
    if found is None:
        return ListOffsetsPartitionResponse(index, KafkaError.UNKNOWN_TOPIC_OR_PARTITION)
    error = client_error(found.error, ApiKey.LIST_OFFSETS, version)
    if error != KafkaError.NONE:
        return ListOffsetsPartitionResponse(index, error)
    return ListOffsetsPartitionResponse(index, error, found.timestamp_ms, found.offset, found.leader_epoch)
