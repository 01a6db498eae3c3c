"""Which partition of the topic of consumer groups holds a group. Source: Kafka Utils.abs, GroupCoordinator."""

from __future__ import annotations

OFFSETS_PARTITIONS = 50
"""offsets.topic.num.partitions."""
_INT_MIN = -(1 << 31)


def java_hash(text: str) -> int:
    """String.hashCode: over UTF-16 code units, 31 times the hash so far plus the unit, in 32 bits with a sign."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for index in range(0, len(units), 2):
        value = (31 * value + (units[index] << 8 | units[index + 1])) & 0xFFFF_FFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def partition_for(group: str, partition_count: int) -> int:
    """The partition of __consumer_offsets that holds a group. The smallest integer has no absolute value: it is 0."""
    value = java_hash(group)
    return (0 if value == _INT_MIN else abs(value)) % partition_count
