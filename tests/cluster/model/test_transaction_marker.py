"""The control record that ends a transaction has Kafka's layout."""

from __future__ import annotations

import pytest

from cluster.model.record_batch import CorruptBatchError, Record, decode_records, encode_batch, read_header
from cluster.model.transaction_marker import Marker, encode_marker, read_marker


@pytest.mark.parametrize("committed", [True, False])
def test_a_marker_is_read_as_it_was_written(committed: bool) -> None:
    batch = encode_marker(7, 3, Marker(committed, 5))
    header = read_header(batch)
    assert (header.control, header.transactional, header.producer_id, header.count) == (True, True, 7, 1)
    assert read_marker(batch) == Marker(committed, 5)
    assert decode_records(batch)[0].key == b"\x00\x00\x00" + (b"\x01" if committed else b"\x00")


def test_control_records_of_other_kinds_are_no_markers() -> None:
    assert read_marker(encode_batch([Record(b"\x00\x00\x00\x02", b"")], control=True)) is None


@pytest.mark.parametrize(("key", "value"), [(b"\x00", b""), (b"\x00\x00\x00\x01", b"\x00")])
def test_a_marker_cut_short_is_corrupt(key: bytes, value: bytes) -> None:
    with pytest.raises(CorruptBatchError):
        read_marker(encode_batch([Record(key, value)], control=True))
