"""Records of Apache Kafka's metadata log, made by hand after their schemas."""

import struct

from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record, encode_batch
from judges.apache_kafka.metadata_log import BrokerTold, MetadataLog, PartitionTold, committed_end, values_of

TOPIC_ID = bytes(range(16))
ORDERS = TopicPartition("orders", 0)


def nodes(*numbers: int) -> bytes:
    return bytes([len(numbers) + 1]) + b"".join(struct.pack(">i", number) for number in numbers)


def tagged(**fields: bytes) -> bytes:
    found = {int(name[1:]): value for name, value in fields.items()}
    return bytes([len(found)]) + b"".join(bytes([tag, len(value)]) + value for tag, value in sorted(found.items()))


def record(kind: int, version: int, body: bytes) -> bytes:
    return bytes([1, kind, version]) + body


TOPIC = record(2, 0, b"\x07orders" + TOPIC_ID + b"\x00")
CREATED = record(
    3, 2,
    struct.pack(">i", 0) + TOPIC_ID + nodes(1, 2, 3) + nodes(1, 2, 3) + nodes() + nodes()
    + struct.pack(">iii", 1, 0, 0) + b"\x01" + tagged(),
)  # fmt: skip


def changed(**fields: bytes) -> bytes:
    return record(5, 2, struct.pack(">i", 0) + TOPIC_ID + tagged(**fields))


def log_with_orders() -> MetadataLog:
    log = MetadataLog()
    assert log.take(TOPIC) is None
    assert log.take(CREATED) == PartitionTold(ORDERS, 1, 0, 0, (1, 2, 3), (1, 2, 3))
    return log


def test_a_smaller_isr_is_a_new_partition_epoch_and_the_same_leader_epoch() -> None:
    told = log_with_orders().take(changed(t0=nodes(1, 2)))
    assert told == PartitionTold(ORDERS, 1, 0, 1, (1, 2, 3), (1, 2))


def test_a_leader_that_is_told_is_a_new_leader_epoch_also_when_it_is_nobody() -> None:
    log = log_with_orders()
    log.take(changed(t1=struct.pack(">i", -1), t0=nodes(), t6=nodes(1)))
    assert log.partitions[ORDERS] == PartitionTold(ORDERS, -1, 1, 1, (1, 2, 3), (), (1,))
    log.take(changed(t1=struct.pack(">i", 2), t5=b"\x01"))
    assert (log.partitions[ORDERS].leader_epoch, log.partitions[ORDERS].recovering) == (2, True)


def test_what_a_change_does_not_name_stays() -> None:
    log = log_with_orders()
    log.take(changed(t6=nodes(3), t5=b"\x01"))
    log.take(changed(t0=nodes(1)))
    assert log.partitions[ORDERS] == PartitionTold(ORDERS, 1, 0, 2, (1, 2, 3), (1,), (3,), True)


def test_a_change_of_a_partition_that_was_never_made_is_passed_over() -> None:
    assert MetadataLog().take(changed(t0=nodes(1))) is None


def test_brokers_register_and_are_fenced_and_unfenced() -> None:
    registered = record(0, 3, struct.pack(">i", 7) + b"\x00" + TOPIC_ID + struct.pack(">q", 40) + b"\x01\x01\x00")
    assert MetadataLog().take(registered) == BrokerTold(7, 40, True, True)
    for change, fenced in ((b"\x01", True), (b"\xff", False)):
        told = MetadataLog().take(record(17, 2, struct.pack(">iq", 7, 40) + tagged(t0=change)))
        assert told == BrokerTold(7, 40, False, fenced)
    assert MetadataLog().take(record(17, 2, struct.pack(">iq", 7, 40) + tagged(t1=b"\x01"))) is None
    assert MetadataLog().take(record(8, 0, struct.pack(">iq", 7, 40) + b"\x00")) == BrokerTold(7, 40, False, False)


def test_min_isr_of_a_topic_is_kept() -> None:
    log = MetadataLog()
    log.take(record(4, 0, b"\x02\x07orders\x14min.insync.replicas\x022\x00"))
    assert log.min_isr == {"orders": 2}


def test_records_of_the_quorum_itself_are_not_metadata() -> None:
    assert values_of(encode_batch([Record(b"", b"x")], control=True)) == []
    assert values_of(encode_batch([Record(None, b"x"), Record(None, None)])) == [b"x", b""]


def test_committed_is_what_a_majority_of_all_voters_has() -> None:
    assert committed_end({101: 9, 102: 7, 103: 3}) == 7
    assert committed_end({101: 9, 102: 7, 103: 7, 104: 3}) == 7
    assert committed_end({101: 5}) == 5
