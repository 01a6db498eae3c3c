"""Fields of a coordinator's records."""

from __future__ import annotations

import pytest

from cluster.coordination.fields import Reader, RecordError, compact, text
from cluster.model.byte_reader import uvarint


@pytest.mark.parametrize("value", ["", "ab", "é" * 200])
def test_texts_are_read_as_they_were_written(value: str) -> None:
    assert Reader(text(value)).text() == Reader(compact(value)).compact() == value


def test_null_is_a_length_of_its_own() -> None:
    assert (text(None), compact(None)) == (b"\xff\xff", b"\x00")


@pytest.mark.parametrize(("value", "data"), [(0, b"\x00"), (127, b"\x7f"), (128, b"\x80\x01"), (300, b"\xac\x02")])
def test_an_unsigned_varint(value: int, data: bytes) -> None:
    assert uvarint(value) == data
    assert Reader(data).uvarint() == value


def test_tagged_fields_are_read_by_their_numbers() -> None:
    assert Reader(b"\x02\x00\x01a\x07\x00").tags() == {0: b"a", 7: b""}
    with pytest.raises(RecordError):
        Reader(b"\x01\x00\x05a").tags()
