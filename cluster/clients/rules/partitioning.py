"""Which partition a record goes to. Source: KIP-480, KIP-794, librdkafka."""

from __future__ import annotations

from cluster.model.ruling import Numbers, Ruling, rule


@rule(source="KIP-480", kafka="BuiltInPartitioner.partitionForKey")
def partition_by_murmur2(key: str, murmur2: int, partition_count: int) -> Ruling[int]:
    """With Java's client a key goes to murmur2 of its bytes, without the sign, modulo the number of partitions."""
    numbers: Numbers = {"key": key, "murmur2": murmur2, "partitions": partition_count}
    partition = (murmur2 & 0x7FFFFFFF) % partition_count
    return Ruling(partition, True, "murmur2 of the key", numbers)


@rule(source="librdkafka rd_kafka_msg_partitioner_consistent_random")
def partition_by_crc32(key: str, crc32: int, partition_count: int) -> Ruling[int]:
    """With librdkafka a key goes to CRC-32 of its bytes, modulo the number of partitions."""
    numbers: Numbers = {"key": key, "crc32": crc32, "partitions": partition_count}
    return Ruling(crc32 % partition_count, True, "CRC-32 of the key", numbers)


@rule(source="KIP-480, KIP-794", kafka="BuiltInPartitioner.peekCurrentPartitionInfo")
def partition_until_full(partition: int, room: int, batch: int) -> Ruling[int]:
    """A record without a key goes where the last one went, until a batch is full; then a partition is drawn.

    Args:
        room: records that go there after this one.
        batch: records that fill a batch.
    """
    return Ruling(partition, True, "the batch has room", {"partition": partition, "room": room, "batch": batch})


@rule(source="Kafka before KIP-480", kafka="DefaultPartitioner.partition")
def partition_in_turn(turn: int, partition_count: int) -> Ruling[int]:
    """Before Kafka 2.4 records without a key went to the partitions in turn. Kafka began anywhere, here it is at 0."""
    numbers: Numbers = {"turn": turn, "partitions": partition_count}
    return Ruling((turn - 1) % partition_count, True, "the next in turn", numbers)


@rule(source="librdkafka rd_kafka_msg_partitioner_random, sticky.partitioning.linger.ms=0")
def partition_at_random(drawn: int, partition_count: int) -> Ruling[int]:
    """A producer may also be set to draw a partition for each record, whatever its key."""
    return Ruling(drawn % partition_count, True, "drawn", {"drawn": drawn, "partitions": partition_count})
