"""Records of __consumer_offsets in Kafka's own layouts, so that Kafka's tools can read the partition's log.

Keys: version 1 is an offset (group, topic, partition), version 2 a group. Values: version 3 of each; older ones are
read too. A null value deletes the key. Source: OffsetCommitKey and Value, GroupMetadataKey and Value.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from msgspec import Struct

from cluster.coordination.fields import Reader, text
from cluster.groups.state import CommittedOffset, Group, Member
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record

OFFSET_KEY_VERSION, GROUP_KEY_VERSION = 1, 2
VALUE_VERSION = 3


class LoadedMember(Struct):
    """One member as it was written."""

    member_id: str
    instance_id: str
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    subscription: bytes
    assignment: bytes


class LoadedGroup(Struct):
    """A group as it was written."""

    protocol_type: str
    generation: int
    protocol: str
    leader: str
    since_ms: int
    members: list[LoadedMember]


def offset_record(group: str, where: TopicPartition, committed: CommittedOffset | None) -> Record:
    """One committed offset; None deletes it."""
    key = struct.pack(">h", OFFSET_KEY_VERSION) + text(group) + text(where.topic) + struct.pack(">i", where.partition)
    if committed is None:
        return Record(key, None)
    value = struct.pack(">hqi", VALUE_VERSION, committed.offset, committed.leader_epoch)
    return Record(key, value + text(committed.metadata) + struct.pack(">q", committed.at_ms))


def group_record(group: Group, assignments: dict[str, bytes]) -> Record:
    """A group in its present generation with these parts."""
    members = b"".join(_member(item, group.protocol, assignments) for item in group.members.values())
    value = b"".join(
        (
            struct.pack(">h", VALUE_VERSION),
            text(group.protocol_type),
            struct.pack(">i", group.generation),
            text(group.protocol or None),
            text(group.leader or None),
            struct.pack(">qi", group.since_ms, len(group.members)),
            members,
        )
    )
    return Record(_group_key(group.name), value)


def group_tombstone(name: str) -> Record:
    """A group that is forgotten."""
    return Record(_group_key(name), None)


def read_key(key: bytes) -> tuple[str, TopicPartition | None] | None:
    """(group, partition, or None for the group itself); None for keys of other kinds. RecordError when cut short."""
    reader = Reader(key)
    version = reader.int16()
    if version in (0, OFFSET_KEY_VERSION):
        group, topic = reader.text(), reader.text()
        return group, TopicPartition(topic, reader.int32())
    return (reader.text(), None) if version == GROUP_KEY_VERSION else None


def read_offset(value: bytes) -> CommittedOffset:
    """RecordError when it cannot be read."""
    reader = Reader(value)
    version = reader.int16()
    offset = reader.int64()
    leader_epoch = reader.int32() if version >= 3 else -1
    return CommittedOffset(offset=offset, leader_epoch=leader_epoch, metadata=reader.text(), at_ms=reader.int64())


def read_group(value: bytes) -> LoadedGroup:
    """RecordError when it cannot be read."""
    reader = Reader(value)
    version = reader.int16()
    protocol_type, generation = reader.text(), reader.int32()
    protocol, leader = reader.text(), reader.text()
    since_ms = reader.int64() if version >= 2 else -1
    members = [_read_member(reader, version) for _ in range(max(0, reader.int32()))]
    return LoadedGroup(protocol_type, generation, protocol, leader, since_ms, members)


def _read_member(reader: Reader, version: int) -> LoadedMember:
    member_id = reader.text()
    instance_id = reader.text() if version >= 3 else ""
    client_id, client_host = reader.text(), reader.text()
    first = reader.int32()
    session_ms = reader.int32() if version >= 1 else first
    return LoadedMember(member_id, instance_id, client_id, client_host, first, session_ms, reader.blob(), reader.blob())


def _group_key(name: str) -> bytes:
    return struct.pack(">h", GROUP_KEY_VERSION) + text(name)


def _member(member: Member, protocol: str, assignments: dict[str, bytes]) -> bytes:
    return b"".join(
        (
            text(member.member_id),
            text(member.instance_id or None),
            text(member.client_id),
            text(member.client_host),
            struct.pack(">ii", member.rebalance_timeout_ms, member.session_timeout_ms),
            _blob(member.subscription(protocol)),
            _blob(assignments.get(member.member_id, b"")),
        )
    )


def _blob(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def size_of(records: Iterable[Record]) -> int:
    """Bytes of keys and values."""
    return sum(len(record.key or b"") + len(record.value or b"") for record in records)
