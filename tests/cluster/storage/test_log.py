"""The log keeps what was appended, in order, through truncation, rolls and restarts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.model.errors import OffsetError, StorageFailed
from cluster.model.identifiers import METADATA, LogEnd, TopicPartition
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.log_view import LogView
from cluster.model.record_batch import CorruptBatchError, Record, encode_batch
from cluster.storage.disk import Disk
from cluster.storage.disk_faults import DiskFaults
from cluster.storage.log import Log, open_log, topic_directory
from cluster.storage.power_loss import cut_to_durable
from cluster.storage.segment import Rolling

ORDERS = TopicPartition("orders", 0)
FOLDER = "orders-0"


def opened(disk: Disk, tp: TopicPartition = ORDERS, **options: Any) -> Log:
    return open_log(disk, topic_directory(tp), tp, clean=False, high_watermark=0, **options)[0]


def batch(base_offset: int, count: int = 1, epoch: int = 0, size: int = 10) -> bytes:
    return encode_batch([Record(None, b"x" * size)] * count, base_offset, epoch)


def test_a_log_is_a_log_view(tmp_path: Path) -> None:
    view: LogView = opened(Disk(tmp_path))
    wanted = {name for name in vars(LogView) if not name.startswith("_")}
    assert wanted == {
        "adopted_epoch",
        "cleaned_offset",
        "end_of_cut",
        "log_start_offset",
        "log_end_offset",
        "flushed_offset",
        "last_epoch",
        "leader_epochs",
        "end",
        "read",
        "segments",
    }
    assert wanted <= set(dir(view))


def test_an_empty_log_ends_at_zero_in_epoch_zero(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    assert log.end() == LogEnd(0, 0)
    assert log.log_start_offset == log.flushed_offset == 0
    assert log.read(0, 1000) == b""
    assert (tmp_path / FOLDER / "00000000000000000000.log").exists()


def test_whole_batches_are_read_from_the_one_that_holds_the_offset(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    first, second, third = batch(0, 3), batch(3, 2), batch(5, 1, epoch=2)
    log.append(first + second)
    log.append(third)
    assert log.end() == LogEnd(2, 6)
    assert log.read(0, 10_000) == first + second + third
    assert log.read(4, 10_000) == second + third
    assert log.read(0, 1) == first
    assert log.read(0, len(first + second)) == first + second
    assert log.read(0, len(first + second) - 1) == first
    assert log.read(0, 10_000, end_offset=5) == first + second
    assert log.read(0, 10_000, end_offset=4) == first
    assert log.read(0, 10_000, end_offset=2) == b""
    assert log.read(6, 10_000) == b""
    assert log.leader_epochs.entries() == ((0, 0), (2, 5))


@pytest.mark.parametrize("offset", [-1, 2, 100])
def test_an_offset_outside_is_refused(tmp_path: Path, offset: int) -> None:
    log = opened(Disk(tmp_path))
    log.append(batch(0))
    with pytest.raises(OffsetError):
        log.read(offset, 1000)


def test_a_batch_that_starts_elsewhere_is_refused(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    log.append(batch(0, 2))
    with pytest.raises(OffsetError):
        log.append(batch(1))
    with pytest.raises(OffsetError):
        log.append(batch(2, 2) + batch(3))
    with pytest.raises(CorruptBatchError):
        log.append(batch(2)[:-1])
    log.append(b"")
    assert log.log_end_offset == 2 and log.cleaned_offset == -1


def test_a_log_goes_on_in_a_new_file(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    size = len(batch(0))
    log = opened(disk, rolling=Rolling(3 * size))
    for offset in range(8):
        log.append(batch(offset))
    names = [name for name in disk.names(FOLDER) if name.endswith(".log")]
    assert names == [f"{FOLDER}/{base:020d}.log" for base in (0, 3, 6)]
    assert disk.books(names[0]).settled
    log = opened(Disk(tmp_path), rolling=Rolling(3 * size))
    assert log.log_end_offset == 8
    assert log.read(2, 10_000) == batch(2)
    assert log.read(4, 10_000) == batch(4) + batch(5)
    log.truncate(3)
    assert log.log_end_offset == 3
    log.append(batch(3, epoch=1))
    assert opened(Disk(tmp_path)).end() == LogEnd(1, 4)


def test_old_batches_are_read_from_the_file(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    whole = [batch(offset, size=200_000) for offset in range(40)]
    for item in whole:
        log.append(item)
    for start in (0, 5, 20, 39):
        assert log.read(start, 1) == whole[start]
        assert log.read(start, 900_000) == b"".join(whole[start : start + 4])


def test_truncation_cuts_records_and_epochs(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    log.append(batch(0, 2, epoch=1) + batch(2, 2, epoch=3) + batch(4, 1, epoch=3))
    log.truncate(9)
    assert log.log_end_offset == 5
    log.truncate(4)
    assert log.end() == LogEnd(3, 4)
    log.truncate(3)
    assert log.end() == LogEnd(1, 2), "a batch is cut as a whole"
    assert log.leader_epochs.entries() == ((1, 0),)
    assert log.flushed_offset == 2
    log.truncate(0)
    assert log.end() == LogEnd(0, 0)
    log.append(batch(0, epoch=4))
    assert opened(Disk(tmp_path)).leader_epochs.entries() == ((4, 0),)


def test_an_assigned_epoch_is_written_and_dropped_when_it_wrote_nothing(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log = opened(disk)
    log.append(batch(0, 2))
    log.assign_epoch(5, 2)
    assert disk.read_whole(f"{FOLDER}/leader-epoch-checkpoint") == b"0\n2\n0 0\n5 2\n"
    assert log.end() == LogEnd(0, 2)
    assert opened(Disk(tmp_path)).leader_epochs.entries() == ((0, 0),)


def test_an_epoch_that_wrote_nothing_gives_way_to_records_of_an_older_one(tmp_path: Path) -> None:
    """A leader of epoch 4 wrote nothing; it follows one that holds more records of epoch 3."""
    log = opened(Disk(tmp_path))
    log.append(batch(0, epoch=3))
    log.assign_epoch(4, 1)
    log.append(batch(1, epoch=3))
    assert log.leader_epochs.entries() == ((3, 0),)
    assert log.leader_epochs.epoch_at(1) == 3
    log.append(batch(2, epoch=6))
    assert opened(Disk(tmp_path)).leader_epochs.entries() == ((3, 0), (6, 2))


def test_a_lost_epoch_checkpoint_is_rebuilt(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log = opened(disk)
    log.append(batch(0, 2, epoch=1) + batch(2, 2, epoch=4))
    disk.replace(f"{FOLDER}/leader-epoch-checkpoint", b"nonsense")
    disk.close()
    assert opened(Disk(tmp_path)).leader_epochs.entries() == ((1, 0), (4, 2))
    assert (tmp_path / FOLDER / "leader-epoch-checkpoint").read_bytes() == b"0\n2\n1 0\n4 2\n"


def test_flush_says_what_is_claimed_and_what_is_true(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log = opened(disk)
    log.append(batch(0, 2))
    honest = log.flush()
    assert (honest.claimed_offset, honest.durable_offset, honest.lied) == (2, 2, False)
    disk.faults.lying = True
    log.append(batch(2, 3))
    lie = log.flush()
    assert (lie.claimed_offset, lie.durable_offset, lie.lied) == (5, 2, True)
    assert lie.claimed_bytes > lie.durable_bytes == len(batch(0, 2))
    assert log.flushed_offset == 5
    disk.close()
    cut_to_durable(tmp_path)
    assert opened(Disk(tmp_path)).log_end_offset == 2


def test_what_was_flushed_is_known_after_a_restart(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log = opened(disk)
    log.append(batch(0, 2))
    log.flush()
    log.append(batch(2, 2))
    disk.close()
    log = opened(Disk(tmp_path))
    assert (log.flushed_offset, log.durable_offset, log.log_end_offset) == (2, 2, 4)


def test_the_metadata_log_is_flushed_when_opened(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    opened(disk, METADATA).append(batch(0, 2))
    disk.close()
    disk = Disk(tmp_path)
    assert opened(disk, METADATA).flushed_offset == 2
    disk.close()
    cut_to_durable(tmp_path)
    assert opened(Disk(tmp_path), METADATA).log_end_offset == 2


def test_a_full_disk_leaves_a_torn_tail_that_recovery_cuts(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log = opened(disk)
    log.append(batch(0, 2))
    disk.faults.budget_bytes = 20
    with pytest.raises(StorageFailed):
        log.append(batch(2))
    disk.close()
    log, event = open_log(Disk(tmp_path), FOLDER, ORDERS, clean=False, high_watermark=9)
    assert (event.dropped_bytes, event.why, event.log_end_offset, event.high_watermark) == (20, "torn tail", 2, 2)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 4), st.integers(0, 2), st.integers(0, 60)),
        st.tuples(st.just("truncate"), st.integers(0, 30)),
        st.tuples(st.just("assign"), st.integers(1, 2)),
        st.sampled_from([("reopen",), ("reopen clean",), ("flush",)]),
    ),
    max_size=20,
)


@settings(max_examples=120, deadline=None)
@given(steps=STEPS, segment_bytes=st.sampled_from([1, 200, 1000]), reads=st.integers(1, 400))
def test_the_log_agrees_with_a_model(
    steps: list[tuple[Any, ...]], segment_bytes: int, reads: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("log")
    disk = Disk(root)
    log = opened(disk, rolling=Rolling(segment_bytes))
    model: list[tuple[int, int, int, bytes]] = []
    epochs, epoch = LeaderEpochs(), 0
    for step in steps:
        end = model[-1][1] if model else 0
        match step:
            case ("append", count, bump, size):
                epoch += bump
                data = batch(end, count, epoch, size)
                log.append(data)
                model.append((end, end + count, epoch, data))
                epochs.assign(epoch, end)
            case ("truncate", offset):
                log.truncate(offset)
                model = [item for item in model if item[1] <= offset]
                epochs.truncate_from_end(model[-1][1] if model else 0) if offset < end else None
            case ("assign", bump):
                epoch += bump
                log.assign_epoch(epoch, end)
                epochs.assign(epoch, end)
            case ("flush",):
                assert log.flush().claimed_offset == end
            case (reopen,):
                disk.close()
                disk = Disk(root)
                clean = reopen == "reopen clean"
                options = {"clean": clean, "high_watermark": 0, "rolling": Rolling(segment_bytes)}
                log, event = open_log(disk, FOLDER, ORDERS, **options)
                assert event.why == ("clean" if clean else "scanned")
                epochs.truncate_from_end(end)
        end = model[-1][1] if model else 0
        assert log.log_end_offset == end
        assert log.last_epoch == (model[-1][2] if model else 0)
        assert log.leader_epochs.entries() == epochs.entries()
        for start, after, _, data in model:
            assert log.read(after - 1, 1) == data
            got = log.read(start, reads, end_offset=end)
            rest = b"".join(item[3] for item in model if item[0] >= start)
            assert rest.startswith(got)
            assert len(data) <= len(got) <= max(reads, len(data))
    disk.close()


def test_whole_segments_before_the_start_leave_the_disk(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log, _ = open_log(disk, "orders-0", ORDERS, clean=True, high_watermark=0, rolling=Rolling(200))
    for base in range(10):
        log.append(encode_batch([Record(None, b"v" * 60)], base, 0))
    names = [name for name in disk.names("orders-0") if name.endswith(".log")]
    assert len(names) > 3
    log.advance_start(7)
    kept = [name for name in disk.names("orders-0") if name.endswith(".log")]
    assert kept == names[-len(kept) :] and len(kept) < len(names)
    assert log.read(7, 1 << 20)
    with pytest.raises(OffsetError):
        log.read(6, 1 << 20)
    log.truncate(8)
    assert (log.log_start_offset, log.log_end_offset) == (7, 8)


def test_a_disk_that_misreads_spoils_what_is_read_from_files_and_nothing_that_is_written(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    for tp in (ORDERS, METADATA):
        log = opened(disk, tp)
        log.append(batch(0))
        disk.faults = DiskFaults.of({"misreading": True})
        assert log.read(0, 1000) == batch(0), "it is in memory still"
        anew = opened(disk, tp)
        assert (anew.log_end_offset, anew.read(0, 1000) == batch(0)) == (1, tp == METADATA)
        disk.faults = DiskFaults.of({})
        assert opened(disk, tp).read(0, 1000) == batch(0)


def test_a_log_of_which_nothing_is_left_goes_on_with_the_batch_that_holds_its_start(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    log = opened(disk)
    log.advance_start(7)
    log.append(batch(5, 4))
    assert (log.log_start_offset, log.log_end_offset) == (7, 9)
    assert log.read(7, 1 << 20) == batch(5, 4)
    assert log.leader_epochs.entries() == ((0, 5),)
    with pytest.raises(OffsetError):
        log.append(batch(7, 3))
    reopened, event = open_log(disk, "orders-0", ORDERS, clean=False, high_watermark=9, start_offset=7)
    assert (reopened.log_start_offset, reopened.log_end_offset) == (7, 9)
    assert event.log_start_offset == 7


def test_records_that_are_all_deleted_give_way_to_such_a_batch(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    for base in range(5):
        log.append(batch(base))
    log.advance_start(5)
    log.append(batch(3, 4, epoch=1))
    assert (log.log_start_offset, log.log_end_offset, log.last_epoch) == (5, 7, 1)


def test_a_cut_below_the_log_start_takes_it_back(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    for base in range(5):
        log.append(batch(base))
    log.advance_start(9)
    log.append(batch(9))
    log.truncate(6)
    assert (log.log_start_offset, log.log_end_offset) == (6, 6)
    log.append(batch(6))
    assert log.read(6, 1) == batch(6)


def test_a_cut_inside_the_batch_that_holds_the_start_leaves_nothing(tmp_path: Path) -> None:
    log = opened(Disk(tmp_path))
    log.append(batch(0, 2))
    log.append(batch(2, 4))
    log.advance_start(3)
    log.truncate(5)
    assert (log.log_start_offset, log.log_end_offset) == (3, 3)


def test_a_log_that_ends_before_its_start_begins_anew_and_says_so(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    opened(disk).append(batch(0, 2))
    log, event = open_log(disk, "orders-0", ORDERS, clean=False, high_watermark=5, start_offset=5)
    assert (log.log_start_offset, log.log_end_offset) == (5, 5)
    assert (event.log_start_offset, event.log_end_offset, event.batches) == (5, 5, ())
