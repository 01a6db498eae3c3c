"""The small numbers that label a message: epoch, offset, granted, error, ..."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from cluster.model.messages import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    FetchRequest,
    FetchResponse,
    Message,
    ProduceRequest,
    ProduceResponse,
    SessionFetchRequest,
    SessionFetchResponse,
    VoteRequest,
    VoteResponse,
)
from cluster.model.record_batch import CorruptBatchError, read_header

Numbers = tuple[tuple[str, int], ...]
_FIELDS: dict[type, tuple[tuple[str, str], ...]] = {
    VoteRequest: (
        ("epoch", "epoch"), ("pre_vote", "pre_vote"), ("last_epoch", "last_epoch"), ("offset", "last_offset"),
    ),
    VoteResponse: (("epoch", "epoch"), ("pre_vote", "pre_vote"), ("granted", "granted"), ("leader_id", "leader_id")),
    BeginQuorumEpochRequest: (("epoch", "epoch"), ("leader_id", "leader_id")),
    BeginQuorumEpochResponse: (("epoch", "epoch"), ("leader_id", "leader_id")),
    EndQuorumEpochRequest: (("epoch", "epoch"), ("leader_id", "leader_id")),
    EndQuorumEpochResponse: (("epoch", "epoch"), ("leader_id", "leader_id")),
    FetchRequest: (("epoch", "current_leader_epoch"), ("offset", "fetch_offset"), ("last_epoch", "last_fetched_epoch")),
    FetchResponse: (("epoch", "leader_epoch"), ("high_watermark", "high_watermark")),
    ProduceRequest: (("acks", "acks"),),
    ProduceResponse: (("epoch", "leader_epoch"), ("offset", "base_offset")),
    BrokerHeartbeatRequest: (("broker_epoch", "broker_epoch"), ("offset", "metadata_offset")),
    BrokerHeartbeatResponse: (("is_fenced", "is_fenced"),),
    AlterPartitionRequest: (("epoch", "leader_epoch"), ("partition_epoch", "partition_epoch")),
    AlterPartitionResponse: (("epoch", "leader_epoch"), ("partition_epoch", "partition_epoch")),
}  # fmt: skip
"""What labels each kind, and the field it stands in. An error of any kind comes first, unless there is none."""


def numbers_of(message: Message) -> Numbers:
    """The numbers by name, yes and no as 1 and 0; members of an ISR as many times isr."""
    found = [(name, int(getattr(message, field))) for name, field in _FIELDS.get(type(message), ())]
    match message:
        case FetchResponse():
            found += _fetched(message)
        case SessionFetchRequest():
            found += (("session_epoch", message.session_epoch), ("partitions", len(message.fetches)))
        case SessionFetchResponse():
            found += (("partitions", len(message.answers)),)
        case AlterPartitionRequest():
            found += (("isr", node) for node, _ in message.new_isr)
        case AlterPartitionResponse():
            found += (("isr", node) for node in message.isr)
        case _:
            pass
    error = getattr(message, "error", 0)
    return (("error", int(error)), *found) if error else tuple(found)


def _fetched(response: FetchResponse) -> Iterator[tuple[str, int]]:
    """Where the records begin, and how many when they are one batch; or where the logs part."""
    if response.diverging is not None:
        yield "diverging_epoch", response.diverging.epoch
        yield "diverging_end_offset", response.diverging.end_offset
    if not response.records:
        return
    try:
        header = read_header(response.records)
    except CorruptBatchError:
        return
    yield "offset", header.base_offset
    if header.size_bytes == len(response.records):
        yield "records", header.end_offset - header.base_offset


def about(message: Message) -> tuple[str, int]:
    """Topic and partition that a message is about; ("", -1) for none."""
    if not is_about_partition(type(message)):
        return "", -1
    where: tuple[str, int] = (message.topic, message.partition)  # type: ignore[union-attr]
    return where


@cache
def is_about_partition(kind: type) -> bool:
    """Whether messages of that kind name one partition."""
    return {"topic", "partition"} <= set(kind.__struct_fields__)  # type: ignore[attr-defined]
