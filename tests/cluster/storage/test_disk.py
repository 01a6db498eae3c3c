"""The books of the disk: what is written, claimed and durable."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cluster.model.errors import StorageFailed
from cluster.storage.books import FOLDER, RECORD_BYTES, Books, pack, unpack
from cluster.storage.disk import Disk

ROOT = Path(__file__).parents[3]


def test_an_honest_fsync_moves_claimed_and_durable(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("t-0/a.log")
    disk.append("t-0/a.log", b"12345")
    assert disk.books("t-0/a.log") == Books(written=5)
    books = disk.fsync("t-0/a.log")
    assert (books.written, books.claimed, books.durable) == (5, 5, 5)


def test_a_lying_fsync_moves_only_claimed(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("a")
    disk.append("a", b"12345")
    disk.faults.lying = True
    books = disk.fsync("a")
    assert (books.claimed, books.durable) == (5, 0)


def test_the_books_survive_a_new_start(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("a")
    disk.append("a", b"123")
    disk.fsync("a")
    disk.fsync_dir("")
    disk.append("a", b"45")
    disk.close()
    assert Disk(tmp_path).books("a") == Books(5, 3, 3, entry_durable=True)


def test_a_damaged_side_file_means_nothing_is_durable() -> None:
    record = pack(Books(9, 7, 5, entry_durable=True))
    assert len(record) == RECORD_BYTES
    assert unpack(record, 9) == Books(9, 7, 5, entry_durable=True)
    assert unpack(record, 4) == Books(4, 4, 4, entry_durable=True)
    assert unpack(record[:-1], 9) == Books(9)
    assert unpack(b"\xff" + record[1:], 9) == Books(9)


def test_a_full_disk_writes_short_and_fails(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("a")
    disk.faults.budget_bytes = 7
    disk.append("a", b"1234")
    with pytest.raises(StorageFailed) as failed:
        disk.append("a", b"5678")
    assert failed.value.errno == 28
    assert failed.value.what == "append a"
    assert (tmp_path / "a").read_bytes() == b"1234567"
    assert disk.books("a").written == 7


def test_replace_on_a_full_disk_leaves_the_old_content(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.replace("a", b"old")
    disk.faults.budget_bytes = 2
    with pytest.raises(StorageFailed):
        disk.replace("a", b"newer")
    assert disk.faults.budget_bytes == 2
    assert disk.read_whole("a") == b"old"
    assert sorted(item.name for item in tmp_path.iterdir()) == [FOLDER, "a"]


def test_what_is_removed_can_be_written_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.faults.budget_bytes = 4
    disk.create("a")
    disk.append("a", b"1234")
    disk.unlink("a")
    assert disk.faults.budget_bytes == 4
    assert not disk.exists("a")


def test_files_and_folders_are_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        disk = Disk(tmp_path / "data")
        disk.create("t-0/a")
        disk.replace("b", b"x")
    finally:
        os.umask(old)
    for path in (tmp_path / "data").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0


def test_an_error_of_the_host_is_a_storage_failure(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("a")
    with pytest.raises(StorageFailed) as failed:
        disk.create("a")
    assert failed.value.what == "create a"


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"x")
    root = tmp_path / "data"
    root.mkdir()
    (root / "a").symlink_to(tmp_path / "outside")
    disk = Disk(root)
    with pytest.raises(StorageFailed):
        disk.append("a", b"y")


def test_with_host_fsync_the_books_are_the_same(tmp_path: Path) -> None:
    disk = Disk(tmp_path, host_fsync=True)
    disk.create("a")
    disk.append("a", b"12")
    disk.fsync("a")
    disk.fsync_dir("")
    disk.replace("b", b"34")
    disk.fsync_dir("")
    assert disk.books("a").settled
    assert disk.books("b").settled


CHILD = """
import sys
from pathlib import Path
from cluster.storage.disk import Disk
disk = Disk(Path(sys.argv[1]))
disk.create("a")
for number in range(100):
    disk.append("a", b"%03d" % number)
    if number == 49:
        disk.fsync("a")
        disk.fsync_dir("")
disk.replace("b", b"vote")
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.first
@pytest.mark.processes
def test_kill_keeps_all_written_bytes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL
    disk = Disk(tmp_path)
    assert disk.read_whole("a") == b"".join(b"%03d" % number for number in range(100))
    assert disk.books("a") == Books(300, 150, 150, entry_durable=True)
    assert disk.read_whole("b") == b"vote"
    disk.close()
