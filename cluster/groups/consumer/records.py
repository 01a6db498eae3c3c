"""Records of groups of the newer protocol in Kafka's own layouts: keys of versions 3 and 5 to 8.

Values are flexible (KIP-482) of version 0. Key 4 (what members subscribe to, before Kafka 4.1) is neither written nor
read, nor is the hash of the topics that Kafka 4.1 keeps in value 3: what a target assignment covers tells the same.
Source: ConsumerGroupMetadataKey and Value and their neighbours in group-coordinator/src/main/resources.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from cluster.coordination.fields import Reader, RecordError, compact, text
from cluster.groups.consumer.state import NOTHING, ConsumerGroup, ConsumerMember, MemberState, Parts
from cluster.model.byte_reader import uvarint
from cluster.model.record_batch import Record
from cluster.model.uuids import UUID_BYTES, topic_number, topic_uuid

NO_TAGS = b"\x00"
VERSION = b"\x00\x00"


class KeyVersion(IntEnum):
    """The version at the head of a key; it says what the record is about."""

    GROUP = 3
    MEMBER = 5
    TARGET_EPOCH = 6
    TARGET = 7
    CURRENT = 8


OF_GROUP = (KeyVersion.GROUP, KeyVersion.TARGET_EPOCH)
"""Their keys name no member."""


def changes(name: str, before: ConsumerGroup, after: ConsumerGroup) -> list[Record]:
    """What has to be written so that who has read the group as it was before knows it as it is after."""
    gone = [member_id for member_id in before.members if member_id not in after.members]
    records = [Record(_key(version, name, member_id), None) for member_id in gone for version in _OF_MEMBER]
    for member_id, member in after.members.items():
        value = _member(member)
        if member_id not in before.members or _member(before.members[member_id]) != value:
            records.append(Record(_key(KeyVersion.MEMBER, name, member_id), value))
    if after.epoch != before.epoch:
        records.append(Record(_key(KeyVersion.GROUP, name), VERSION + _int32(after.epoch) + NO_TAGS))
    for member_id in after.members:
        target = after.target_of(member_id)
        if member_id not in before.members or before.target_of(member_id) != target:
            value = VERSION + _parts(target) + NO_TAGS
            records.append(Record(_key(KeyVersion.TARGET, name, member_id), value))
    if after.target_epoch != before.target_epoch:
        records.append(Record(_key(KeyVersion.TARGET_EPOCH, name), VERSION + _int32(after.target_epoch) + NO_TAGS))
    for member_id, member in after.members.items():
        value = _current(member)
        if member_id not in before.members or _current(before.members[member_id]) != value:
            records.append(Record(_key(KeyVersion.CURRENT, name, member_id), value))
    return records


def tombstones(name: str, group: ConsumerGroup) -> list[Record]:
    """The group is no more."""
    keys = [_key(version, name, member_id) for member_id in group.members for version in _OF_MEMBER]
    keys += [_key(KeyVersion.TARGET_EPOCH, name), _key(KeyVersion.GROUP, name)]
    return [Record(key, None) for key in keys]


class Replay(Struct):
    """One group while its records are read."""

    epoch: int = -1
    """-1 before it is known."""
    target_epoch: int = 0
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    current: dict[str, ConsumerMember] = field(default_factory=dict)
    target: dict[str, Parts] = field(default_factory=dict)

    def group(self) -> ConsumerGroup:
        """The group that the records read so far make up."""
        members = {
            member_id: replace(
                member,
                epoch=now.epoch,
                previous_epoch=now.previous_epoch,
                state=now.state,
                assigned=now.assigned,
                revoking=now.revoking,
            )
            for member_id, member in self.members.items()
            for now in (self.current.get(member_id, member),)
        }
        target = {member_id: self.target.get(member_id, NOTHING) for member_id in members}
        return ConsumerGroup(epoch=self.epoch, target_epoch=self.target_epoch, members=members, target=target)


def take(groups: dict[str, Replay], record: Record) -> bool:
    """Take one record in; whether it was of this kind. RecordError when it cannot be read."""
    reader = Reader(record.key or b"")
    number = reader.int16()
    if number not in set(KeyVersion):
        return False
    version, name = KeyVersion(number), reader.text()
    member_id = "" if version in OF_GROUP else reader.text()
    group = groups.setdefault(name, Replay())
    if record.value is None:
        _forget(groups, name, version, member_id)
        return True
    value = Reader(record.value)
    if value.int16() != 0:
        raise RecordError("a value of a version that is not known")
    match version:
        case KeyVersion.GROUP:
            group.epoch = value.int32()
        case KeyVersion.TARGET_EPOCH:
            group.target_epoch = value.int32()
        case KeyVersion.MEMBER:
            group.members[member_id] = _read_member(value, member_id)
        case KeyVersion.TARGET:
            group.target[member_id] = _read_parts(value)
        case KeyVersion.CURRENT:
            group.current[member_id] = _read_current(value, member_id)
        case _:
            assert_never(version)
    return True


def _forget(groups: dict[str, Replay], name: str, version: KeyVersion, member_id: str) -> None:
    group = groups[name]
    match version:
        case KeyVersion.GROUP:
            del groups[name]
        case KeyVersion.TARGET_EPOCH:
            group.target_epoch = 0
        case KeyVersion.MEMBER:
            group.members.pop(member_id, None)
        case KeyVersion.TARGET:
            group.target.pop(member_id, None)
        case KeyVersion.CURRENT:
            group.current.pop(member_id, None)
        case _:
            assert_never(version)


_OF_MEMBER = (KeyVersion.CURRENT, KeyVersion.TARGET, KeyVersion.MEMBER)
"""Deleted in this order, as Kafka does."""


def _key(version: KeyVersion, name: str, member_id: str = "") -> bytes:
    key = struct.pack(">h", version) + text(name)
    return key if version in OF_GROUP else key + text(member_id)


def _member(member: ConsumerMember) -> bytes:
    return b"".join(
        (
            VERSION,
            compact(member.instance_id or None),
            compact(member.rack_id or None),
            compact(member.client_id),
            compact(member.client_host),
            uvarint(len(member.topics) + 1),
            *(compact(topic) for topic in member.topics),
            compact(member.pattern or None),
            _int32(member.rebalance_timeout_ms),
            compact(member.assignor or None),
            NO_TAGS,
        )
    )


def _read_member(reader: Reader, member_id: str) -> ConsumerMember:
    instance_id, rack_id = reader.compact(), reader.compact()
    client_id, client_host = reader.compact(), reader.compact()
    topics = tuple(reader.compact() for _ in range(reader.count()))
    pattern = reader.compact()
    return ConsumerMember(
        member_id=member_id,
        instance_id=instance_id,
        rack_id=rack_id,
        client_id=client_id,
        client_host=client_host,
        topics=topics,
        pattern=pattern,
        rebalance_timeout_ms=reader.int32(),
        assignor=reader.compact(),
    )


def _current(member: ConsumerMember) -> bytes:
    head = VERSION + struct.pack(">iib", member.epoch, member.previous_epoch, member.state)
    return head + _parts(member.assigned) + _parts(member.revoking) + NO_TAGS


def _read_current(reader: Reader, member_id: str) -> ConsumerMember:
    epoch, previous_epoch, state = reader.int32(), reader.int32(), reader.int8()
    if state not in set(MemberState):
        raise RecordError(f"a member in state {state}")
    assigned, revoking = _read_parts(reader), _read_parts(reader)
    return ConsumerMember(
        member_id=member_id,
        epoch=epoch,
        previous_epoch=previous_epoch,
        state=MemberState(state),
        assigned=assigned,
        revoking=revoking,
    )


def _parts(parts: Parts) -> bytes:
    by_topic: dict[int, list[int]] = {}
    for topic_id, partition in sorted(parts):
        by_topic.setdefault(topic_id, []).append(partition)
    written = [uvarint(len(by_topic) + 1)]
    for topic_id, partitions in by_topic.items():
        numbers = struct.pack(f">{len(partitions)}i", *partitions)
        written += [topic_uuid(topic_id), uvarint(len(partitions) + 1), numbers, NO_TAGS]
    return b"".join(written)


def _read_parts(reader: Reader) -> Parts:
    """Partitions of topics that are not of this cluster are nobody's."""
    parts: set[tuple[int, int]] = set()
    for _ in range(reader.count()):
        topic_id = topic_number(reader.take(UUID_BYTES))
        partitions = [reader.int32() for _ in range(reader.count())]
        reader.skip_tags()
        if topic_id is not None:
            parts |= {(topic_id, partition) for partition in partitions}
    return frozenset(parts)


def _int32(value: int) -> bytes:
    return struct.pack(">i", value)
