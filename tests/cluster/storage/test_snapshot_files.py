"""Snapshots beside the metadata log: whole or absent, the bad never used, and the log begins where one ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.errors import StorageFailed
from cluster.model.events import DamageFound, Event, LogRecovered, SnapshotRejected
from cluster.model.identifiers import METADATA, LogEnd, SnapshotId
from cluster.model.metadata_records import TopicRecord
from cluster.model.record_batch import Record, encode_batch
from cluster.model.snapshot import encode_snapshot, snapshot_name
from cluster.storage.damage import spoil_snapshot, tear
from cluster.storage.host_files import HostFiles
from cluster.storage.node_store import NodeStore
from cluster.storage.power_loss import cut_to_durable

FOLDER = "__cluster_metadata-0"
S4, S8, S10, S20 = SnapshotId(4, 1), SnapshotId(8, 2), SnapshotId(10, 2), SnapshotId(20, 3)


class DiedError(Exception):
    """The process is gone at this place."""


def _data(snapshot_id: SnapshotId) -> bytes:
    topic = TopicRecord(topic="orders", topic_id=snapshot_id.end_offset, min_insync_replicas=1)
    return encode_snapshot(snapshot_id, [topic], 1000)


def _store(root: Path, told: list[Event] | None = None) -> NodeStore:
    return NodeStore(root, host_fsync=False, emit=(lambda _: None) if told is None else told.append)


def _ids(store: NodeStore) -> list[SnapshotId]:
    return [one.snapshot_id for one in store.snapshots.kept]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A metadata log [0,10): four records of epoch 1, six of epoch 2, and snapshots where they meet and at 8."""
    store = _store(tmp_path)
    for offset in range(10):
        if offset == 4:
            store.write_snapshot(S4, _data(S4))
        store.append(METADATA, encode_batch([Record(None, b"x")], offset, 1 if offset < 4 else 2))
    store.write_snapshot(S8, _data(S8))
    store.flush(METADATA)
    store.disk.close()
    return tmp_path


def test_what_is_written_is_found_again_and_served_in_pieces(root: Path) -> None:
    store = _store(root)
    assert _ids(store) == [S4, S8]
    size = store.snapshots.kept[1].size_bytes
    read = [store.snapshots.read(S8, at, 50) or b"" for at in range(0, size, 50)]
    assert b"".join(read) == _data(S8) == store.snapshots.read(S8)
    assert store.snapshots.kept[1].last_timestamp_ms == 1000
    assert store.snapshots.read(S20) is None


def test_a_snapshot_is_durable_when_it_is_there(root: Path) -> None:
    cut_to_durable(root)
    assert _ids(_store(root)) == [S4, S8]


def test_the_log_in_front_goes_as_whole_files_and_its_epoch_is_known_from_the_snapshot(root: Path) -> None:
    store = _store(root)
    before = store.size_bytes(METADATA)
    store.advance_start(METADATA, 4)
    assert store.size_bytes(METADATA) < before
    log, _ = store.open(METADATA)
    assert (log.log_start_offset, log.end()) == (4, LogEnd(2, 10))
    store.truncate(METADATA, 4)
    assert log.end() == LogEnd(1, 4)


def test_a_log_that_was_cut_to_its_start_ends_in_the_epoch_of_the_snapshot(root: Path) -> None:
    (root / FOLDER / snapshot_name(S8)).unlink()
    store = _store(root)
    store.advance_start(METADATA, 4)
    store.truncate(METADATA, 4)
    store.disk.close()
    again, _ = _store(root).open(METADATA)
    assert (again.log_start_offset, again.end()) == (4, LogEnd(1, 4))


def test_an_installed_snapshot_stands_for_the_whole_log(root: Path) -> None:
    store = _store(root)
    store.install_snapshot(S20, _data(S20))
    log, _ = store.open(METADATA)
    assert (log.log_start_offset, log.end(), _ids(store)) == (20, LogEnd(3, 20), [S20])
    store.append(METADATA, encode_batch([Record(None, b"x")], 20, 4))
    store.flush(METADATA)
    store.disk.close()
    told: list[Event] = []
    again, _ = _store(root, told).open(METADATA)
    assert (again.log_start_offset, again.end()) == (20, LogEnd(4, 21))
    recovered = next(event for event in told if isinstance(event, LogRecovered))
    assert (recovered.log_start_offset, recovered.log_end_offset) == (20, 21)


