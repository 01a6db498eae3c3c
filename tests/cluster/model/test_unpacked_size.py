"""What compressed records may become, held against the real codecs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from cluster.model.errors import CorruptBatchError
from cluster.model.unpacked_size import lz4_bytes_max, zstd_bytes_max

cramjam = pytest.importorskip("cramjam", reason="cramjam is not installed: pip install -e '.[clients]'")
zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed: pip install -e '.[clients]'")
frame = pytest.importorskip("lz4.frame", reason="lz4 is not installed: pip install -e '.[clients]'")

PACKS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], int]]] = {
    "zstd of cramjam": (lambda data: bytes(cramjam.zstd.compress(data)), zstd_bytes_max),
    "zstd": (lambda data: zstandard.ZstdCompressor().compress(data), zstd_bytes_max),
    "zstd, checksum, no size": (
        lambda data: zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress(data),
        zstd_bytes_max,
    ),
    "lz4": (lambda data: frame.compress(data, block_linked=False), lz4_bytes_max),
    "lz4, large blocks, checksums": (
        lambda data: frame.compress(
            data, block_size=7, block_linked=False, block_checksum=True, content_checksum=True, store_size=False
        ),
        lz4_bytes_max,
    ),
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
    assert len(data) <= bound(packed) <= len(data) + LAST_BLOCK_BYTES_MAX


def test_frames_of_zstd_one_after_the_other_add_up() -> None:
    pack, bound = PACKS["zstd"]
    first, second = pack(DATA["noise"]), pack(DATA["text"])
    skippable = b"\x5a\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    assert bound(first + skippable + second) == bound(first) + bound(second)


def test_lz4_is_one_frame_of_blocks_that_stand_alone() -> None:
    """Kafka 4.1 answers UNKNOWN_SERVER_ERROR to blocks that do not, and INVALID_RECORD to two frames."""
    with pytest.raises(CorruptBatchError, match="lean on each other"):
        lz4_bytes_max(frame.compress(DATA["noise"], block_linked=True))
    with pytest.raises(CorruptBatchError, match="one whole LZ4 frame"):
        lz4_bytes_max(frame.compress(b"one") + frame.compress(b"two"))


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
        except CorruptBatchError:
            continue
    with pytest.raises(CorruptBatchError):
        bound(packed[:-1])
    with pytest.raises(CorruptBatchError):
        bound(b"no frame at all")
