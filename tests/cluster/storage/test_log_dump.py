"""A log file is read as it lies there, whoever put it there, and with a bound."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.model.compression import Compression, packed
from cluster.model.record_batch import HEADER, Record, encode_batch
from cluster.ordinary_file import StrangeFile
from cluster.storage.log_dump import BATCH_BYTES_MAX, dump_log
from tests.support.clients.client_batches import ClientRecord, client_batch

GOOD = encode_batch([Record(b"k", b"v"), Record(None, None)], 5, 3, 1234)
NEXT = encode_batch([Record(None, b"w")], 7, 3, 1235)


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "a.log"
    path.write_bytes(data)
    return path


def test_batches_are_told_with_their_places_and_records(tmp_path: Path) -> None:
    one, other = dump_log(_file(tmp_path, GOOD + NEXT))
    assert one.records == (Record(b"k", b"v"), Record(None, None))
    assert (one.position, one.first_time_ms, one.why) == (0, 1234, "")
    assert other.position == len(GOOD) and other.header is not None and other.header.base_offset == 7


@pytest.mark.parametrize("codec", [codec for codec in Compression if codec])
def test_compressed_records_are_told_like_others(tmp_path: Path, codec: int) -> None:
    records = [ClientRecord(n, 1234, b"k%d" % n, None) for n in range(3)]
    batch = client_batch(records, attributes=codec, pack=lambda data: packed(codec, data))
    (found,) = dump_log(_file(tmp_path, batch))
    assert found.is_compressed and found.records == tuple(Record(b"k%d" % n, None) for n in range(3))
    (bad,) = dump_log(_file(tmp_path, client_batch(records, attributes=codec)))
    assert bad.records == () and bad.why


def test_one_that_fails_its_check_does_not_hide_the_next(tmp_path: Path) -> None:
    spoiled = GOOD[:-1] + b"?"
    one, other = dump_log(_file(tmp_path, spoiled + NEXT))
    assert (one.records, one.why) == ((), "its CRC does not match")
    assert other.why == ""


@pytest.mark.parametrize(
    ("data", "why"),
    [(GOOD + NEXT[:-1], f"cut short: {len(NEXT) - 1} of {len(NEXT)} bytes"), (GOOD + NEXT[:10], "cut short"),
     (GOOD + b"\x00" * 100, "no batch begins here")],
)  # fmt: skip
def test_the_place_is_told_where_it_can_be_read_no_further(tmp_path: Path, data: bytes, why: str) -> None:
    *_, last = dump_log(_file(tmp_path, data))
    assert (last.position, last.header, last.why) == (len(GOOD), None, why)


def test_a_length_that_has_gone_bad_takes_no_memory(tmp_path: Path) -> None:
    fields = list(HEADER.unpack_from(GOOD))
    fields[1] = BATCH_BYTES_MAX + 1
    (found,) = dump_log(_file(tmp_path, HEADER.pack(*fields) + GOOD[HEADER.size :]))
    assert found.why.startswith("its length says")


def test_an_empty_file_holds_nothing_and_a_pipe_is_refused(tmp_path: Path) -> None:
    assert list(dump_log(_file(tmp_path, b""))) == []
    os.mkfifo(tmp_path / "pipe.log")
    with pytest.raises(StrangeFile):
        list(dump_log(tmp_path / "pipe.log"))
