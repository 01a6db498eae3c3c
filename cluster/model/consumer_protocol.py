"""What consumers of a group tell each other through the coordinator, as Kafka writes it: subscriptions, assignments.

Source: ConsumerProtocolSubscription and ConsumerProtocolAssignment, versions 0 to 3; KIP-429 (owned partitions).
The coordinator treats them as bytes and looks into them only to tell what is in them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from contextlib import suppress

from msgspec import Struct, structs

from cluster.model.byte_reader import ByteReader
from cluster.model.identifiers import TopicPartition

PROTOCOL_TYPE = "consumer"
SUBSCRIPTION_VERSION, ASSIGNMENT_VERSION = 2, 1
NO_GENERATION = -1


class ProtocolError(Exception):
    """Bytes that are no subscription or assignment."""


class Subscription(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What one member wants and holds."""

    topics: tuple[str, ...]
    user_data: bytes = b""
    owned: tuple[TopicPartition, ...] = ()
    """Held when it joined (version 1 and later)."""
    generation: int = NO_GENERATION
    """In which it got them (version 2 and later); -1 unknown."""


def encode_subscription(subscription: Subscription) -> bytes:
    """In version 2."""
    topics = b"".join(_string(topic) for topic in subscription.topics)
    return b"".join(
        (
            struct.pack(">hi", SUBSCRIPTION_VERSION, len(subscription.topics)),
            topics,
            _bytes(subscription.user_data),
            _partitions(subscription.owned),
            struct.pack(">i", subscription.generation),
        )
    )


def decode_subscription(data: bytes) -> Subscription:
    """Any version: what a newer one adds at the end is not read. ProtocolError when it cannot be read."""
    reader = _Reader(data)
    version = reader.int16()
    topics = tuple(reader.string() for _ in range(reader.array_size()))
    user_data = reader.nullable_bytes()
    owned = reader.partitions() if version >= 1 else ()
    generation = reader.int32() if version >= 2 else NO_GENERATION
    return Subscription(topics=topics, user_data=user_data, owned=owned, generation=generation)


def encode_sticky_data(partitions: Iterable[TopicPartition], generation: int) -> bytes:
    """User data of the sticky assignor, version 1. Source: StickyAssignor, STICKY_ASSIGNOR_USER_DATA_V1."""
    return _partitions(partitions) + struct.pack(">i", generation)


def recalled(subscription: Subscription) -> Subscription:
    """The same member as the sticky assignor knows it: it holds what its user data say, as far as they can be read."""
    reader = _Reader(subscription.user_data)
    owned: tuple[TopicPartition, ...] = ()
    generation = NO_GENERATION
    with suppress(ProtocolError):
        owned = reader.partitions()
        generation = reader.int32()  # data of version 0 end before it
    return structs.replace(subscription, owned=owned, generation=generation)


def encode_assignment(partitions: Iterable[TopicPartition]) -> bytes:
    """In version 1, without user data."""
    return struct.pack(">h", ASSIGNMENT_VERSION) + _partitions(partitions) + _bytes(b"")


def decode_assignment(data: bytes) -> tuple[TopicPartition, ...]:
    """In the order written; no bytes at all are no partitions. ProtocolError when it cannot be read."""
    if not data:
        return ()
    reader = _Reader(data)
    reader.int16()
    return reader.partitions()


def _partitions(partitions: Iterable[TopicPartition]) -> bytes:
    by_topic: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        by_topic.setdefault(topic, []).append(partition)
    parts = [struct.pack(">i", len(by_topic))]
    for topic, indexes in by_topic.items():
        parts += [_string(topic), struct.pack(f">i{len(indexes)}i", len(indexes), *indexes)]
    return b"".join(parts)


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def _bytes(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


class _Reader(ByteReader):
    """Reads a subscription or an assignment."""

    __slots__ = ()
    wrong = ProtocolError

    def string(self) -> str:
        """A string that is no null, and UTF-8 to the letter: names of topics are compared."""
        try:
            return self.take(self.int16()).decode()
        except UnicodeDecodeError as error:
            raise ProtocolError("not UTF-8") from error

    def nullable_bytes(self) -> bytes:
        """Bytes with their length before them; none for null."""
        size = self.int32()
        return b"" if size == -1 else self.take(size)

    def partitions(self) -> tuple[TopicPartition, ...]:
        """Topics with their partitions."""
        partitions = []
        for _ in range(self.array_size()):
            topic = self.string()
            partitions += [TopicPartition(topic, self.int32()) for _ in range(self.array_size())]
        return tuple(partitions)
