"""What a broker answers to records and names that it must not take, and what stays as it was. Spec bad inputs 5.5."""

from __future__ import annotations

import gzip
import socket
import struct
import zlib
from contextlib import suppress
from random import Random

import crc32c
import pytest

from cluster.kafka.apis.metadata import METADATA, MetadataRequest, MetadataRequestTopic
from cluster.model.compression import Compression
from cluster.model.errors import ErrorCode
from cluster.model.record_batch import Record, encode_batch
from cluster.runtime.kafka.listener import CONNECTIONS_MAX
from tests.support.clients.client_batches import ClientRecord, body_batch, client_batch, packed_record
from tests.support.clients.kafka_broker import Broker
from tests.support.clients.raw_client import RawClient, knock

pytestmark = pytest.mark.processes
GOOD = encode_batch([Record(b"k", b"v"), Record(b"k", b"w")])
RECORD = ClientRecord(0, 0, b"k", b"v")
ONE = packed_record(RECORD, 0, 0)
MIB = 1 << 20
NAMES = ["", ".", "..", "a" * 300, "a/b", "\x1b[31m", "\u00e9", "a b"]


def changed(at: int, value: bytes, *, crc: bool = True) -> bytes:
    """The good batch with other bytes, and a CRC that fits unless told otherwise."""

    data = bytearray(GOOD)
    data[at : at + len(value)] = value
    if crc:
        data[17:21] = struct.pack(">I", crc32c.crc32c(bytes(data[21:])))
    return bytes(data)


BAD_BATCHES = {
    "bad CRC": (changed(40, b"\x55", crc=False), ErrorCode.CORRUPT_MESSAGE),
    "magic 0": (changed(16, b"\x00"), ErrorCode.INVALID_RECORD),
    "magic 1": (changed(16, b"\x01"), ErrorCode.INVALID_RECORD),
    "magic 9": (changed(16, b"\x09"), ErrorCode.CORRUPT_MESSAGE),
    "more records than bytes": (changed(57, struct.pack(">i", 9_999)), ErrorCode.INVALID_RECORD),
    "count and last delta disagree": (changed(57, struct.pack(">i", 1)), ErrorCode.INVALID_RECORD),
    "negative last delta": (changed(23, struct.pack(">i", -2)), ErrorCode.INVALID_RECORD),
    "negative count": (changed(57, struct.pack(">i", -1)), ErrorCode.INVALID_RECORD),
    "negative length": (changed(8, struct.pack(">i", -1)), ErrorCode.CORRUPT_MESSAGE),
    "control records": (changed(21, struct.pack(">h", 0x20)), ErrorCode.INVALID_RECORD),
    "transactional": (changed(21, struct.pack(">h", 0x10)), ErrorCode.INVALID_RECORD),
    "unknown compression": (changed(21, struct.pack(">h", 7)), ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
    "cut short": (GOOD[:-3], ErrorCode.INVALID_RECORD),
    "nothing": (b"", ErrorCode.INVALID_RECORD),
    "fewer records than it says": (body_batch(ONE, 2), ErrorCode.INVALID_RECORD),
    "more records than it says": (body_batch(ONE + ONE, 1), ErrorCode.INVALID_RECORD),
    "a record with a negative offset delta": (body_batch(packed_record(RECORD, -1, 0), 1), ErrorCode.INVALID_RECORD),
    "two records with one offset": (body_batch(ONE + ONE, 2), ErrorCode.INVALID_RECORD),
    "a key longer than its record": (body_batch(b"\x0e\x00\x00\x00\x3c\x00\x00\x00", 1), ErrorCode.INVALID_RECORD),
    "a bad record, compressed": (
        client_batch([RECORD], attributes=Compression.GZIP, pack=lambda data: gzip.compress(data[:-2])),
        ErrorCode.INVALID_RECORD,
    ),
    "not what its codec writes": (client_batch([RECORD], attributes=Compression.ZSTD), ErrorCode.INVALID_RECORD),
    "two batches": (GOOD + GOOD, ErrorCode.INVALID_RECORD),
}


@pytest.mark.parametrize(("records", "error"), BAD_BATCHES.values(), ids=BAD_BATCHES)
def test_b65_a_bad_batch_is_refused_and_the_log_stays_as_it_was(
    client: RawClient, records: bytes, error: ErrorCode
) -> None:
    end = client.produce("orders", b"x").base_offset + 1
    assert client.produce("orders", records=records).error_code == error
    assert client.produce("orders", b"y").base_offset == end


def gzip_bomb() -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(bytes(MIB)) for _ in range(800)) + packer.flush()


def zstd_bomb() -> bytes:
    """Blocks of one byte that repeats, 128 KiB each: 10 GiB in 320 KiB."""
    blocks, size = 81_920, 128 << 10
    each, last = (((size << 3) | 1 << 1 | bit).to_bytes(3, "little") + b"\0" for bit in (0, 1))
    return b"\x28\xb5\x2f\xfd\x00\x58" + each * (blocks - 1) + last


def lz4_bomb() -> bytes:
    """One block of the largest size, again and again: each is a match that goes on."""
    block = b"\x1f\x00\x01\x00" + b"\xff" * 16_000 + b"\x00"
    return b"\x04\x22\x4d\x18\x60\x70\x73" + (len(block).to_bytes(4, "little") + block) * 50 + bytes(4)


BOMBS = {Compression.GZIP: gzip_bomb, Compression.ZSTD: zstd_bomb, Compression.LZ4: lz4_bomb}


