"""Which partition a record goes to: murmur2 and CRC-32 of its key, one partition after another, or one for a while.

Sources: Kafka Utils.murmur2, BuiltInPartitioner, DefaultPartitioner (before KIP-480), librdkafka's consistent_random.
"""

from __future__ import annotations

from zlib import crc32

from msgspec import Struct

from cluster.clients.rules import partitioning
from cluster.model.ruling import Ruling

LIBRDKAFKA, ROUND_ROBIN, RANDOM = "librdkafka", "round-robin", "random"
SEED, MIX, SHIFT, MASK = 0x9747B28C, 0x5BD1E995, 24, 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """The 32-bit hash that Java's clients take of a key; not negative here. Source: Utils.murmur2."""
    hashed = SEED ^ len(data)
    whole = len(data) & ~3
    for place in range(0, whole, 4):
        part = int.from_bytes(data[place : place + 4], "little") * MIX & MASK
        part = (part ^ part >> SHIFT) * MIX & MASK
        hashed = hashed * MIX & MASK ^ part
    if rest := data[whole:]:
        hashed = (hashed ^ int.from_bytes(rest, "little")) * MIX & MASK
    hashed = (hashed ^ hashed >> 13) * MIX & MASK
    return hashed ^ hashed >> 15


class Partitioner(Struct):
    """The choices of one producer. Its draws come of its name, so that the same run plays again."""

    kind: str
    """java, librdkafka, round-robin or random."""
    client_id: str
    batch: int
    """Records that fill a batch. Kafka counts bytes: batch.size."""
    partition_count: int = 0
    """Of the topic; 0 before metadata told it."""
    drawn_count: int = 0
    turn: int = 0
    """Records that went round robin."""
    stays_with: int = -1
    """The partition that records without a key go to at present; -1 for none."""
    room: int = 0
    """Records that still go there."""

    def choose(self, key: str) -> Ruling[int]:
        """The partition of the next record. `key`: empty for none."""
        count = self.partition_count
        if self.kind == RANDOM:
            return partitioning.partition_at_random(self._draw(), count)
        if key and self.kind == LIBRDKAFKA:
            return partitioning.partition_by_crc32(key, crc32(key.encode()), count)
        if key:
            return partitioning.partition_by_murmur2(key, murmur2(key.encode()), count)
        if self.kind == ROUND_ROBIN:
            self.turn += 1
            return partitioning.partition_in_turn(self.turn, count)
        if not self.room:
            self.stays_with, self.room = self._draw() % count, self.batch
        self.room -= 1
        return partitioning.partition_until_full(self.stays_with, self.room, self.batch)

    def _draw(self) -> int:
        self.drawn_count += 1
        return crc32(f"{self.client_id} {self.drawn_count}".encode())
