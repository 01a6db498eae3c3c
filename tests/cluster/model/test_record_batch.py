"""Kafka's batch layout v2, and what corrupt bytes get."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.record_batch import (
    HEADER_BYTES,
    CorruptBatchError,
    Record,
    batches,
    check_crc,
    decode_records,
    encode_batch,
    read_header,
    with_offset_and_epoch,
)

parts = st.none() | st.binary(max_size=40)
records = st.lists(st.builds(Record, parts, parts), min_size=1, max_size=20)


@given(records, st.integers(0, 2**40), st.integers(0, 2**31 - 1))
def test_a_batch_survives_the_round_trip(content: list[Record], base_offset: int, leader_epoch: int) -> None:
    batch = encode_batch(content, base_offset, leader_epoch)
    header = read_header(batch)
    assert (header.base_offset, header.leader_epoch, header.count) == (base_offset, leader_epoch, len(content))
    assert header.end_offset == base_offset + len(content)
    assert header.size_bytes == len(batch)
    assert decode_records(batch) == content


def test_offset_and_epoch_lie_outside_the_crc() -> None:
    placed = with_offset_and_epoch(encode_batch([Record(b"k", b"v")]), 7, 3)
    assert check_crc(placed)
    assert read_header(placed).base_offset == 7


def test_the_known_bytes_of_one_batch() -> None:
    batch = encode_batch([Record(None, b"x")], 5, 3)
    assert len(batch) == HEADER_BYTES + 8
    assert batch[16] == 2
    assert batch[:8] == (5).to_bytes(8, "big")


@given(st.integers(HEADER_BYTES, 90), st.integers(0, 255))
def test_a_flipped_byte_breaks_the_crc(position: int, value: int) -> None:
    batch = bytearray(encode_batch([Record(b"key", b"value" * 10)]))
    position = min(position, len(batch) - 1)
    if batch[position] == value:
        return
    batch[position] = value
    assert not check_crc(batch)


def test_a_cut_batch_is_refused() -> None:
    batch = encode_batch([Record(None, b"x" * 100)])
    for size in range(1, len(batch)):
        with pytest.raises(CorruptBatchError):
            list(batches(batch[:size]))


@given(st.binary(min_size=HEADER_BYTES, max_size=200))
def test_garbage_is_refused_with_one_kind_of_error(data: bytes) -> None:
    try:
        for _, batch in batches(data):
            decode_records(batch)
    except CorruptBatchError:
        pass
