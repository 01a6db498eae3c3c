"""What is read out of bytes, and what is not believed of them."""

from __future__ import annotations

import pytest

from cluster.model.byte_reader import ByteReader


class Wrong(Exception):
    """Of these bytes."""


class Reader(ByteReader):
    """Raises its own."""

    __slots__ = ()
    wrong = Wrong


def test_numbers_are_big_endian_and_signed() -> None:
    reader = Reader(b"\xff" + b"\xff\xfe" + b"\0\0\1\0" + b"\xff" * 8)
    assert (reader.int8(), reader.int16(), reader.int32(), reader.int64()) == (-1, -2, 256, -1)


def test_null_strings_and_arrays_are_empty() -> None:
    reader = Reader(b"\xff\xff" + b"\xff\xff\xff\xff" + b"\0" + b"\0")
    assert (reader.text(), reader.array_size(), reader.compact(), reader.count()) == ("", 0, "", 0)


@pytest.mark.parametrize(
    "read",
    [
        lambda: Reader(b"\0").int16(),
        lambda: Reader(b"\0\5abc").text(),
        lambda: Reader(b"\xff\xff\xff\xff").blob(),
        lambda: Reader(b"\x7f\0\0\0").array_size(),
        lambda: Reader(b"\xff\xff\xff\xfe").array_size(),
        lambda: Reader(b"\x09abc").count(),
        lambda: Reader(b"\xff\xff\xff\xff\xff\1").uvarint(),
    ],
)
def test_a_length_that_the_bytes_do_not_bear_out_is_refused(read: object) -> None:
    assert callable(read)
    with pytest.raises(Wrong):
        read()


def test_tagged_fields_are_stepped_over() -> None:
    reader = Reader(b"\2" + b"\0\1x" + b"\7\2yz" + b"\x05")
    reader.skip_tags()
    assert reader.int8() == 5
