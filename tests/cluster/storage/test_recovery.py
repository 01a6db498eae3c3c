"""Recovery keeps every whole batch before the first bad byte, and nothing after it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import TempPathFactory

from cluster.model.events.storage import LogRecovered
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record, encode_batch, read_header
from cluster.storage.disk import Disk
from cluster.storage.log import Log, open_log
from cluster.storage.segment import Rolling, segment_name

ORDERS = TopicPartition("orders", 0)
FOLDER = "orders-0"
BATCHES = [encode_batch([Record(b"k", b"value")] * count, base, 0) for base, count in ((0, 2), (2, 1), (3, 3))]
WHOLE = b"".join(BATCHES)
ENDS = (0, 2, 3, 6)


def recovered(root: Path, content: bytes, *, clean: bool = False) -> tuple[Log, LogRecovered]:
    disk = Disk(root)
    disk.create(segment_name(FOLDER, 0))
    disk.append(segment_name(FOLDER, 0), content)
    disk.close()
    disk = Disk(root)
    found = open_log(disk, FOLDER, ORDERS, clean=clean, high_watermark=0)
    disk.close()
    return found


def whole_batches(size: int) -> int:
    return sum(size >= len(b"".join(BATCHES[: index + 1])) for index in range(len(BATCHES)))


def test_a_tail_torn_at_any_byte_is_cut_to_the_last_whole_batch(tmp_path: Path) -> None:
    for size in range(len(WHOLE) + 1):
        log, event = recovered(tmp_path / str(size), WHOLE[:size])
        count = whole_batches(size)
        valid = len(b"".join(BATCHES[:count]))
        assert log.log_end_offset == event.log_end_offset == ENDS[count]
        assert (event.valid_bytes, event.dropped_bytes) == (valid, size - valid)
        assert event.why == ("scanned" if size == valid else "torn tail")
        assert (tmp_path / str(size) / segment_name(FOLDER, 0)).stat().st_size == valid


@settings(max_examples=100, deadline=None)
@given(position=st.integers(0, len(WHOLE) - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_cuts_at_its_batch(position: int, bit: int, tmp_path_factory: TempPathFactory) -> None:
    content = bytearray(WHOLE)
    content[position] ^= 1 << bit
    log, event = recovered(tmp_path_factory.mktemp("flip"), bytes(content))
    count = whole_batches(position)
    in_epoch = 12 <= position - len(b"".join(BATCHES[:count])) < 16
    assert log.log_end_offset == (ENDS[-1] if in_epoch else ENDS[count]), "the leader epoch lies outside the CRC"
    in_length = 8 <= position - len(b"".join(BATCHES[:count])) < 12
    assert event.why == ("scanned" if in_epoch else event.why if in_length else "bad batch"), "nothing is missing"


def test_zeros_after_the_last_batch_are_cut(tmp_path: Path) -> None:
    log, event = recovered(tmp_path, WHOLE + bytes(1000))
    assert (log.log_end_offset, event.dropped_bytes) == (6, 1000)


def test_a_clean_start_trusts_the_crc(tmp_path: Path) -> None:
    content = bytearray(WHOLE)
    content[-1] ^= 1
    log, event = recovered(tmp_path / "a", bytes(content), clean=True)
    assert (log.log_end_offset, event.why) == (6, "clean")
    log, event = recovered(tmp_path / "b", WHOLE[:-1], clean=True)
    assert (log.log_end_offset, event.why) == (3, "torn tail")


def test_segments_after_a_bad_batch_are_dropped(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log, _ = open_log(disk, FOLDER, ORDERS, clean=False, high_watermark=0, rolling=Rolling(1))
    for item in BATCHES:
        log.append(item)
    disk.truncate(segment_name(FOLDER, 2), len(BATCHES[1]) - 1)
    disk.close()
    disk = Disk(tmp_path)
    log, event = open_log(disk, FOLDER, ORDERS, clean=False, high_watermark=5)
    assert (log.log_end_offset, event.high_watermark) == (2, 2)
    assert event.dropped_bytes == len(BATCHES[1]) - 1 + len(BATCHES[2])
    assert not disk.exists(segment_name(FOLDER, 3))


def test_the_event_lists_the_newest_batches(tmp_path: Path) -> None:
    content = b"".join(encode_batch([Record(None, b"v")], base, 7) for base in range(250))
    _, event = recovered(tmp_path, content)
    last = encode_batch([Record(None, b"v")], 249, 7)
    assert len(event.batches) == 200
    assert event.batches[-1] == (249, 1, 7, (f"{read_header(last).crc:08x}",))
    assert event.batches[0][0] == 50


def test_the_event_tells_what_the_disk_had_claimed_though_nobody_told_of_the_claim(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log, new = open_log(disk, FOLDER, ORDERS, clean=False, high_watermark=0)
    log.append(BATCHES[0])
    log.flush()
    log.append(BATCHES[1])
    disk.close()
    _, event = open_log(Disk(tmp_path), FOLDER, ORDERS, clean=False, high_watermark=0)
    assert (new.claimed_offset, event.claimed_offset, event.log_end_offset) == (0, 2, 3)
