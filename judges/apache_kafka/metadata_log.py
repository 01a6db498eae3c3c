"""Reads what Apache Kafka's metadata log says of partitions and brokers: records of Kafka, by their schemas.

Source: Kafka's metadata/src/main/resources/common/metadata, KIP-631, KIP-966 (ELR), KIP-858 (directories).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.record_batch import decode_records, read_header

REGISTER, TOPIC, PARTITION, CONFIG, PARTITION_CHANGE, FENCE, UNFENCE, REGISTRATION_CHANGE = 0, 2, 3, 4, 5, 7, 8, 17
"""Kinds of records that are read."""
UNCHANGED = -2
RECOVERING = 1
MIN_ISR = "min.insync.replicas"


@dataclass(frozen=True, slots=True)
class PartitionTold:
    """What the log says of one partition from here on."""

    where: TopicPartition
    leader: NodeId
    leader_epoch: int
    partition_epoch: int
    replicas: tuple[NodeId, ...]
    isr: tuple[NodeId, ...]
    elr: tuple[NodeId, ...] = ()
    recovering: bool = False


@dataclass(frozen=True, slots=True)
class BrokerTold:
    """A broker is registered, fenced or in service from here on."""

    broker_id: NodeId
    broker_epoch: int
    is_registered: bool
    """It has just registered; it is fenced then."""
    fenced: bool


Told: TypeAlias = PartitionTold | BrokerTold


class Reader:
    """Walks over the bytes of one record. Flexible versions alone: all of KRaft's are."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self, form: str) -> int:
        """A fixed field, big-endian."""
        (found,) = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(form)
        return int(found)

    def length(self) -> int:
        """An unsigned varint."""
        found = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found
            shift += 7

    def raw(self, size: int) -> bytes:
        """So many bytes."""
        self.at += size
        return self.data[self.at - size : self.at]

    def text(self) -> str:
        """A compact string; empty for null."""
        return self.raw(max(0, self.length() - 1)).decode()

    def nodes(self) -> tuple[NodeId, ...]:
        """A compact array of int32; empty for null."""
        return tuple(self.number("i") for _ in range(max(0, self.length() - 1)))

    def tags(self) -> dict[int, bytes]:
        """The tagged fields at the end."""
        found = {}
        for _ in range(self.length()):
            tag = self.length()
            found[tag] = self.raw(self.length())
        return found


@dataclass(slots=True)
class MetadataLog:
    """What the records so far say. One for each log that is read from its beginning."""

    topics: dict[bytes, str] = field(default_factory=dict)
    """Topic id to name."""
    partitions: dict[TopicPartition, PartitionTold] = field(default_factory=dict)
    min_isr: dict[str, int] = field(default_factory=dict)
    """min.insync.replicas of topics that have their own."""

    def take(self, value: bytes) -> Told | None:
        """One record of the log; what it says of a partition or a broker. Other records are passed over."""
        reader = Reader(value)
        reader.length()  # the frame's version
        kind, version = reader.length(), reader.length()
        if kind == PARTITION:
            return self._note(self._created(reader, version))
        if kind == PARTITION_CHANGE:
            return self._note(self._changed(reader))
        if kind == TOPIC:
            name, topic_id = reader.text(), reader.raw(16)
            self.topics[topic_id] = name
        elif kind == CONFIG:
            self._configured(reader)
        return _broker(kind, version, reader)

    def _note(self, change: PartitionTold | None) -> PartitionTold | None:
        if change is not None:
            self.partitions[change.where] = change
        return change

    def _created(self, reader: Reader, version: int) -> PartitionTold:
        index, topic_id = reader.number("i"), reader.raw(16)
        replicas, isr = reader.nodes(), reader.nodes()
        reader.nodes(), reader.nodes()
        leader, leader_epoch, partition_epoch = reader.number("i"), reader.number("i"), reader.number("i")
        if version >= 1:
            reader.raw(16 * max(0, reader.length() - 1))
        tags = reader.tags()
        where = TopicPartition(self.topics.get(topic_id, ""), index)
        recovering = tags.get(0, b"\x00")[0] == RECOVERING
        return PartitionTold(
            where, leader, leader_epoch, partition_epoch, replicas, isr, _nodes_of(tags, 1, ()), recovering
        )

    def _changed(self, reader: Reader) -> PartitionTold | None:
        """A new leader, nobody too, is a new leader epoch; each change is a new partition epoch."""
        index, topic_id = reader.number("i"), reader.raw(16)
        tags = reader.tags()
        before = self.partitions.get(TopicPartition(self.topics.get(topic_id, ""), index))
        if before is None:
            return None
        leader = Reader(tags[1]).number("i") if 1 in tags else UNCHANGED
        recovery = Reader(tags[5]).number("b") if 5 in tags else -1
        return replace(
            before,
            leader=before.leader if leader == UNCHANGED else leader,
            leader_epoch=before.leader_epoch + (leader != UNCHANGED),
            partition_epoch=before.partition_epoch + 1,
            replicas=_nodes_of(tags, 2, before.replicas),
            isr=_nodes_of(tags, 0, before.isr),
            elr=_nodes_of(tags, 6, before.elr),
            recovering=before.recovering if recovery < 0 else recovery == RECOVERING,
        )

    def _configured(self, reader: Reader) -> None:
        reader.number("b")
        topic, name, value = reader.text(), reader.text(), reader.text()
        if name == MIN_ISR and value.isdigit():
            self.min_isr[topic] = int(value)


def _nodes_of(tags: Mapping[int, bytes], tag: int, otherwise: tuple[NodeId, ...]) -> tuple[NodeId, ...]:
    return Reader(tags[tag]).nodes() if tag in tags else otherwise


def _broker(kind: int, version: int, reader: Reader) -> BrokerTold | None:
    if kind == REGISTER:
        broker = reader.number("i")
        if version >= 2:
            reader.raw(1)
        reader.raw(16)
        return BrokerTold(broker, reader.number("q"), True, True)
    if kind in (FENCE, UNFENCE):
        broker, epoch = reader.number("i"), reader.number("q")
        return BrokerTold(broker, epoch, False, kind == FENCE)
    if kind == REGISTRATION_CHANGE:
        broker, epoch, tags = reader.number("i"), reader.number("q"), reader.tags()
        change = Reader(tags[0]).number("b") if 0 in tags else 0
        return BrokerTold(broker, epoch, False, change > 0) if change else None
    return None


def values_of(batch: bytes | memoryview) -> list[bytes]:
    """The value of each record of a batch that is not compressed; none of a control batch, which is the quorum's."""
    if read_header(batch).control:
        return []
    return [record.value or b"" for record in decode_records(batch)]


def committed_end(ends: Mapping[NodeId, int]) -> int:
    """Up to where a majority of all voters has the log; `ends` has one for each voter."""
    ranked = sorted(ends.values(), reverse=True)
    return ranked[len(ranked) // 2] if ranked else 0
