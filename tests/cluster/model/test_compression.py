"""Compressed records are opened as the codecs themselves do it, and never beyond the bounds."""

from __future__ import annotations

import gzip
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from random import Random

import pytest

from cluster.model.compression import UNPACKED_BYTES_MAX, Compression, packed, unpacked
from cluster.model.errors import BatchTooLargeError, CorruptBatchError, NoCodecError

zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed: pip install -e '.[clients]'")
frame = pytest.importorskip("lz4.frame", reason="lz4 is not installed: pip install -e '.[clients]'")
snappy = pytest.importorskip("snappy", reason="python-snappy is not installed: pip install -e '.[clients]'")

CODECS = [codec for codec in Compression if codec]
ZSTD_HEAD = b"\x28\xb5\x2f\xfd\x00\x58"
RLE_BLOCK, RLE_LAST = (((128 << 10) << 3 | 1 << 1 | last).to_bytes(3, "little") + b"x" for last in (0, 1))
XERIAL = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
TEXT = b"".join(b"%d:value " % number for number in range(20_000)) + Random(3).randbytes(9_000)


def framed_by_java(data: bytes) -> bytes:
    """As snappy-java writes it: blocks of 32 KiB, each after its length."""
    blocks = [snappy.compress(data[at : at + (32 << 10)]) for at in range(0, len(data), 32 << 10)]
    return XERIAL + b"".join(struct.pack(">i", len(block)) + block for block in blocks)


@pytest.mark.parametrize(
    ("codec", "pack"),
    [
        (Compression.GZIP, gzip.compress),
        (Compression.GZIP, lambda data: gzip.compress(data[:70]) + gzip.compress(data[70:])),
        (Compression.SNAPPY, snappy.compress),
        (Compression.SNAPPY, framed_by_java),
        (Compression.LZ4, lambda data: frame.compress(data, block_linked=False)),
        (Compression.LZ4, lambda data: frame.compress(data, block_size=5, block_linked=False, block_checksum=True)),
        (Compression.ZSTD, zstandard.ZstdCompressor().compress),
        (Compression.ZSTD, zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress),
    ],
)
@pytest.mark.parametrize("data", [b"x", TEXT])
def test_every_framing_that_clients_use_is_read(codec: int, pack: Callable[[bytes], bytes], data: bytes) -> None:
    assert unpacked(codec, pack(data)) == unpacked(codec, memoryview(pack(data))) == data


def test_what_is_packed_here_others_read() -> None:
    """Java reads snappy with its frame and alone, LZ4 only in blocks that stand alone."""
    assert gzip.decompress(packed(Compression.GZIP, TEXT)) == TEXT
    assert zstandard.ZstdDecompressor().decompressobj().decompress(packed(Compression.ZSTD, TEXT)) == TEXT
    lz4 = packed(Compression.LZ4, TEXT)
    assert frame.decompress(lz4) == TEXT and not frame.get_frame_info(lz4)["block_linked"]
    framed = packed(Compression.SNAPPY, TEXT)
    assert framed.startswith(XERIAL) and snappy.uncompress(framed[len(XERIAL) + 4 :]) == TEXT


@pytest.mark.parametrize("codec", CODECS)
def test_what_is_changed_is_corrupt_or_reads_as_something(codec: int) -> None:
    rng, good = Random(codec), packed(codec, TEXT[:4_000])
    corrupt = 0
    for _ in range(600):
        bad = bytearray(good)
        for _ in range(rng.choice((1, 2, 3))):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        try:
            unpacked(codec, bytes(bad[: rng.choice((len(bad), rng.randrange(len(bad)) + 1))]))
        except CorruptBatchError:
            corrupt += 1
    assert corrupt > 200


def test_a_codec_that_is_none_has_no_reader() -> None:
    with pytest.raises(NoCodecError, match="no compression 6"):
        unpacked(6, b"x")


def zipped_zeros(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1 << 20)
    return b"".join(packer.compress(zeros) for _ in range(size >> 20)) + packer.flush()


def test_a_bomb_of_gzip_is_refused_by_its_ratio() -> None:
    bomb = zipped_zeros(16 << 20)
    assert len(bomb) < 20_000
    with pytest.raises(BatchTooLargeError, match="records of more than"):
        unpacked(Compression.GZIP, bomb)


def large_snappy(size: int) -> bytes:
    """A block that says so of itself, and holds a byte."""
    return (
        bytes(((size & 0x7F) | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, size >> 21 & 0x7F)) + b"\x00a"
    )


@pytest.mark.parametrize(
    ("codec", "bomb"),
    [
        (Compression.ZSTD, ZSTD_HEAD + RLE_BLOCK * 7_999 + RLE_LAST),
        (Compression.LZ4, frame.compress(bytes(64 << 20), block_linked=False)),
        (Compression.SNAPPY, large_snappy(255 << 20)),
        (Compression.SNAPPY, framed_by_java(bytes(33 << 20))),
    ],
    ids=["zstd", "lz4", "snappy that lies", "snappy of Java"],
)
def test_a_bomb_is_refused_by_what_its_frames_say_before_memory_is_taken(codec: int, bomb: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BatchTooLargeError, match=str(UNPACKED_BYTES_MAX)):
            unpacked(codec, bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(bomb) + (1 << 20)


@pytest.mark.slow
def test_a_large_bomb_of_gzip_is_measured_in_pieces_and_never_kept() -> None:
    bomb = zipped_zeros(1 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(BatchTooLargeError, match=str(UNPACKED_BYTES_MAX)):
            unpacked(Compression.GZIP, bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(bomb) < peak < UNPACKED_BYTES_MAX // 4
