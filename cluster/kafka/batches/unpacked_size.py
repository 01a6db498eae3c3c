"""How large compressed records may become, read from the frames they are packed in: nothing is unpacked for it.

A megabyte of zstd may stand for 32 GiB (a block of three bytes and one that repeats), one of lz4 for 255 MiB. One of
snappy cannot become more than 32 MiB, whatever it holds: its longest copy takes two bytes and makes 64.
Sources: RFC 8878 (zstd), LZ4 frame format 1.6, Snappy format description.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from cluster.kafka.codec.limits import Buffer

Frame: TypeAlias = Callable[[Buffer, int], tuple[int, int]]
"""Reads one frame: the position after it, and what it becomes at most."""
ZSTD_MAGIC = 0xFD2FB528
LZ4_MAGIC = 0x184D2204
SNAPPY_RATIO_MAX = 32
_SKIPPABLE = 0x184D2A50
_SKIPPABLE_MASK = 0xFFFFFFF0
_ZSTD_BLOCK_BYTES_MAX = 128 << 10
_LZ4_RATIO_MAX = 255
_LZ4_BLOCK_BYTES = {4: 64 << 10, 5: 256 << 10, 6: 1 << 20, 7: 4 << 20}
_UNPACKED_BIT = 1 << 31
_FCS_BYTES = (0, 2, 4, 8)
_DICTIONARY_BYTES = (0, 1, 2, 4)


class NoFrameError(Exception):
    """The bytes are not what their codec writes. The message says what is wrong."""


def zstd_bytes_max(packed: Buffer) -> int:
    """Upper bound of what zstd frames become. Raises NoFrameError."""
    return _frames(packed, ZSTD_MAGIC, _zstd_frame)


def lz4_bytes_max(packed: Buffer) -> int:
    """Upper bound of what LZ4 frames become. Raises NoFrameError."""
    return _frames(packed, LZ4_MAGIC, _lz4_frame)


def snappy_bytes_max(packed: Buffer) -> int:
    """Upper bound of what snappy blocks become."""
    return SNAPPY_RATIO_MAX * len(packed)


def _number(packed: Buffer, at: int, size: int) -> int:
    if at + size > len(packed):
        raise NoFrameError("compressed records are cut short")
    return int.from_bytes(packed[at : at + size], "little")


def _frames(packed: Buffer, magic: int, frame: Frame) -> int:
    at = total = 0
    while at < len(packed):
        found = _number(packed, at, 4)
        if found & _SKIPPABLE_MASK == _SKIPPABLE:
            at += 8 + _number(packed, at + 4, 4)
        elif found == magic:
            at, size = frame(packed, at + 4)
            total += size
        else:
            raise NoFrameError("compressed records do not begin with the magic of their codec")
    if at != len(packed):
        raise NoFrameError("compressed records are cut short")
    return total


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
            raise NoFrameError("a zstd block of a reserved type")
        at += 3 + (1 if kind == 1 else size)
        total += size if kind < 2 else _ZSTD_BLOCK_BYTES_MAX
    return at + 4 * has_checksum, total


def _lz4_frame(packed: Buffer, at: int) -> tuple[int, int]:
    """The position after the frame, and what it becomes at most."""
    flags, block = _number(packed, at, 1), _number(packed, at + 1, 1)
    block_bytes = _LZ4_BLOCK_BYTES.get(block >> 4 & 7)
    if flags >> 6 != 1 or block_bytes is None:
        raise NoFrameError("an LZ4 frame of an unknown version or block size")
    block_checksum, has_size, has_checksum, has_dictionary = (flags >> bit & 1 for bit in (4, 3, 2, 0))
    at += 3 + 8 * has_size + 4 * has_dictionary
    total = 0
    while header := _number(packed, at, 4):
        size = header & ~_UNPACKED_BIT
        total += size if header & _UNPACKED_BIT else min(block_bytes, _LZ4_RATIO_MAX * size)
        at += 4 + size + 4 * block_checksum
    return at + 4 + 4 * has_checksum, total
