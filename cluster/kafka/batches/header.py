"""The header of a client's batch: what a broker checks of it before it appends one, and how it puts it in its place.

The layout is that of `cluster.model.record_batch`, which is also what our logs hold. Records are never compressed anew
and stay as they came; `records.check_records` looks at each of them once. What is here costs about a microsecond for
each batch and the CRC, whatever is in it.
Sources: Kafka's ProduceRequest.validateRecords, ByteBufferLogInputStream, UnifiedLog.analyzeAndValidateRecords,
LogValidator.validateBatch.
"""

from __future__ import annotations

import struct

from msgspec import Struct

from cluster.kafka.codec.limits import Buffer
from cluster.model.compression import Compression
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Epoch, Offset
from cluster.model.record_batch import (
    CODEC_MASK,
    CONTROL_BIT,
    HEADER,
    HEADER_BYTES,
    MAGIC,
    TRANSACTIONAL_BIT,
    check_crc,
)

NO_PRODUCER = -1
BATCH_BYTES_MAX = 1_048_588
"""Kafka's default of message.max.bytes: 1 MiB and the twelve bytes before the leader epoch."""
ZSTD_FROM = 7
"""First Produce version that may carry zstd. Source: KIP-110."""
_RECORD_BYTES_MIN = 7
_LENGTH_AT, _LENGTH_END, _MAGIC_END = 8, 12, 17
_LENGTH_MIN = 14
_LENGTH_AND_MAGIC = struct.Struct(">i4xb")
_PLACE_BYTES = 16
_PLACE = struct.Struct(">qii")
_SEQUENCES = 1 << 31


class ProducedBatch(Struct):
    """What the header of a batch tells a broker."""

    size_bytes: int
    count: int
    attributes: int
    """Bits: compression 0-2, timestamp type 3, transactional 4, control 5."""
    base_timestamp_ms: int
    """Of the first record."""
    max_timestamp_ms: int
    """The largest of all records."""
    producer_id: int
    """-1 when the producer is not idempotent."""
    producer_epoch: int
    """-1 when the producer is not idempotent."""
    base_sequence: int
    """Of the first record; -1 when the producer is not idempotent."""

    @property
    def compression(self) -> Compression:
        """How its records are compressed."""
        return Compression(self.attributes & CODEC_MASK)

    @property
    def is_transactional(self) -> bool:
        """Whether it is part of a transaction."""
        return bool(self.attributes & TRANSACTIONAL_BIT)

    @property
    def last_sequence(self) -> int:
        """Of the last record; after 2^31 - 1 comes 0. -1 when the producer is not idempotent."""
        return -1 if self.producer_id < 0 else (self.base_sequence + self.count - 1) % _SEQUENCES


class Refusal(Struct):
    """Why a batch is not appended."""

    error: ErrorCode
    """What the client is told."""
    reason: str
    """One clause for people; it holds no bytes of the batch."""


_NO_BATCH = Refusal(ErrorCode.INVALID_RECORD, "no whole batch")


def check_produced(
    records: Buffer | None, produce_version: int, bytes_max: int = BATCH_BYTES_MAX
) -> ProducedBatch | Refusal:
    """Look at the one batch that a Produce request brings for a partition.

    Args:
        records: the record set as it came.
        produce_version: of the request; it decides whether zstd is allowed.
        bytes_max: largest batch that is taken, inclusive.
    """
    refusal = _check_whole(records)
    if refusal is not None or records is None:
        return refusal or _NO_BATCH
    header = HEADER.unpack_from(records)
    base_offset, length, _, _, _, attributes, last_delta, base, newest, *producer, count = header
    size = length + _LENGTH_END
    refusal = (
        _check_codec(attributes, produce_version)
        or _check_place(base_offset, size, len(records), bytes_max)
        or (None if check_crc(records) else Refusal(ErrorCode.CORRUPT_MESSAGE, "the CRC does not match"))
        or _check_count(count, last_delta, size, attributes)
        or _check_attributes(attributes)
        or _check_producer(attributes, *producer)
    )
    return refusal or ProducedBatch(size, count, attributes, base, newest, *producer)


