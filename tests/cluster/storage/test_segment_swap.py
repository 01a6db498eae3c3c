"""A swap of segments that is cut off anywhere is either done or not begun."""

from __future__ import annotations

import pytest

from cluster.model.effects import CleanLog
from cluster.model.events.storage import DamageFound, StorageEvent
from cluster.model.identifiers import TopicPartition
from cluster.storage.compaction import compact
from cluster.storage.disk import Disk
from cluster.storage.log import Log, open_log
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.segment_swap import SWAP
from tests.cluster.storage.test_compaction import USERS, cleaned, kept, opened, written

FIRST = "users-0/00000000000000000000.log"


class Dead(Exception):
    """The process is gone."""


def left_by_a_death(at_rename: int) -> tuple[Disk, list[bytes]]:
    """A disk as a process left it that died at the n-th rename of a pass; what the newest values were."""
    files = MemoryFiles()
    disk = Disk(files)
    log = written(disk, *"ABCABCABABCD")
    wanted = sorted({key: value or b"" for _, key, value in kept(log)}.values())
    seen = 0

    def die(_place: str) -> None:
        nonlocal seen
        seen += 1
        if seen == at_rename:
            raise Dead

    disk.on_rename = die
    try:
        cleaned(disk, log, segment_bytes=300)
    except Dead:
        assert seen == at_rename
    return Disk(files), wanted


@pytest.mark.parametrize("at_rename", range(1, 20))
def test_wherever_it_dies_no_newest_value_is_lost(at_rename: int) -> None:
    disk, wanted = left_by_a_death(at_rename)
    log = opened(disk)
    assert sorted({key: value or b"" for _, key, value in kept(log)}.values()) == wanted
    assert log.log_end_offset == 12
    assert not [name for name in disk.names("users-0") if name.endswith(SWAP)]
    cleaned(disk, log, segment_bytes=300)
    assert sorted(value or b"" for _, _, value in kept(log)) == wanted


def begun_twice(disk: Disk) -> tuple[Log, bytes]:
    """A log that is whole, and the segment that a pass would have put in place of its first ones."""
    log = written(disk, *"ABCABCABABCD")
    end_offset = log.segments()[-1].base_offset
    shadow = Disk(MemoryFiles())
    copy = written(shadow, *"ABCABCABABCD")
    compact(shadow, copy.closed_before(end_offset), CleanLog(USERS, end_offset, 0, 0), 10_000)
    return log, shadow.read_whole(FIRST) or b""


def reopened(disk: Disk) -> tuple[Log, list[DamageFound]]:
    told: list[StorageEvent] = []
    log, _ = open_log(disk, "users-0", TopicPartition("users", 0), clean=False, high_watermark=0, tell=told.append)
    return log, [event for event in told if isinstance(event, DamageFound)]


def test_a_whole_swap_file_is_put_in_place_at_the_next_start() -> None:
    disk = Disk(MemoryFiles())
    log, data = begun_twice(disk)
    log.note_cleaned(0)
    disk.replace(FIRST + SWAP, data)
    again, damages = reopened(disk)
    assert not damages and again.log_end_offset == 12
    assert len([name for name in disk.names("users-0") if name.endswith(".log")]) == 2


@pytest.mark.parametrize("spoilt", ["cut", "flipped", "empty"])
def test_a_swap_file_that_is_spoilt_is_told_and_the_old_segments_count(spoilt: str) -> None:
    disk = Disk(MemoryFiles())
    log, data = begun_twice(disk)
    before = kept(log)
    bad = {"cut": data[:-1], "flipped": bytes((*data[:-1], data[-1] ^ 1)), "empty": b""}[spoilt]
    disk.replace(FIRST + SWAP, bad)
    again, damages = reopened(disk)
    assert [(damage.path, damage.what) for damage in damages] == [(FIRST + SWAP, "it is no whole segment")]
    assert kept(again) == before and not disk.exists(FIRST + SWAP)


def test_a_swap_file_with_a_name_of_its_own_is_told_and_dropped() -> None:
    disk = Disk(MemoryFiles())
    log, data = begun_twice(disk)
    before = kept(log)
    disk.replace("users-0/segment.log" + SWAP, data)
    again, damages = reopened(disk)
    assert [damage.path for damage in damages] == ["users-0/segment.log" + SWAP]
    assert kept(again) == before


def test_a_gap_in_a_log_that_was_never_compacted_is_damage() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"ABABCAD")
    cleaned(disk, log, segment_bytes=10_000)
    cleaned(disk, log, segment_bytes=10_000)
    disk.unlink("users-0/cleaner-offset-checkpoint")
    again, _ = reopened(disk)
    assert again.log_end_offset < 7


def test_a_damaged_checkpoint_is_told_and_the_log_is_compacted_anew() -> None:
    disk = Disk(MemoryFiles())
    log = written(disk, *"ABABCAD")
    cleaned(disk, log)
    disk.replace("users-0/cleaner-offset-checkpoint", b"nonsense")
    again, damages = reopened(disk)
    assert [damage.path for damage in damages] == ["users-0/cleaner-offset-checkpoint"]
    assert (again.log_end_offset, again.cleaned_offset) == (7, 0)
