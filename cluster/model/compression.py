"""Opens what a batch's records are compressed with, within bounds, and packs them again with the same codec.

Clients of Java frame snappy as snappy-java does: a header of sixteen bytes, then blocks, each after its length; others
send one block alone. Both are read, as by Kafka; what is packed here has the frame.
Sources: Kafka Compression, snappy-java SnappyInputStream.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from enum import IntEnum
from types import ModuleType

from cluster.model.errors import BatchTooLargeError, CorruptBatchError, NoCodecError
from cluster.model.unpacked_size import Buffer, lz4_bytes_max, zstd_bytes_max

UNPACKED_BYTES_MAX = 32 << 20
"""The most that the records of one batch may become."""
RATIO_MAX = 100
"""The most that a byte of gzip may become, once there is more than UNPACKED_BYTES_FREE."""
UNPACKED_BYTES_FREE = 1 << 20
"""Up to here any ratio is taken: a batch of equal records shrinks a thousandfold in good faith."""
KEPT_BYTES_FREE = 16 << 20
"""Up to here gzip is unpacked without being measured first."""
_GZIP = 16 + zlib.MAX_WBITS
_PIECE_BYTES = 1 << 20
_SNAPPY_HEAD = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
_SNAPPY_MAGIC = _SNAPPY_HEAD[:8]


class Compression(IntEnum):
    """How the records of a batch are compressed: the low bits of its attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


def unpacked(codec: int, packed: Buffer) -> bytes:
    """Compressed records as they were.

    Raises CorruptBatchError when they are not what the codec writes, BatchTooLargeError before more memory is taken
    than the bounds allow, NoCodecError when nothing here opens them.
    """
    if codec == Compression.GZIP:
        return bytes(_gunzip(packed))
    library = _cramjam(codec)
    try:
        if codec == Compression.SNAPPY:
            return _unpacked_snappy(library, packed)
        if codec == Compression.LZ4:
            _refuse_above(lz4_bytes_max(packed))
            return bytes(library.lz4.decompress(packed))
        _refuse_above(zstd_bytes_max(packed))
        return bytes(library.zstd.decompress(packed))
    except library.DecompressionError as error:
        raise CorruptBatchError(f"records that are not {Compression(codec).name.lower()}") from error


def packed(codec: int, records: bytes) -> bytes:
    """Records as a client of that codec would send them. NoCodecError when nothing here packs them."""
    if codec == Compression.GZIP:
        return zlib.compress(records, wbits=_GZIP)
    library = _cramjam(codec)
    if codec == Compression.SNAPPY:
        block = bytes(library.snappy.compress_raw(records))
        return _SNAPPY_HEAD + struct.pack(">i", len(block)) + block
    if codec == Compression.LZ4:
        packer = library.lz4.Compressor(content_checksum=False, block_linked=False)
        packer.compress(records)
        return bytes(packer.finish())
    return bytes(library.zstd.compress(records))


def _cramjam(codec: int) -> ModuleType:
    """The library of the codecs that Python has none for; only who meets one of them pays for loading it."""
    if codec not in (Compression.SNAPPY, Compression.LZ4, Compression.ZSTD):
        raise NoCodecError(f"there is no compression {codec}")
    try:
        import cramjam
    except ImportError as error:
        name = Compression(codec).name.lower()
        raise NoCodecError(f"nothing here reads {name}: the Python package cramjam is not installed") from error
    return cramjam


def _refuse_above(size_max: int) -> None:
    if size_max > UNPACKED_BYTES_MAX:
        raise BatchTooLargeError(f"records of up to {size_max} bytes, at most {UNPACKED_BYTES_MAX} are taken")


def _unpacked_snappy(library: ModuleType, packed: Buffer) -> bytes:
    """What each block becomes stands at its begin, and is looked at before memory is taken."""
    blocks = list(_snappy_blocks(packed))
    _refuse_above(sum(library.snappy.decompress_raw_len(block) for block in blocks))
    return b"".join([bytes(library.snappy.decompress_raw(block)) for block in blocks])


def _snappy_blocks(packed: Buffer) -> Iterator[bytes]:
    data = bytes(packed)
    if not data.startswith(_SNAPPY_MAGIC):
        yield data
        return
    at = len(_SNAPPY_HEAD)
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        block = data[at + 4 : at + 4 + size]
        if not 0 < size == len(block):
            raise CorruptBatchError("a block of snappy is cut short")
        yield block
        at += 4 + size


def _gunzip(packed: Buffer) -> bytearray:
    """All members of a gzip stream. What may become large is measured before it is kept."""
    bound = min(UNPACKED_BYTES_MAX, max(UNPACKED_BYTES_FREE, RATIO_MAX * len(packed)))
    if bound > KEPT_BYTES_FREE:
        for _ in _pieces(packed, bound):
            pass
    whole = bytearray()
    for piece in _pieces(packed, bound):
        whole += piece
    return whole


def _pieces(packed: Buffer, bound: int) -> Iterator[bytes]:
    left = bound
    member = zlib.decompressobj(_GZIP)
    try:
        while packed:
            piece = member.decompress(packed, _PIECE_BYTES)
            packed = member.unconsumed_tail
            left -= len(piece)
            if left < 0:
                raise BatchTooLargeError(f"records of more than {bound} bytes")
            yield piece
            if member.eof and member.unused_data:
                packed, member = member.unused_data, zlib.decompressobj(_GZIP)
    except zlib.error as error:
        raise CorruptBatchError("records that are not gzip") from error
    if not member.eof:
        raise CorruptBatchError("compressed records are cut short")
