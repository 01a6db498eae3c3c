"""Varints and tagged fields, bounded."""

from __future__ import annotations

import pytest

from cluster.kafka.codec.limits import LENGTH_MAX, CodecError, read_length, read_uvarint, skip_tags
from cluster.model.byte_reader import uvarint


@pytest.mark.parametrize("value", [128, 300, 16_383, 16_384, 1 << 21, (1 << 28) - 1, 1 << 28, LENGTH_MAX])
def test_a_varint_is_read_as_written(value: int) -> None:
    data = uvarint(value)
    assert read_uvarint(data, 1, data[0]) == (value, len(data))
    assert read_length(data, 1, data[0]) == (value - 1, len(data))


@pytest.mark.parametrize(("value", "data"), [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (16_384, "808001")])
def test_a_varint_has_the_bytes_of_the_guide(value: int, data: str) -> None:
    assert uvarint(value).hex() == data


def test_a_varint_has_at_most_five_bytes_and_31_bits() -> None:
    with pytest.raises(CodecError, match="longer than 5 bytes"):
        read_uvarint(b"\xff" * 9 + b"\x01", 1, 0xFF)
    with pytest.raises(CodecError, match="more than"):
        read_uvarint(b"\xff\xff\xff\xff\x0f", 1, 0xFF)


def test_tagged_fields_are_skipped_whole() -> None:
    data = b"\x05\x02ab\x06\x00rest"
    assert skip_tags(data, 0, 2, len(data), 10) == (6, 8)


def test_a_tagged_field_longer_than_the_rest_is_refused() -> None:
    with pytest.raises(CodecError, match="a length of 9 with 2 bytes left"):
        skip_tags(b"\x05\x09ab", 0, 1, 4, 10)
