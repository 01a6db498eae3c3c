"""Files of snapshots beside the metadata log. Source: KIP-630, Kafka Snapshots, FileRawSnapshotWriter."""

from __future__ import annotations

from collections.abc import Callable

from cluster.model.errors import StorageFailed
from cluster.model.events import DamageFound, Event, SnapshotRejected
from cluster.model.identifiers import METADATA, NO_NODE, Offset, SnapshotId
from cluster.model.log_view import KeptSnapshot
from cluster.model.metadata_records import SnapshotHeaderRecord
from cluster.model.snapshot import SUFFIX, BadSnapshotError, parse_snapshot_name, snapshot_name, verify_snapshot
from cluster.storage.disk import IO_ERROR, Disk
from cluster.storage.log import Log, topic_directory

FOLDER = topic_directory(METADATA)


class SnapshotFiles:
    """The good snapshots of one node. A bad one is told of, stays where it is, and is never used. Is a SnapshotView."""

    __slots__ = ("_disk", "_emit", "kept", "log")

    def __init__(self, disk: Disk, emit: Callable[[Event], None]) -> None:
        self._disk, self._emit = disk, emit
        self.log: Log | None = None
        """What they belong to, once it is open."""
        self.kept: tuple[KeptSnapshot, ...] = ()
        """Oldest first."""
        for name in disk.names(FOLDER):
            snapshot_id = parse_snapshot_name(name)
            if snapshot_id is not None:
                self._take_in(snapshot_id, disk.read_whole(name) or b"")
            elif SUFFIX in name:  # a half-loaded one of another program too
                emit(DamageFound(path=name, what="its name is no id of a snapshot", instead="the others, or the log"))

    @property
    def log_bytes(self) -> int:
        """Size of the log whose snapshots these are; 0 before that is known."""
        return 0 if self.log is None else self.log.size_bytes

    def place(self, log: Log) -> None:
        """Have the log that they belong to begin at 0 or where one of them ends.

        One that is ahead of all of it takes its place: the node died between the writing of a snapshot that it had
        fetched and the cut of its log. StorageFailed 5 when what is before the log is deleted and no good snapshot
        stands for it. Those that end before the log begins go: the oldest that is left says in which epoch that is.
        Source: Kafka KafkaRaftLog.recoverSnapshots, truncateToLatestSnapshot.
        """
        self.log = log
        if log.log_start_offset:
            log.advance_start(self._first_from(log.log_start_offset))
        self.note_start()
        newest = self.kept[-1].snapshot_id if self.kept else None
        if newest is not None and (newest.epoch, newest.end_offset) > log.end():
            log.begin_after(newest)
        self.delete_before(log.log_start_offset)

    def note_start(self) -> None:
        """Tell the log the epoch of what is before it."""
        log = self.log
        if log is not None:
            ends = {one.snapshot_id.end_offset: one.snapshot_id.epoch for one in self.kept}
            log.know_base(ends.get(log.log_start_offset, 0))

    def _first_from(self, log_start_offset: Offset) -> Offset:
        for one in self.kept:
            if one.snapshot_id.end_offset >= log_start_offset:
                return one.snapshot_id.end_offset
        bad = [name for name in self._disk.names(FOLDER) if parse_snapshot_name(name) is not None]
        name = bad[-1] if bad else f"{FOLDER}/{log_start_offset:020d}-*{SUFFIX} (gone)"
        raise StorageFailed(IO_ERROR, f"read {name}: the log begins at {log_start_offset}")

    def write(self, snapshot_id: SnapshotId, data: bytes) -> None:
        """Temporary file, fsync, rename, fsync of the folder: there whole or not at all."""
        self._disk.replace(_path(snapshot_id), data)
        self._disk.fsync_dir(FOLDER)
        self._take_in(snapshot_id, data)

    def read(self, snapshot_id: SnapshotId, position: int = 0, max_bytes: int | None = None) -> bytes | None:
        """Bytes from position on; the whole is checked when asked from the start. None when there is none, or bad."""
        stored = next((one for one in self.kept if one.snapshot_id == snapshot_id), None)
        if stored is None:
            return None
        path, size = _path(snapshot_id), stored.size_bytes
        if position == 0:
            data = self._disk.read_whole(path) or b""
            return None if self._verified(snapshot_id, data) is None else data[:max_bytes]
        return self._disk.read(path, position, size if max_bytes is None else max_bytes)

    def delete_before(self, end_offset: Offset) -> None:
        """Remove all files of snapshots that end earlier, the bad ones too."""
        for name in self._disk.names(FOLDER):
            snapshot_id = parse_snapshot_name(name)
            if snapshot_id is not None and snapshot_id.end_offset < end_offset:
                self._disk.unlink(name)
        self.kept = tuple(one for one in self.kept if one.snapshot_id.end_offset >= end_offset)

    def _take_in(self, snapshot_id: SnapshotId, data: bytes) -> None:
        header = self._verified(snapshot_id, data)
        if header is not None:
            new = KeptSnapshot(snapshot_id, len(data), header.last_contained_log_timestamp_ms)
            self.kept = tuple(sorted([one for one in self.kept if one.snapshot_id != snapshot_id] + [new]))

    def _verified(self, snapshot_id: SnapshotId, data: bytes) -> SnapshotHeaderRecord | None:
        """Its header; None for bytes that are not what their name says: they are told of and are none from now on."""
        try:
            return verify_snapshot(snapshot_id, data)
        except BadSnapshotError as error:
            self.kept = tuple(one for one in self.kept if one.snapshot_id != snapshot_id)
            self._emit(SnapshotRejected(path=_path(snapshot_id), why=str(error), source=NO_NODE))
            return None


def _path(snapshot_id: SnapshotId) -> str:
    return f"{FOLDER}/{snapshot_name(snapshot_id)}"
