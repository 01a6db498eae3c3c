"""A node's image through its snapshots: written when due, loaded at a start and where the log is cut before it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cluster.controller.image import UnfitRecordError
from cluster.controller.image_records import image_digest
from cluster.model.codec import encode_metadata_record
from cluster.model.effects import Effect, Emit, WriteSnapshot
from cluster.model.events import SnapshotLoaded, SnapshotWritten
from cluster.model.identifiers import METADATA, SnapshotId
from cluster.model.metadata_records import TopicRecord
from cluster.model.record_batch import Record, batches, encode_batch, with_offset_and_epoch
from cluster.model.settings import Settings
from cluster.model.snapshot import encode_snapshot
from cluster.node.committed import Committed
from cluster.node.snapshot_part import SnapshotPart
from cluster.storage.node_store import NodeStore

SETTINGS = replace(Settings(), metadata_log_max_record_bytes_between_snapshots=300)


class Place:
    """One node's store with the parts that work on it."""

    def __init__(self, root: Path, settings: Settings = SETTINGS) -> None:
        self.store = NodeStore(root, host_fsync=False, emit=lambda _: None)
        self.log, _ = self.store.open(METADATA)
        self.committed = Committed(self.log, self.store.snapshots)
        self.part = SnapshotPart(self.committed, self.log, self.store.snapshots, settings)

    def write_topic(self, number: int) -> None:
        record = TopicRecord(topic=f"t{number}", topic_id=number, min_insync_replicas=1)
        batch = encode_batch([encode_metadata_record(record)], self.log.log_end_offset, 1 + number // 4, 1000 * number)
        self.store.append(METADATA, batch)

    def advance(self, high_watermark: int, now_ms: int = 0) -> list[Effect]:
        self.committed.advance(high_watermark)
        effects = self.part.write_when_due(now_ms)
        for effect in effects:
            if isinstance(effect, WriteSnapshot):
                self.store.write_snapshot(effect.snapshot_id, effect.data)
        return effects


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Ten topics, none of them committed yet."""
    place = Place(tmp_path)
    for number in range(10):
        place.write_topic(number)
    return place


def _ids(effects: list[Effect]) -> list[SnapshotId]:
    return [effect.snapshot_id for effect in effects if isinstance(effect, WriteSnapshot)]


def test_a_snapshot_ends_where_the_node_has_applied_and_not_where_its_log_ends(place: Place) -> None:
    assert place.advance(2) == []
    effects = place.advance(6)
    assert _ids(effects) == [SnapshotId(6, 2)]
    written = next(effect.event for effect in effects if isinstance(effect, Emit))
    assert isinstance(written, SnapshotWritten)
    assert (written.end_offset, written.record_count) == (6, 6)
    assert written.digest == image_digest(place.committed.image)


def test_the_event_comes_after_the_file(place: Place) -> None:
    kinds = [type(effect) for effect in place.advance(6)]
    assert kinds.index(WriteSnapshot) < kinds.index(Emit)


def test_bytes_count_from_the_newest_snapshot_on(place: Place) -> None:
    place.advance(6)
    assert place.advance(7) == []
    assert _ids(place.advance(10)) == [SnapshotId(10, 3)]


def test_an_old_snapshot_is_followed_by_another_when_something_new_is_applied(tmp_path: Path) -> None:
    place = Place(tmp_path, replace(Settings(), metadata_log_max_snapshot_interval_ms=5000))
    for number in range(3):
        place.write_topic(number)
    place.part.load(1000)
    assert place.advance(1, 5999) == []
    assert _ids(place.advance(2, 6000)) == [SnapshotId(2, 1)]
    assert _ids(place.advance(2, 99_000)) == [], "nothing has come since"
    assert _ids(place.advance(3, 99_000)) == [SnapshotId(3, 1)]


def test_a_start_goes_on_from_the_newest_snapshot(place: Place, tmp_path: Path) -> None:
    place.advance(6)
    place.advance(10)
    place.store.disk.close()
    again = Place(tmp_path)
    (loaded,) = [effect.event for effect in again.part.load(0) if isinstance(effect, Emit)]
    assert isinstance(loaded, SnapshotLoaded)
    assert (loaded.end_offset, loaded.record_count, loaded.kept) == (10, 10, ((6, 2), (10, 3)))
    assert again.committed.next_offset == 10
    assert image_digest(again.committed.image) == image_digest(place.committed.image) == loaded.digest


def test_the_same_object_says_what_the_snapshot_says(place: Place, tmp_path: Path) -> None:
    """Other parts of a node hold the image."""
    place.advance(10)
    place.store.disk.close()
    again = Place(tmp_path)
    held = again.committed.image
    again.part.load(0)
    assert held is again.committed.image and len(held.topics) == 10


def test_a_snapshot_that_was_fetched_is_loaded_once_the_log_begins_after_what_is_applied(
    place: Place, tmp_path: Path
) -> None:
    place.advance(10)
    newest = place.store.snapshots.kept[-1].snapshot_id
    data = place.store.snapshots.read(newest)
    assert data is not None
    (tmp_path / "behind").mkdir()
    behind = Place(tmp_path / "behind")
    behind.write_topic(0)
    behind.advance(1)
    assert not behind.committed.is_behind_log
    behind.store.install_snapshot(newest, data)
    assert behind.committed.is_behind_log
    behind.part.load(0)
    assert not behind.committed.is_behind_log
    assert image_digest(behind.committed.image) == image_digest(place.committed.image)


def test_a_node_whose_log_begins_later_and_that_has_no_good_snapshot_does_not_go_on(place: Place) -> None:
    place.store.advance_start(METADATA, 4)
    with pytest.raises(UnfitRecordError, match="no good snapshot"):
        place.part.load(0)


def test_a_snapshot_of_records_that_are_not_known_ends_the_node_with_its_name(place: Place) -> None:
    """Every CRC is right, so it is no damage: a newer version wrote it."""
    unknown = Record(b"FutureRecord", b"\x90")
    framed = encode_snapshot(SnapshotId(4, 1), [], 0)
    header, footer = (bytes(batch) for _, batch in batches(framed))
    middle = encode_batch([unknown], 1, 1)
    place.store.write_snapshot(SnapshotId(4, 1), header + middle + with_offset_and_epoch(footer, 2, 1))
    with pytest.raises(UnfitRecordError, match=r"0004-0000000001.checkpoint cannot be taken in.*FutureRecord"):
        place.part.load(0)


def test_another_is_written_at_once_when_the_one_at_the_log_start_has_gone_bad(tmp_path: Path) -> None:
    place = Place(tmp_path, Settings())
    for number in range(10):
        place.write_topic(number)
    place.advance(4)
    place.store.advance_start(METADATA, 4)
    assert _ids(place.advance(6)) == [SnapshotId(6, 2)]
