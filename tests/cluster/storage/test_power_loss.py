"""Power loss takes exactly what was not durable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.faults.processes import KEEPS
from cluster.model.election_state import ElectionState
from cluster.model.errors import StorageFailed
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record, encode_batch
from cluster.storage.disk import Disk
from cluster.storage.election_file import NAME, read_election, write_election
from cluster.storage.log import open_log
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.power_loss import cut_to_durable


def test_unsynced_bytes_go_and_synced_bytes_stay(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("t-0/a")
    disk.append("t-0/a", b"123")
    disk.fsync("t-0/a")
    disk.fsync_dir("t-0")
    disk.append("t-0/a", b"45")
    disk.close()
    assert cut_to_durable(tmp_path) == (("t-0/a", 5, 3, 3, 3),)
    assert (tmp_path / "t-0/a").read_bytes() == b"123"
    assert cut_to_durable(tmp_path) == (("t-0/a", 3, 3, 3, 3),)


def test_a_lie_is_told_by_the_numbers(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("a")
    disk.fsync_dir("")
    disk.faults.lying = True
    disk.append("a", b"12345")
    disk.fsync("a")
    disk.close()
    assert cut_to_durable(tmp_path) == (("a", 5, 5, 0, 0),)


def test_an_honest_fsync_after_a_lie_saves_everything(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("a")
    disk.fsync_dir("")
    disk.faults.lying = True
    disk.append("a", b"123")
    disk.fsync("a")
    disk.faults.lying = False
    disk.append("a", b"45")
    disk.fsync("a")
    disk.close()
    assert cut_to_durable(tmp_path)[0][4] == 5


def test_a_file_whose_directory_was_not_synced_vanishes_with_its_folder(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("t-0/a")
    disk.append("t-0/a", b"123")
    disk.fsync("t-0/a")
    disk.close()
    assert cut_to_durable(tmp_path) == (("t-0/a", 3, 3, 0, 0),)
    assert not (tmp_path / "t-0").exists()
    assert cut_to_durable(tmp_path) == ()


def test_a_rename_whose_directory_was_not_synced_is_undone(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.replace("a", b"one")
    disk.fsync_dir("")
    disk.replace("a", b"second")
    disk.replace("a", b"third!!")
    disk.close()
    assert cut_to_durable(tmp_path) == (("a", 7, 7, 3, 3),)
    assert (tmp_path / "a").read_bytes() == b"one"
    assert Disk(tmp_path).books("a").settled


def test_a_vote_on_a_lying_disk_is_forgotten(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    write_election(disk, ElectionState(epoch=3, voted_for=101))
    disk.faults.lying = True
    write_election(disk, ElectionState(epoch=4, voted_for=102))
    assert read_election(disk) == ElectionState(epoch=4, voted_for=102)
    disk.close()
    (path, written, claimed, durable, kept) = cut_to_durable(tmp_path)[0]
    assert path == NAME
    assert written == claimed
    assert durable == kept
    assert read_election(Disk(tmp_path)) == ElectionState(epoch=3, voted_for=101)


def test_a_vote_on_an_honest_disk_is_kept(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    for epoch in range(5):
        write_election(disk, ElectionState(epoch=epoch, voted_for=101))
    disk.close()
    cut_to_durable(tmp_path)
    assert read_election(Disk(tmp_path)) == ElectionState(epoch=4, voted_for=101)


def test_a_first_vote_on_a_lying_disk_leaves_no_file(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.faults.lying = True
    write_election(disk, ElectionState(epoch=1))
    disk.faults.lying = False
    disk.replace("__cluster_metadata-0/other", b"x")
    disk.fsync_dir("__cluster_metadata-0")
    disk.close()
    cut_to_durable(tmp_path)
    assert read_election(Disk(tmp_path)) is None


def test_a_lie_stays_a_lie_after_a_restart_until_an_honest_write(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    write_election(disk, ElectionState(epoch=1))
    disk.faults.lying = True
    write_election(disk, ElectionState(epoch=2))
    disk.close()
    disk = Disk(tmp_path)
    disk.fsync_dir("__cluster_metadata-0")
    disk.close()
    cut_to_durable(tmp_path)
    assert read_election(Disk(tmp_path)) == ElectionState(epoch=1)


class Crashed(Exception):
    """The process died here."""


class CrashingDisk(Disk):
    """Dies before or after its n-th note in a side file."""

    def __init__(self, root: Path, dies_at: int, *, after: bool) -> None:
        super().__init__(root)
        self.left, self.after = dies_at, after

    def _save(self, name: str) -> None:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Crashed
        super()._save(name)
        if self.left == 0:
            raise Crashed


@pytest.mark.parametrize("power_lost", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("dies_at", range(1, 10))
def test_a_crash_between_any_two_steps_leaves_the_old_or_the_new_vote(
    tmp_path: Path, dies_at: int, after: bool, power_lost: bool
) -> None:
    write_election(Disk(tmp_path), ElectionState(epoch=0))
    disk, done = CrashingDisk(tmp_path, dies_at, after=after), 0
    with pytest.raises(Crashed):
        for epoch in range(1, 20):
            write_election(disk, ElectionState(epoch=epoch))
            done = epoch
    disk.close()
    if power_lost:
        cut_to_durable(tmp_path)
    again = Disk(tmp_path)
    state = read_election(again)
    assert state is not None
    assert state.epoch in (done, done + 1)
    write_election(again, ElectionState(epoch=50))
    again.close()
    cut_to_durable(tmp_path)
    assert read_election(Disk(tmp_path)) == ElectionState(epoch=50)


def test_temporary_files_vanish(tmp_path: Path) -> None:
    Disk(tmp_path).close()
    (tmp_path / "a.tmp").write_bytes(b"half")
    assert cut_to_durable(tmp_path) == ()
    assert not (tmp_path / "a.tmp").exists()


def test_no_folder_is_no_loss(tmp_path: Path) -> None:
    assert cut_to_durable(tmp_path / "none") == ()


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.binary(min_size=1, max_size=5)),
        st.tuples(st.just("truncate"), st.integers(0, 20)),
        st.tuples(st.just("replace"), st.binary(max_size=5)),
        st.sampled_from([("fsync",), ("fsync_dir",), ("lie",), ("honest",), ("reopen",)]),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(steps=STEPS)
def test_power_loss_agrees_with_a_model(steps: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("disk")
    disk = Disk(root)
    disk.create("a")
    log, log_durable, log_entry = b"", 0, False
    vote, vote_safe, vote_kept = None, None, None
    lying = False
    for step in steps:
        match step:
            case ("append", data):
                disk.append("a", data)
                log += data
            case ("truncate", size) if size <= len(log):
                disk.truncate("a", size)
                log, log_durable = log[:size], min(log_durable, size)
            case ("replace", data):
                disk.replace("b", data)
                vote, vote_safe = data, not lying or not data
            case ("fsync",):
                disk.fsync("a")
                log_durable = log_durable if lying else len(log)
            case ("fsync_dir",):
                disk.fsync_dir("")
                log_entry = log_entry or not lying
                vote_kept = vote if not lying and vote_safe else vote_kept
            case ("lie",):
                disk.faults.lying = lying = True
            case ("honest",):
                disk.faults.lying = lying = False
            case ("reopen",):
                disk.close()
                disk = Disk(root)
                disk.faults.lying = lying
                assert disk.read_whole("a") == log
                assert disk.read_whole("b") == vote
    disk.close()
    cut_to_durable(root)
    disk = Disk(root)
    assert disk.read_whole("a") == (log[:log_durable] if log_entry else None)
    assert disk.read_whole("b") == vote_kept
    assert all(disk.books(name).settled for name in disk.names(""))
    disk.close()
    assert all(kept == written for _, written, _, _, kept in cut_to_durable(root))


def _log(files: MemoryFiles, synced: int, unsynced: int) -> list[bytes]:
    disk = Disk(files)
    log, _ = open_log(disk, "t-0", TopicPartition("t", 0), clean=True, high_watermark=0)
    written = [encode_batch([Record(None, bytes(400))], offset, 1) for offset in range(synced + unsynced)]
    for number, batch in enumerate(written):
        if number == synced:
            log.flush()
        log.append(batch)
    disk.close()
    return written


def _outcome(keep: str, pick: int) -> tuple[bytes, int]:
    files = MemoryFiles()
    _log(files, 2, 3)
    (lost,) = [item for item in cut_to_durable(files, keep, str(pick)) if item[0].endswith(".log")]
    return files.read(lost[0], 0, 1 << 20), lost[4]


def test_of_what_was_not_durable_any_prefix_any_writes_or_any_sectors_may_be_left() -> None:
    whole = b"".join(_log(MemoryFiles(), 2, 3))
    size = len(whole) // 5
    for keep in KEEPS:
        left = {_outcome(keep, pick) for pick in range(200)}
        assert all(data[:kept] == whole[:kept] and kept >= 2 * size for data, kept in left), keep
        assert {_outcome(keep, 3)} == {_outcome(keep, 3)}
        assert (len(left) == 1) == (keep == "durable")
        if keep == "writes":
            batches = {tuple(any(data[at : at + size]) for at in range(2 * size, len(data), size)) for data, _ in left}
            assert batches == {(), (True,), (True, True), (True, True, True), (False, True), (False, True, True),
                               (True, False, True), (False, False, True)}  # fmt: skip
        if keep == "sectors":
            assert all(len(data) == len(whole) and kept >= 4 * size for data, kept in left)


@pytest.mark.parametrize("keep", KEEPS)
def test_a_node_explains_whatever_its_disk_has_left(keep: str) -> None:
    ends = set()
    for pick in range(40):
        files = MemoryFiles()
        _log(files, 2, 3)
        cut_to_durable(files, keep, str(pick))
        log, _ = open_log(Disk(files), "t-0", TopicPartition("t", 0), clean=False, high_watermark=0)
        ends.add(log.log_end_offset)
        assert log.durable_offset == log.log_end_offset
    assert ends == {"durable": {2}, "sectors": {4, 5}}.get(keep, {2, 3, 4, 5})


def test_a_folder_that_lies_takes_names_and_renames_along() -> None:
    files = MemoryFiles()
    write_election(Disk(files), ElectionState(epoch=4, leader_id=-1, voted_for=101))
    disk = Disk(files)
    disk.faults.lying_dir = True
    write_election(disk, ElectionState(epoch=5, leader_id=-1, voted_for=102))
    log, _ = open_log(disk, "t-0", TopicPartition("t", 0), clean=True, high_watermark=0)
    log.append(encode_batch([Record(None, b"x")], 0, 1))
    told = log.flush()
    assert (told.claimed_offset, told.durable_offset, told.lied) == (1, 0, True)
    disk.close()
    cut_to_durable(files)
    assert read_election(Disk(files)) == ElectionState(epoch=4, leader_id=-1, voted_for=101)
    assert [name for name in files.names() if name.startswith("t-0")] == []


def test_an_entry_that_was_not_synced_may_be_left_where_more_is_left() -> None:
    found = set()
    for pick in range(20):
        files = MemoryFiles()
        disk = Disk(files)
        disk.create("a")
        disk.append("a", b"12")
        disk.fsync("a")
        disk.close()
        cut_to_durable(files, "prefix", str(pick))
        found.add(tuple(files.names()))
    assert found == {(), ("a",)}


def test_what_a_failed_fsync_left_is_never_durable_although_a_retry_says_so(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.create("a")
    disk.append("a", b"12")
    disk.fsync("a")
    disk.fsync_dir("")
    disk.append("a", b"34")
    disk.faults.failing = True
    with pytest.raises(StorageFailed, match="fsync a"):
        disk.fsync("a")
    disk.close()
    again = Disk(tmp_path)
    assert again.read_whole("a") == b"1234"
    again.append("a", b"56")
    assert (again.fsync("a").claimed, again.books("a").durable) == (6, 2)
    again.close()
    assert cut_to_durable(tmp_path) == (("a", 6, 6, 2, 2),)


def test_what_is_cut_off_and_written_anew_can_be_durable_again() -> None:
    disk = Disk(MemoryFiles())
    disk.create("a")
    disk.append("a", b"12")
    disk.faults.failing = True
    with pytest.raises(StorageFailed):
        disk.fsync("a")
    disk.faults.failing = False
    disk.truncate("a", 0)
    disk.append("a", b"3")
    assert disk.fsync("a").durable == 1


def test_a_file_is_not_replaced_while_fsync_fails() -> None:
    disk = Disk(MemoryFiles())
    write_election(disk, ElectionState(epoch=4, leader_id=-1, voted_for=101))
    disk.faults.failing = True
    with pytest.raises(StorageFailed):
        write_election(disk, ElectionState(epoch=5, leader_id=-1, voted_for=102))
    assert read_election(disk) == ElectionState(epoch=4, leader_id=-1, voted_for=101)
