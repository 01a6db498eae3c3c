"""A log file as it lies there, batch by batch, good or bad: it is only read, and it may be anybody's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cluster.model.record_batch import (
    HEADER_BYTES,
    BatchHeader,
    CorruptBatchError,
    Record,
    batch_times,
    check_crc,
    codec_of,
    decode_records,
    read_header,
)
from cluster.ordinary_file import open_ordinary

BATCH_BYTES_MAX = 64 << 20
"""Of a batch that is read: more is taken for a length that has gone bad."""


class DumpedBatch(NamedTuple):
    """One batch, or the place where the file can be read no further."""

    position: int
    """Of its first byte in the file."""
    header: BatchHeader | None
    """None where no batch begins."""
    first_time_ms: int
    records: tuple[Record, ...]
    """Empty for one that is bad."""
    is_compressed: bool
    why: str
    """What is wrong with it, in a clause; empty when it is good."""


def dump_log(path: Path) -> Iterator[DumpedBatch]:
    """Each batch; after one that cannot be read nothing more comes. OSError when the file cannot be opened."""
    handle = open_ordinary(path)
    try:
        position = 0
        while (head := os.pread(handle, HEADER_BYTES, position)) != b"":
            dumped = _batch(handle, position, head)
            yield dumped
            if dumped.header is None:
                return
            position += dumped.header.size_bytes
    finally:
        os.close(handle)


def _batch(handle: int, position: int, head: bytes) -> DumpedBatch:
    try:
        header = read_header(head)
    except CorruptBatchError:
        what = "cut short" if len(head) < HEADER_BYTES else "no batch begins here"
        return DumpedBatch(position, None, 0, (), False, what)
    if header.size_bytes > BATCH_BYTES_MAX:
        return DumpedBatch(position, None, 0, (), False, f"its length says {header.size_bytes} bytes")
    data = os.pread(handle, header.size_bytes, position)
    if len(data) < header.size_bytes:
        return DumpedBatch(position, None, 0, (), False, f"cut short: {len(data)} of {header.size_bytes} bytes")
    first_ms, packed = batch_times(data)[0], bool(codec_of(data))
    if not check_crc(data):
        return DumpedBatch(position, header, first_ms, (), packed, "its CRC does not match")
    try:
        records = tuple(decode_records(data))
    except CorruptBatchError as error:
        return DumpedBatch(position, header, first_ms, (), packed, str(error))
    return DumpedBatch(position, header, first_ms, records, packed, "")
