"""Few files are held open, and a system that grants no more descriptors loses nothing."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster.storage.disk import Disk
from cluster.storage.held_files import HELD_MAX, HeldFiles

FILES = 3 * HELD_MAX


def descriptors() -> int:
    return len(os.listdir("/dev/fd"))


@contextmanager
def allowed(most: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def fill(disk: Disk) -> None:
    """What a broker does with each of many partitions, twice."""
    for number in range(FILES):
        disk.create(f"t-{number}/a.log")
    for text in (b"one", b"two"):
        for number in range(FILES):
            disk.append(f"t-{number}/a.log", text)
            disk.fsync(f"t-{number}/a.log")
            disk.replace(f"t-{number}/checkpoint", text)


def test_a_disk_holds_few_files_open_however_many_it_has(tmp_path: Path) -> None:
    before = descriptors()
    disk = Disk(tmp_path, host_fsync=True)
    fill(disk)
    assert descriptors() - before <= HELD_MAX
    assert {disk.read_whole(f"t-{number}/a.log") for number in range(FILES)} == {b"onetwo"}
    disk.close()
    assert descriptors() == before


def test_a_disk_that_is_granted_few_descriptors_goes_on_with_those(tmp_path: Path) -> None:
    with allowed(descriptors() + 8):
        disk = Disk(tmp_path)
        fill(disk)
        assert {disk.read_whole(f"t-{number}/checkpoint") for number in range(FILES)} == {b"two"}
    disk.close()
    again = Disk(tmp_path)
    assert all(again.books(f"t-{number}/a.log").durable == 6 for number in range(FILES))


def test_the_file_that_was_used_longest_ago_is_the_one_that_is_closed(tmp_path: Path) -> None:
    held = HeldFiles(tmp_path)
    first = held.get("0", os.O_CREAT)
    second = held.get("1", os.O_CREAT)
    for number in range(2, HELD_MAX):
        held.get(str(number), os.O_CREAT)
    assert held.get("0") == first
    assert held.get("one more", os.O_CREAT) == second, "its number is free again"
    assert held.get("0") == first
    held.close()