@pytest.mark.parametrize(
    ("place", "end", "kept"),
    [("before rename", LogEnd(2, 10), [S4, S8]), ("after rename", LogEnd(3, 20), [S20])],
)
def test_who_dies_while_it_installs_has_its_old_log_or_begins_at_the_snapshot(
    root: Path, place: str, end: LogEnd, kept: list[SnapshotId]
) -> None:
    def die(reached: str) -> None:
        if reached == place:
            raise DiedError

    store = _store(root)
    store.disk.on_rename = die
    with pytest.raises(DiedError):
        store.install_snapshot(S20, _data(S20))
    store.disk.close()
    again = _store(root)
    log, _ = again.open(METADATA)
    assert (log.end(), _ids(again)) == (end, kept)


@pytest.mark.parametrize("how", ["flip", "cut", "rename"])
def test_a_bad_snapshot_is_told_and_the_older_one_is_used(root: Path, how: str) -> None:
    spoil_snapshot(HostFiles(root), how)
    told: list[Event] = []
    store = _store(root, told)
    assert _ids(store) == [S4]
    rejected = [event for event in told if isinstance(event, SnapshotRejected)]
    assert len(rejected) == 1 and rejected[0].path.startswith(f"{FOLDER}/0000000000000000000")
    assert store.open(METADATA)[0].log_end_offset == 10


@pytest.mark.parametrize("name", ["old.checkpoint", f"{snapshot_name(S20)}.part", f"0{snapshot_name(S20)}"])
def test_a_misnamed_or_half_loaded_snapshot_is_told_and_not_used(root: Path, name: str) -> None:
    (root / FOLDER / name).write_bytes(_data(S20))
    told: list[Event] = []
    store = _store(root, told)
    assert [event.path for event in told if isinstance(event, DamageFound)] == [f"{FOLDER}/{name}"]
    assert (_ids(store), store.open(METADATA)[0].log_end_offset) == ([S4, S8], 10)


def test_a_log_that_needs_a_bad_snapshot_is_not_opened_and_the_file_is_named(root: Path) -> None:
    store = _store(root)
    store.advance_start(METADATA, 8)
    store.delete_snapshots(S8)
    store.disk.close()
    spoil_snapshot(HostFiles(root), "flip")
    with pytest.raises(StorageFailed) as failed:
        _store(root)
    assert failed.value.what.startswith(f"read {FOLDER}/{snapshot_name(S8)}")


def test_a_log_whose_snapshot_is_gone_is_not_opened(root: Path) -> None:
    store = _store(root)
    store.advance_start(METADATA, 8)
    store.delete_snapshots(S20)
    store.disk.close()
    with pytest.raises(StorageFailed, match="8"):
        _store(root)


def test_a_log_whose_start_is_older_than_its_checkpoint_begins_at_the_next_snapshot(root: Path) -> None:
    """Files are dropped before the log start is written down: who dies between finds a log without its front."""
    (root / FOLDER / f"{0:020d}.log").unlink()
    log, _ = _store(root).open(METADATA)
    assert log.log_start_offset == 4


def test_a_torn_log_that_begins_anew_at_a_snapshot_keeps_none_that_ends_earlier(root: Path) -> None:
    store = _store(root)
    store.write_snapshot(S10, _data(S10))
    store.disk.close()
    tear(HostFiles(root), METADATA)
    again = _store(root)
    log, _ = again.open(METADATA)
    assert (log.log_start_offset, log.end(), _ids(again)) == (10, LogEnd(2, 10), [S10])


def test_who_dies_between_the_cut_of_its_log_and_the_deletion_of_snapshots_deletes_them_at_its_next_start(
    root: Path,
) -> None:
    store = _store(root)
    store.advance_start(METADATA, 8)
    store.disk.close()
    assert _ids(_store(root)) == [S8]


def test_one_that_goes_bad_while_the_node_runs_is_not_served(root: Path) -> None:
    told: list[Event] = []
    store = _store(root, told)
    path = root / FOLDER / snapshot_name(S8)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert store.snapshots.read(S8) is None
    assert _ids(store) == [S4]
    assert any(isinstance(event, SnapshotRejected) for event in told)


def test_an_unfinished_file_is_gone_after_a_start(root: Path) -> None:
    staged = root / FOLDER / f"{snapshot_name(S20)}.tmp"
    staged.write_bytes(_data(S20)[:100])
    assert _ids(_store(root)) == [S4, S8]
