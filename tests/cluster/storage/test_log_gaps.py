"""Logs with gaps that compaction left: what is read in one, and where a cut ends them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.storage.disk import Disk
from cluster.storage.segment import Rolling
from tests.cluster.storage.test_log import FOLDER, batch, opened


@pytest.mark.parametrize(("cut_to", "end_offset"), [(2, 1), (4, 4), (5, 4), (6, 4), (7, 4), (8, 8), (9, 8)])
@pytest.mark.parametrize("rolls", [False, True])
def test_a_cut_in_a_gap_of_a_compacted_log_ends_it_with_its_last_batch(
    tmp_path: Path, cut_to: int, end_offset: int, rolls: bool
) -> None:
    """Else what reads up to the log's end would wait for ever for what is between them."""
    log = opened(Disk(tmp_path))
    log.note_cleaned(9)
    for base, count in ((0, 1), (2, 2), (7, 1), (9, 1)):
        log.append(batch(base, count))
        if rolls:
            log.roll("segment.bytes")
    log.truncate(cut_to)
    assert log.log_end_offset == end_offset
    held = b"".join(batch(base, count) for base, count in ((0, 1), (2, 2), (7, 1)) if base + count <= end_offset)
    assert log.read(0, 1 << 20) == held
    again = opened(Disk(tmp_path))
    assert (again.log_start_offset, again.log_end_offset) == (0, end_offset)


@pytest.mark.parametrize("size", [10, 5_000])
@pytest.mark.parametrize("segment_bytes", [20_000, 1 << 20])
def test_a_log_of_any_size_is_cut_after_the_last_batch_that_ends_there(
    tmp_path: Path, size: int, segment_bytes: int
) -> None:
    log, ends = opened(Disk(tmp_path), rolling=Rolling(segment_bytes)), [0]
    for gap, count in ((0, 1), (2, 2), (0, 1), (1, 3), (0, 1), (0, 2), (3, 1), (0, 1), (1, 1), (0, 3)):
        log.append(batch(ends[-1] + gap, count, size=size))
        ends.append(ends[-1] + gap + count)
    for cut_to in range(ends[-1] + 1, -1, -1):
        expected = max(end for end in ends if end <= cut_to)
        assert log.end_of_cut(cut_to) == expected
        log.truncate(cut_to)
        assert log.log_end_offset == expected


def test_a_cut_in_a_gap_never_takes_the_log_start_back(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    log.note_cleaned(9)
    for base, count in ((0, 3), (9, 1)):
        log.append(batch(base, count))
    log.advance_start(6)
    log.truncate(7)
    assert (log.log_start_offset, log.log_end_offset) == (6, 6)


def test_a_copy_of_a_compacted_log_has_gaps_and_says_so_on_disk_first(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log = opened(disk)
    log.append(batch(0) + batch(3))
    assert (log.cleaned_offset, log.log_end_offset) == (0, 4)
    assert disk.read_whole(f"{FOLDER}/cleaner-offset-checkpoint") == b"0\n1\n0\n"
    assert log.read(1, 1) == log.read(3, 1) == batch(3), "who wants what is gone gets what comes next"
    assert (log.end_of_cut(1), log.end_of_cut(2), log.end_of_cut(4)) == (1, 1, 4)
    again = opened(Disk(tmp_path))
    assert again.log_end_offset == 4
    again.truncate(2)
    assert again.log_end_offset == opened(Disk(tmp_path)).log_end_offset == 1
