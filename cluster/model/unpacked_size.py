"""How large compressed records become at most, read from the frames they are packed in before anything is unpacked.

A megabyte of zstd may stand for 32 GiB (a block of three bytes and one that repeats), one of lz4 for 255 MiB.
As in Kafka, LZ4 is one frame of blocks that stand alone: Java clients read no other.
Sources: RFC 8878 (zstd), LZ4 frame format 1.6, Kafka Lz4BlockInputStream.
"""

from __future__ import annotations

from typing import TypeAlias

from cluster.model.errors import CorruptBatchError

Buffer: TypeAlias = bytes | memoryview
ZSTD_MAGIC = 0xFD2FB528
LZ4_MAGIC = 0x184D2204
_NO_MAGIC = "compressed records do not begin with the magic of their codec"
_CUT = "compressed records are cut short"
_SKIPPABLE = 0x184D2A50
_SKIPPABLE_MASK = 0xFFFFFFF0
_ZSTD_BLOCK_BYTES_MAX = 128 << 10
_LZ4_RATIO_MAX = 255
_LZ4_BLOCK_BYTES = {4: 64 << 10, 5: 256 << 10, 6: 1 << 20, 7: 4 << 20}
_UNPACKED_BIT = 1 << 31
_FCS_BYTES = (0, 2, 4, 8)
_DICTIONARY_BYTES = (0, 1, 2, 4)


def zstd_bytes_max(packed: Buffer) -> int:
    """Upper bound of what zstd frames become. Raises CorruptBatchError."""
    at = total = 0
    while at < len(packed):
        magic = _number(packed, at, 4)
        if magic & _SKIPPABLE_MASK == _SKIPPABLE:
            at += 8 + _number(packed, at + 4, 4)
        elif magic == ZSTD_MAGIC:
            at, size = _zstd_frame(packed, at + 4)
            total += size
        else:
            raise CorruptBatchError(_NO_MAGIC)
    if at != len(packed):
        raise CorruptBatchError(_CUT)
    return total


def lz4_bytes_max(packed: Buffer) -> int:
    """Upper bound of what one LZ4 frame becomes. Raises CorruptBatchError."""
    if _number(packed, 0, 4) != LZ4_MAGIC:
        raise CorruptBatchError(_NO_MAGIC)
    end, size = _lz4_frame(packed, 4)
    if end != len(packed):
        raise CorruptBatchError("compressed records are not one whole LZ4 frame")
    return size


def _number(packed: Buffer, at: int, size: int) -> int:
    if at + size > len(packed):
        raise CorruptBatchError(_CUT)
    return int.from_bytes(packed[at : at + size], "little")


def _zstd_frame(packed: Buffer, at: int) -> tuple[int, int]:
    """The position after the frame, and what it becomes at most."""
    descriptor = _number(packed, at, 1)
    is_single, has_checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    fcs_bytes = _FCS_BYTES[descriptor >> 6] or is_single
    at += 1 + (1 - is_single) + _DICTIONARY_BYTES[descriptor & 3] + fcs_bytes
    total, is_last = 0, False
    while not is_last:
        header = _number(packed, at, 3)
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        if kind == 3:
            raise CorruptBatchError("a zstd block of a reserved type")
        at += 3 + (1 if kind == 1 else size)
        total += size if kind < 2 else _ZSTD_BLOCK_BYTES_MAX
    return at + 4 * has_checksum, total


def _lz4_frame(packed: Buffer, at: int) -> tuple[int, int]:
    """The position after the frame, and what it becomes at most."""
    flags, block = _number(packed, at, 1), _number(packed, at + 1, 1)
    block_bytes = _LZ4_BLOCK_BYTES.get(block >> 4 & 7)
    if flags >> 6 != 1 or block_bytes is None:
        raise CorruptBatchError("an LZ4 frame of an unknown version or block size")
    if not flags >> 5 & 1:
        raise CorruptBatchError("LZ4 blocks that lean on each other, which Kafka does not take")
    block_checksum, has_size, has_checksum, has_dictionary = (flags >> bit & 1 for bit in (4, 3, 2, 0))
    at += 3 + 8 * has_size + 4 * has_dictionary
    total = 0
    while header := _number(packed, at, 4):
        size = header & ~_UNPACKED_BIT
        total += size if header & _UNPACKED_BIT else min(block_bytes, _LZ4_RATIO_MAX * size)
        at += 4 + size + 4 * block_checksum
    return at + 4 + 4 * has_checksum, total