def _check_whole(records: Buffer | None) -> Refusal | None:
    """Whether there is a whole batch of format 2. What is cut short counts as no batch at all."""
    if records is None or len(records) < _MAGIC_END:
        return _NO_BATCH
    length, magic = _LENGTH_AND_MAGIC.unpack_from(records, _LENGTH_AT)
    size = length + _LENGTH_END
    if length < _LENGTH_MIN or not 0 <= magic <= MAGIC:
        return Refusal(ErrorCode.CORRUPT_MESSAGE, f"{size} bytes in format {magic} are no batch")
    if size > len(records):
        return _NO_BATCH
    if magic != MAGIC:
        return Refusal(ErrorCode.INVALID_RECORD, f"a batch of format {magic}, only {MAGIC} is taken")
    if size < HEADER_BYTES:
        return Refusal(ErrorCode.CORRUPT_MESSAGE, f"{size} bytes are less than the header of a batch")
    return None


def _check_codec(attributes: int, produce_version: int) -> Refusal | None:
    codec = attributes & CODEC_MASK
    if codec > Compression.ZSTD or (codec == Compression.ZSTD and produce_version < ZSTD_FROM):
        return Refusal(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"compression {codec} in Produce {produce_version}")
    return None


def _check_place(base_offset: Offset, size: int, given: int, bytes_max: int) -> Refusal | None:
    if size < given:
        return Refusal(ErrorCode.INVALID_RECORD, "more than one batch for a partition")
    if base_offset != 0:
        return Refusal(ErrorCode.INVALID_RECORD, f"a producer's batch begins at offset 0, not {base_offset}")
    if size > bytes_max:
        return Refusal(ErrorCode.MESSAGE_TOO_LARGE, f"a batch of {size} bytes, at most {bytes_max} are taken")
    return None


def _check_count(count: int, last_delta: int, size: int, attributes: int) -> Refusal | None:
    if count < 1 or last_delta != count - 1:
        return Refusal(ErrorCode.INVALID_RECORD, f"{count} records and a last offset delta of {last_delta}")
    if attributes & CODEC_MASK == Compression.NONE and count * _RECORD_BYTES_MIN > size - HEADER_BYTES:
        return Refusal(ErrorCode.INVALID_RECORD, f"{count} records in {size - HEADER_BYTES} bytes")
    return None


def _check_attributes(attributes: int) -> Refusal | None:
    if attributes & CONTROL_BIT:
        return Refusal(ErrorCode.INVALID_RECORD, "clients may not write control records")
    return None


def _check_producer(attributes: int, producer_id: int, producer_epoch: int, base_sequence: int) -> Refusal | None:
    if attributes & TRANSACTIONAL_BIT and producer_id <= NO_PRODUCER:
        return Refusal(ErrorCode.INVALID_RECORD, "part of a transaction, but of no producer")
    if producer_id > NO_PRODUCER and (base_sequence < 0 or producer_epoch < 0):
        what = f"epoch {producer_epoch} and sequence {base_sequence}"
        return Refusal(ErrorCode.INVALID_RECORD, f"a producer id with {what}")
    return None


def place(batch: bytearray | memoryview, base_offset: Offset, leader_epoch: Epoch) -> None:
    """Write offset and leader epoch into a batch that may be written to. Both lie before what the CRC covers."""
    struct.pack_into(">q", batch, 0, base_offset)
    struct.pack_into(">i", batch, _LENGTH_END, leader_epoch)


def placed(batch: Buffer, base_offset: Offset, leader_epoch: Epoch) -> tuple[bytes, memoryview]:
    """The same batch in its place, in two parts and without a copy of its records: for a writev."""
    length = int.from_bytes(batch[_LENGTH_AT:_LENGTH_END], "big")
    return _PLACE.pack(base_offset, length, leader_epoch), memoryview(batch)[_PLACE_BYTES:]
