"""What compressed records may become, held against the real codecs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from cluster.kafka.batches.unpacked_size import NoFrameError, lz4_bytes_max, snappy_bytes_max, zstd_bytes_max

cramjam = pytest.importorskip("cramjam", reason="cramjam is not installed: pip install -e '.[clients]'")
zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed: pip install -e '.[clients]'")
frame = pytest.importorskip("lz4.frame", reason="lz4 is not installed: pip install -e '.[clients]'")

PACKS = {
    "zstd of cramjam": (lambda data: bytes(cramjam.zstd.compress(data)), zstd_bytes_max),
    "zstd": (lambda data: zstandard.ZstdCompressor().compress(data), zstd_bytes_max),
    "zstd, checksum, no size": (
        lambda data: zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress(data),
        zstd_bytes_max,
    ),
    "lz4": (frame.compress, lz4_bytes_max),
    "lz4, large blocks, checksums": (
        lambda data: frame.compress(data, block_size=7, block_checksum=True, content_checksum=True, store_size=False),
        lz4_bytes_max,
    ),
    "snappy": (lambda data: bytes(cramjam.snappy.compress_raw(data)), snappy_bytes_max),
}
LAST_BLOCK_BYTES_MAX = 4 << 20
"""The last block of a frame may be any part of the largest."""
DATA = {
    "nothing": b"",
    "little": b"hello",
    "equal bytes": bytes(3 << 20),
    "noise": Random(1).randbytes(300_000),
    "text": b"".join(b"%d:value " % number for number in range(40_000)),
}


@pytest.mark.parametrize(("pack", "bound"), PACKS.values(), ids=PACKS)
@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_the_bound_holds_and_is_not_far_off(
    pack: Callable[[bytes], bytes], bound: Callable[[bytes], int], data: bytes
) -> None:
    packed = pack(data)
    assert len(data) <= bound(packed)
    assert bound is snappy_bytes_max or bound(packed) <= len(data) + LAST_BLOCK_BYTES_MAX


@pytest.mark.parametrize("name", ["zstd", "lz4"])
def test_frames_one_after_the_other_add_up(name: str) -> None:
    pack, bound = PACKS[name]
    first, second = pack(DATA["noise"]), pack(DATA["text"])
    skippable = b"\x5a\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    assert bound(first + skippable + second) == bound(first) + bound(second)


@pytest.mark.parametrize("name", PACKS)
def test_what_is_cut_or_changed_is_no_frame_or_has_a_bound(name: str) -> None:
    pack, bound = PACKS[name]
    packed, rng = pack(DATA["text"][:3_000]), Random(2)
    for _ in range(400):
        bad = bytearray(packed)
        bad[rng.randrange(len(bad))] = rng.randrange(256)
        cut = bytes(bad[: rng.randrange(len(bad)) + 1])
        try:
            assert bound(cut) >= 0
        except NoFrameError:
            continue
    if bound is not snappy_bytes_max:
        with pytest.raises(NoFrameError):
            bound(packed[:-1])
        with pytest.raises(NoFrameError):
            bound(b"no frame at all")
