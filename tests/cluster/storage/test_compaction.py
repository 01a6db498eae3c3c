"""One pass of compaction, on real batches in memory."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.compression import Compression, packed
from cluster.model.effects import CleanLog
from cluster.model.events.storage import LogCleaned
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import (
    HEADER_BYTES,
    NOT_SEQUENCED,
    Record,
    batches,
    check_crc,
    codec_of,
    encode_batch,
    numbered_records,
    record_times,
    thinned,
)
from cluster.storage.compaction import compact
from cluster.storage.disk import Disk
from cluster.storage.log import Log, open_log
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.segment import Rolling
from tests.support.clients.client_batches import ClientRecord, client_batch

USERS = TopicPartition("users", 0)
RETENTION_MS = 1_000
Kept = list[tuple[int, bytes, bytes | None]]


def restarted(disk: Disk) -> Disk:
    """The same files as another process sees them."""
    files = MemoryFiles()
    for name in (name for folder in disk.folders() for name in disk.names(folder)):
        files.create(name)
        files.write(name, disk.read_whole(name) or b"", 0)
    return Disk(files)


def opened(disk: Disk) -> Log:
    log, _ = open_log(disk, "users-0", USERS, clean=False, high_watermark=0, rolling=Rolling(120))
    return log


def written(disk: Disk, *keys: str, epochs: str = "", producer: int = -1) -> Log:
    """A record of each key in a batch of its own, about one batch a segment; a small letter is a tombstone."""
    log = opened(disk)
    for offset, key in enumerate(keys, log.log_end_offset):
        record = Record(key.upper().encode(), None if key.islower() else b"value-%d" % offset)
        sequenced = (producer, 0, offset) if producer >= 0 else NOT_SEQUENCED
        log.append(encode_batch([record], offset, int(epochs[offset]) if epochs else 0, sequenced=sequenced))
    return log


def cleaned(disk: Disk, log: Log, wall_ms: int = 0, segment_bytes: int = 120) -> LogCleaned:
    end_offset = log.segments()[-1].base_offset
    asked = CleanLog(USERS, end_offset, RETENTION_MS, wall_ms)
    log.note_cleaned(max(0, log.cleaned_offset))
    made, told = compact(disk, log.closed_before(end_offset), asked, segment_bytes)
    log.take_cleaned(made, end_offset)
    return told


def kept(log: Log) -> Kept:
    data = log.read(log.log_start_offset, 1 << 20) if log.log_end_offset else b""
    found: Kept = []
    position = log.log_start_offset
    while position < log.log_end_offset:
        data = log.read(position, 1 << 20)
        for header, batch in batches(data):
            found += [(offset, record.key or b"", record.value) for offset, record in numbered_records(batch)]
            position = header.end_offset
    return found


def offsets(log: Log) -> list[int]:
    return [offset for offset, _, _ in kept(log)]


def test_of_each_key_the_newest_record_stays_where_it_was() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"ABABCAD")
    told = cleaned(disk, log)
    assert offsets(log) == [3, 4, 5, 6], "the last one is in the segment that is written to"
    assert told.removed == (0, 1, 2) and told.record_count == 6
    assert (log.log_end_offset, log.cleaned_offset) == (7, 6)


def test_what_is_written_to_is_neither_changed_nor_looked_at() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"ABA")
    cleaned(disk, log)
    assert offsets(log) == [0, 1, 2], "the newer value of A is in the segment that is written to"


def test_a_second_pass_finds_what_the_first_left() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"ABABCAD")
    first = cleaned(disk, log)
    for key in "ABE":
        log = written(disk, key)
    second = cleaned(disk, log)
    left = {offset for offset, _, _ in first.records} - set(first.removed)
    assert left <= {offset for offset, _, _ in second.records}
    assert offsets(log) == [4, 6, 7, 8, 9]


def test_small_segments_become_one() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"ABCABCABCD")
    told = cleaned(disk, log, segment_bytes=1_000)
    assert told.segments_after == 1 < told.segments_before
    assert len([name for name in disk.names("users-0") if name.endswith(".log")]) == 2
    assert offsets(opened(restarted(disk))) == offsets(log) == [6, 7, 8, 9]


def test_an_epoch_keeps_its_first_batch_and_a_segment_its_last() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"AAAAAAAA", epochs="00112223")
    entries = log.leader_epochs.entries()
    cleaned(disk, log, segment_bytes=10_000)
    cleaned(disk, log, segment_bytes=10_000)  # now they are one segment
    bases = [header.base_offset for header, _ in batches(log.read(0, 1 << 20))]
    assert bases == [0, 2, 4, 6], "of offsets 0, 2 and 4 the epochs, of 6 the segment"
    disk.unlink("users-0/leader-epoch-checkpoint")
    assert opened(restarted(disk)).leader_epochs.entries() == entries


def test_a_producer_keeps_its_last_five_batches() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"AAAAAAAAAA", producer=9)
    cleaned(disk, log, segment_bytes=10_000)
    cleaned(disk, log, segment_bytes=10_000)
    found = [(header.base_offset, header.records) for header, _ in batches(log.read(0, 1 << 20))]
    assert found == [(0, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 1)]


def test_a_tombstone_takes_its_key_and_goes_when_it_is_old() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"ABaBBC")
    assert cleaned(disk, log, 5_000).removed == (0, 1, 3)
    assert offsets(log) == [2, 4, 5]
    assert cleaned(disk, log, 5_999).removed == ()
    told = cleaned(disk, log, 6_000)
    assert (told.removed, told.expired) == ((2,), ((2, 6_000),))
    assert offsets(log) == [4, 5]


def test_what_it_does_not_look_into_stays_and_so_do_tombstones_then() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, "A")
    log.append(encode_batch([Record(b"A", b"x")], 1, control=True))
    log = written(disk, *"aBB")
    assert cleaned(disk, log, 1_000).opaque_count == 1
    assert cleaned(disk, log, 9_000).removed == ()
    assert 2 in offsets(log), "the marker may stand for an older value of A"


def test_a_record_without_a_key_stays() -> None:
    disk = Disk(MemoryFiles())
    log = opened(disk)
    for offset in range(4):
        log.append(encode_batch([Record(None, b"value of %d" % offset)], offset))
    assert cleaned(disk, log).removed == ()


def test_part_of_a_batch_goes_and_the_rest_keeps_its_offsets_and_times() -> None:
    disk = Disk(MemoryFiles())
    log = opened(disk)
    log.append(encode_batch([Record(key, b"old") for key in (b"A", b"B", b"C")], 0, timestamp_ms=77))
    log.append(encode_batch([Record(key, b"new") for key in (b"A", b"C", b"D")], 3, timestamp_ms=78))
    log.append(encode_batch([Record(b"E", b"new")], 6))
    assert cleaned(disk, log).removed == (0, 2)
    ((first, batch), *_) = batches(log.read(0, 1))
    assert (first.base_offset, first.end_offset, first.records) == (0, 3, 1)
    assert numbered_records(batch) == [(1, Record(b"B", b"old"))]


@pytest.mark.parametrize("codec", [codec for codec in Compression if codec])
def test_what_is_compressed_is_looked_into_and_what_stays_is_compressed_again(codec: int) -> None:
    """As Kafka does (MemoryRecords.filterTo): the newest of each key stays, in a batch of the same codec."""
    disk = Disk(MemoryFiles())
    log = opened(disk)

    def append(values: dict[str, str], time_ms: int) -> None:
        base = log.log_end_offset
        records = [
            ClientRecord(base + n, time_ms + n, key.encode(), value.encode() or None)
            for n, (key, value) in enumerate(values.items())
        ]
        log.append(client_batch(records, attributes=codec, pack=lambda data: packed(codec, data), base_offset=base))

    append({"A": "old", "B": "stays", "C": "old"}, 70)
    append({"A": "new", "C": "", "D": "new"}, 90)
    append({"E": "new"}, 99)
    append({"F": "in the segment that is written to"}, 99)
    told = cleaned(disk, log, 5_000, segment_bytes=1_000)
    assert (told.opaque_count, told.removed, told.record_count) == (0, (0, 2), 7)
    assert kept(log)[:4] == [(1, b"B", b"stays"), (3, b"A", b"new"), (4, b"C", None), (5, b"D", b"new")]
    first = next(batch for _, batch in batches(log.read(0, 1 << 20)))
    assert codec_of(first) == codec and record_times(first) == [(1, 71)]
    told = cleaned(disk, log, 6_000, segment_bytes=1_000)
    assert (told.removed, told.expired) == ((4,), ((4, 6_000),)), "a tombstone goes out of its batch"
    assert kept(opened(restarted(disk))) == kept(log)


def test_a_batch_that_is_left_empty_is_not_compressed() -> None:
    batch = client_batch(
        [ClientRecord(0, 5, b"k", b"v")], attributes=Compression.ZSTD, pack=lambda data: packed(4, data)
    )
    empty = thinned(batch, set())
    assert (codec_of(empty), len(empty), check_crc(empty)) == (0, HEADER_BYTES, True)


@given(st.text("ABCabc", min_size=1, max_size=30), st.integers(60, 400))
def test_who_reads_it_all_ends_with_the_same_values(keys: str, segment_bytes: int) -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *keys)

    def values() -> dict[bytes, bytes]:
        return {key: value for key, value in {key: value for _, key, value in kept(log)}.items() if value is not None}

    before = values()
    for wall_ms in (0, 500, 5_000):
        cleaned(disk, log, wall_ms, segment_bytes)
        assert values() == before
        again = opened(restarted(disk))
        assert kept(again) == kept(log) and again.end() == log.end()
        assert all(one.end_offset == other.base_offset for one, other in pairwise(log.segments()))


@pytest.mark.parametrize("lie", ["lying", "lying_dir"])
def test_on_a_disk_that_lies_nothing_below_is_durable_any_more(lie: str) -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"ABABCAD")
    log.flush()
    setattr(disk.faults, lie, True)
    cleaned(disk, log)
    assert log.durable_offset == 0 < log.flushed_offset