@pytest.mark.parametrize("codec", BOMBS)
def test_b66_a_compressed_bomb_is_refused_and_takes_no_memory(broker: Broker, codec: Compression) -> None:
    packed = BOMBS[codec]()
    assert len(packed) < MIB
    bomb = repacked(client_batch([ClientRecord(0, 0, None, b"x")], attributes=codec), packed)
    with RawClient(broker.port) as client:
        end = client.produce("orders", b"warm").base_offset + 1
        before = broker.resident_kib()
        assert client.produce("orders", records=bomb).error_code == ErrorCode.MESSAGE_TOO_LARGE
        after = broker.resident_kib()
        assert client.produce("orders", b"y").base_offset == end
    assert before is None or after is None or after - before < 32 << 10


def repacked(batch: bytes, records: bytes) -> bytes:
    """The batch with other records, its length and CRC fitting."""

    head = bytearray(batch[:61])
    struct.pack_into(">i", head, 8, 61 - 12 + len(records))
    head[17:21] = struct.pack(">I", crc32c.crc32c(bytes(head[21:]) + records))
    return bytes(head) + records


@pytest.mark.parametrize("name", NAMES)
def test_b68_a_name_that_no_topic_may_have_is_refused_everywhere(client: RawClient, name: str) -> None:
    assert client.create(name) == ErrorCode.INVALID_TOPIC_EXCEPTION
    found = client.ask(METADATA, 9, MetadataRequest([MetadataRequestTopic(name=name)]))
    assert found.topics[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    refused = client.produce(name, b"x").error_code
    assert refused in (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_TOPIC_EXCEPTION)


@pytest.mark.first
def test_b58_random_bytes_end_their_connection_and_nothing_else(broker: Broker, client: RawClient) -> None:
    client.produce("orders", b"x")
    rng = Random(1)
    for _ in range(20):
        with RawClient(broker.port) as other:
            other.socket.sendall(b"\x7f" + rng.randbytes(1023))
            assert other.is_closed()
    assert client.produce("orders", b"y").error_code == 0


def test_b61_a_length_that_cannot_be_takes_no_memory(broker: Broker, client: RawClient) -> None:
    client.produce("orders", b"x")
    before = broker.resident_kib()
    for length in (2**31 - 1, -1, 0, -(2**31)) * 20:
        with RawClient(broker.port) as other:
            other.socket.sendall(struct.pack(">i", length))
            assert other.is_closed()
    after = broker.resident_kib()
    assert before is None or after is None or after - before < 4 << 10


def test_long_frames_that_never_end_take_a_bounded_memory_and_others_are_served(
    broker: Broker, client: RawClient
) -> None:
    client.produce("orders", b"x")
    before = broker.resident_kib()
    others: list[RawClient] = []
    try:
        for _ in range(24):
            others.append(RawClient(broker.port))
            others[-1].socket.settimeout(0.2)
            with suppress(TimeoutError):  # the broker leaves in the socket what it has no room for
                others[-1].socket.sendall(struct.pack(">i", 8 * MIB) + bytes(4 * MIB))
        assert client.produce("orders", b"y").error_code == 0
        after = broker.resident_kib()
        assert before is None or after is None or after - before < 100 << 10
    finally:
        for other in others:
            other.socket.close()


def test_b71_null_keys_and_values_are_records_and_what_is_too_long_or_too_many_is_refused(client: RawClient) -> None:
    batch = encode_batch([Record(None, None), Record(b"", b"")])
    taken = client.produce("orders", records=batch)
    assert taken.error_code == 0
    assert client.produce("orders", bytes(3 * MIB)).error_code == ErrorCode.MESSAGE_TOO_LARGE
    many = client_batch([ClientRecord(0, 0, None, b"v", ((b"h", b"x"),) * 10_000)])
    refused = client.produce("orders", records=many)
    assert refused.error_code == ErrorCode.INVALID_RECORD
    assert "10000 headers" in refused.error_message
    client.socket.sendall(struct.pack(">i", 100_000_000))
    assert client.is_closed()


@pytest.mark.parametrize(
    "payload",
    [b"\x1b[2J\x1b]0;gone\x07", b"\xff\xfe\xc3(", b"x" * (MIB - 200), "Z\u0351\u036b\u0343 \U0001f600 \u202e".encode()],
)
def test_b72_a_payload_is_stored_exactly(client: RawClient, payload: bytes) -> None:
    where = client.produce("orders", payload)
    assert where.error_code == 0
    assert client.fetch("orders", where.base_offset) == (0, [payload])


def test_b69_five_thousand_idle_connections_leave_the_others_alone(broker: Broker, client: RawClient) -> None:
    client.produce("orders", b"x")
    idle: list[socket.socket] = []
    try:
        for _ in range(5_000):
            with knock(broker.port) as other:
                if len(idle) < CONNECTIONS_MAX + 40:
                    idle.append(other.dup())
        assert broker.told("client.refused", kind="full")
        assert client.produce("orders", b"y").error_code == 0
    finally:
        for other in idle:
            other.close()


def test_b70_a_client_at_the_port_between_nodes_is_closed_and_counted(broker: Broker, client: RawClient) -> None:
    with RawClient(broker.cluster.ports[1]) as stranger:
        stranger.send(METADATA, 9, MetadataRequest(None))
        assert stranger.is_closed()
    assert broker.told("client.refused", kind="link")
    assert client.produce("orders", b"x").error_code == 0
