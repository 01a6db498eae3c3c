"""A node's files as its core sees them: logs, quorum-state, checkpoints, the clean-shutdown marker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import structs

from cluster.model.effects import CleanLog, PersistElection
from cluster.model.election_state import ElectionState
from cluster.model.events import DamageFound, ElectionPersisted, Event, LogRemoved
from cluster.model.identifiers import METADATA, Epoch, Offset, SnapshotId, TopicPartition
from cluster.model.topic_settings import rolling_of
from cluster.storage.checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    DamagedCheckpointError,
    read_high_watermarks,
    read_log_starts,
    read_recovery_points,
    write_high_watermarks,
    write_log_starts,
    write_recovery_points,
)
from cluster.storage.clean_shutdown import leave_marker, take_marker
from cluster.storage.compaction import compact
from cluster.storage.disk import Disk
from cluster.storage.disk_faults import DiskFaults
from cluster.storage.election_file import read_election, write_election
from cluster.storage.files import Files
from cluster.storage.log import Log, open_log, topic_directory
from cluster.storage.meta_properties import read_directory_id
from cluster.storage.partition_metadata import NAME, UNKNOWN, is_damaged, read_topic_id, write_topic_id
from cluster.storage.segment import SEGMENT_BYTES, Rolling
from cluster.storage.snapshot_files import SnapshotFiles


class NodeStore:
    """Opens what the last run left, and performs the effects that touch files. Implements LogStore."""

    __slots__ = (
        "_checkpointed",
        "_clean",
        "_emit",
        "_logs",
        "_recovery_points",
        "_stale",
        "_starts",
        "directory_id",
        "disk",
        "election",
        "previous_broker_epoch",
        "snapshots",
    )

    def __init__(
        self,
        files: Files | Path,
        *,
        host_fsync: bool,
        emit: Callable[[Event], None],
        is_buffered: bool = True,
        faults: Mapping[str, Any] | None = None,
    ) -> None:
        """Disk faults are in force from the first byte that is read."""
        self._emit = emit
        self.disk = Disk(files, host_fsync=host_fsync, is_buffered=is_buffered)
        """Faults are set on it."""
        self.disk.faults = DiskFaults.of(faults or {})
        self.directory_id = read_directory_id(self.disk)
        """As meta.properties says; empty where it was never formatted."""
        marker = take_marker(self.disk)
        self._clean = marker is not None
        self.previous_broker_epoch = -1 if marker is None else marker
        """Of the last run when it stopped in order; -1 otherwise."""
        self._checkpointed = self._read_offsets(HIGH_WATERMARKS, read_high_watermarks, "0 for each log")
        self._stale = False
        self._starts = self._read_offsets(LOG_STARTS, read_log_starts, "the first file of each log")
        self._recovery_points = self._read_offsets(RECOVERY_POINTS, read_recovery_points, "every batch of every log")
        self._logs: dict[TopicPartition, Log] = {}
        self.election: ElectionState | None = read_election(self.disk)
        """What quorum-state held at the start."""
        if self.election is not None:
            self._persist(self.election)
        self.snapshots = SnapshotFiles(self.disk, emit)
        """Of the metadata log."""
        self._recover(METADATA)
        for topic_partition in _found_partitions(self.disk):
            if topic_partition != METADATA:
                self._recover(topic_partition)

    def _read_offsets(
        self, name: str, read: Callable[[Disk], dict[TopicPartition, Offset]], instead: str
    ) -> dict[TopicPartition, Offset]:
        """A damaged checkpoint is told and counts as none: a high watermark comes from the leader, a log start from the
        name of the first file, and without recovery points all is read. Source: Kafka LogManager.loadLogs.
        """
        try:
            return read(self.disk)
        except DamagedCheckpointError as error:
            self._emit(DamageFound(path=name, what=f"{error.what}: it is no checkpoint", instead=instead))
            return {}

    def configure(self, topic_partition: TopicPartition, own: Mapping[str, str]) -> None:
        """Follow the settings of a log's topic, by Kafka's names."""
        self._logs[topic_partition].rolling = Rolling(*rolling_of(own, SEGMENT_BYTES))

    def open(self, topic_partition: TopicPartition, topic_id: int = UNKNOWN) -> tuple[Log, Offset]:
        """The log and its checkpointed high watermark (exclusive, 0 when there is none).

        A log that was made for a topic of another id is dropped first.
        """
        if topic_id != UNKNOWN:
            folder = topic_directory(topic_partition)
            written = read_topic_id(self.disk, folder)
            if is_damaged(self.disk, folder):
                what, instead = "it names no topic", f"topic id {topic_id}, as the metadata says"
                self._emit(DamageFound(path=f"{folder}/{NAME}", what=what, instead=instead))
            if written not in (UNKNOWN, topic_id):
                self.remove(topic_partition)
            if written != topic_id:
                write_topic_id(self.disk, folder, topic_id)
        if topic_partition not in self._logs:
            self._recover(topic_partition)
        return self._logs[topic_partition], self._checkpointed.get(topic_partition, 0)

    def found(self) -> tuple[TopicPartition, ...]:
        """Partitions that have a log, the metadata log included."""
        return tuple(sorted(self._logs))

    def holds(self, topic_partition: TopicPartition) -> bool:
        """Whether it has a log of that partition."""
        return topic_partition in self._logs

    def size_bytes(self, topic_partition: TopicPartition) -> int:
        """Of all that a log holds."""
        return self._logs[topic_partition].size_bytes

    def remove(self, topic_partition: TopicPartition) -> None:
        """Drop a log with all its files; nothing happens when there is none."""
        log = self._logs.pop(topic_partition, None)
        if log is None:
            return
        for name in self.disk.names(topic_directory(topic_partition)):
            self.disk.unlink(name)
        if self._checkpointed.pop(topic_partition, None) is not None:
            self._stale = True
        if self._starts.pop(topic_partition, None) is not None:
            write_log_starts(self.disk, self._starts)
        if self._recovery_points.pop(topic_partition, None) is not None:
            write_recovery_points(self.disk, self._recovery_points)
        topic, partition = topic_partition
        self._emit(LogRemoved(topic=topic, partition=partition, log_end_offset=log.log_end_offset))

    def append(self, topic_partition: TopicPartition, records: bytes) -> None:
        """Write at the log's end; a full segment is flushed on the way."""
        log = self._logs[topic_partition]
        flushed = log.flushed_offset
        rolled = log.append(records)
        if log.flushed_offset != flushed:
            self._emit(log.flush_state())
        if rolled is not None:
            self._emit(rolled)

    def roll(self, topic_partition: TopicPartition, why: str) -> None:
        """Go on in a new segment, whatever the size of the newest."""
        log = self._logs[topic_partition]
        rolled = log.roll(why)
        self._emit(log.flush_state())
        self._emit(rolled)

    def clean(self, effect: CleanLog) -> None:
        """Compact a log. What is new in place of durable files is flushed; a disk that lies about that is told."""
        log, end_offset = self._logs[effect.topic_partition], effect.end_offset
        durable, dirty_offset = log.durable_offset, max(0, log.cleaned_offset)
        log.note_cleaned(dirty_offset)  # from here on it may have gaps
        made, cleaned = compact(self.disk, log.closed_before(end_offset), effect, log.rolling.segment_bytes)
        log.take_cleaned(made, end_offset)
        self._emit(structs.replace(cleaned, dirty_offset=dirty_offset))
        if log.durable_offset != durable:
            self._emit(log.flush_state())

    def write_out(self) -> None:
        """Have every append in its file: before anything leaves the process."""
        self.disk.write_out()

    def truncate(self, topic_partition: TopicPartition, end_offset: Offset) -> None:
        """Cut the log to end_offset (exclusive); the cut is flushed."""
        log = self._logs[topic_partition]
        log.truncate(end_offset)
        if log.log_start_offset < self._starts.get(topic_partition, 0):
            self._starts[topic_partition] = log.log_start_offset
            write_log_starts(self.disk, self._starts)
        if self._recovery_points.get(topic_partition, 0) > log.log_end_offset:
            self._recovery_points[topic_partition] = log.log_end_offset
            write_recovery_points(self.disk, self._recovery_points)
        self._emit(log.flush_state())

    def advance_start(self, topic_partition: TopicPartition, start_offset: Offset) -> None:
        """Delete what is before start_offset (inclusive start). Durable at once; Kafka checkpoints each minute."""
        log = self._logs[topic_partition]
        log.advance_start(start_offset)
        self._note_start(topic_partition)

    def write_snapshot(self, snapshot_id: SnapshotId, data: bytes) -> None:
        """Durable at once. The metadata log goes on in a new file: what the snapshot stands for can be dropped."""
        self.snapshots.write(snapshot_id, data)
        log = self._logs[METADATA]
        if not log.is_active_empty:
            log.roll("snapshot")
        self._emit(log.flush_state())

    def install_snapshot(self, snapshot_id: SnapshotId, data: bytes) -> None:
        """The snapshot first: a node that dies before its log is cut is found ahead of its log."""
        self.snapshots.write(snapshot_id, data)
        self._logs[METADATA].begin_after(snapshot_id)
        self._note_start(METADATA)
        self.snapshots.delete_before(snapshot_id.end_offset)

    def delete_snapshots(self, before: SnapshotId) -> None:
        """Those that end before another one."""
        self.snapshots.delete_before(before.end_offset)

    def _note_start(self, topic_partition: TopicPartition) -> None:
        self._starts[topic_partition] = self._logs[topic_partition].log_start_offset
        write_log_starts(self.disk, self._starts)
        if topic_partition == METADATA:
            self.snapshots.note_start()

    def assign_epoch(self, topic_partition: TopicPartition, epoch: Epoch, start_offset: Offset) -> None:
        """Enter a leader epoch."""
        self._logs[topic_partition].assign_epoch(epoch, start_offset)

    def adopt_epoch(self, topic_partition: TopicPartition, epoch: Epoch) -> None:
        """The log holds all with which this leader epoch began. Durable at once."""
        self._logs[topic_partition].adopt_epoch(epoch)

    def flush(self, topic_partition: TopicPartition) -> Offset:
        """fsync one log now; the offset (exclusive) it claims durable."""
        log = self._logs[topic_partition]
        self._emit(log.flush())
        return log.flushed_offset

    def flush_all(self) -> None:
        """fsync every log that has records to flush."""
        for where in sorted(self._logs):
            if self._logs[where].flushed_offset < self._logs[where].log_end_offset:
                self.flush(where)

    def persist(self, effect: PersistElection) -> None:
        """Write quorum-state. The world has let the time of a slow disk pass before."""
        self._persist(
            ElectionState(
                epoch=effect.epoch,
                leader_id=effect.leader_id,
                voted_for=effect.voted_for,
                voted_directory_id=effect.voted_directory_id,
            )
        )

    def _persist(self, state: ElectionState) -> None:
        """At a start too, before anything relies on it: a process that died between the rename and the sync of its
        directory left a file that a power loss takes back. Source: Kafka QuorumState.initialize.
        """
        write_election(self.disk, state)
        lied = (
            self.disk.faults.lying or self.disk.faults.lying_dir
        )  # the fault, not the outcome: a bug of ours excuses nothing
        self._emit(
            ElectionPersisted(epoch=state.epoch, leader_id=state.leader_id, voted_for=state.voted_for, lied=lied)
        )

    def note_high_watermark(self, topic_partition: TopicPartition, high_watermark: Offset) -> None:
        """Remember for the next checkpoint."""
        if self._checkpointed.get(topic_partition) != high_watermark:
            self._checkpointed[topic_partition] = high_watermark
            self._stale = True

    def checkpoint(self) -> None:
        """Write the high watermarks when one has moved, and up to where logs of several segments are flushed."""
        if self._stale:
            write_high_watermarks(self.disk, self._checkpointed)
            self._stale = False
        flushed = {where: log.flushed_offset for where, log in sorted(self._logs.items()) if log.has_closed}
        if flushed != self._recovery_points:
            self._recovery_points = flushed
            write_recovery_points(self.disk, flushed)

    def close(self, broker_epoch: int) -> None:
        """Checkpoint, flush and close everything, then leave the marker."""
        self.checkpoint()
        for log in self._logs.values():
            log.close()
            self._emit(log.flush_state())
        leave_marker(self.disk, broker_epoch)
        self.disk.close()

    def _recover(self, topic_partition: TopicPartition) -> None:
        checkpointed = self._checkpointed.get(topic_partition, 0)
        name = topic_directory(topic_partition)
        log, recovered = open_log(
            self.disk,
            name,
            topic_partition,
            clean=self._clean,
            high_watermark=checkpointed,
            start_offset=self._starts.get(topic_partition, 0),
            place=self.snapshots.place if topic_partition == METADATA else None,
            recovery_point=self._recovery_points.get(topic_partition, 0),
            tell=self._emit,
        )
        self._logs[topic_partition] = log
        if topic_partition in self._checkpointed:
            self._checkpointed[topic_partition] = recovered.high_watermark
        self._emit(recovered)
        if topic_partition == METADATA:  # opening it has flushed it
            self._emit(log.flush_state())


def _found_partitions(disk: Disk) -> list[TopicPartition]:
    """Partitions that have a file, in order."""
    partitions = []
    for folder in disk.folders():
        topic, _, number = folder.rpartition("-")
        if topic and number.isdecimal() and "/" not in topic:
            partitions.append(TopicPartition(topic, int(number)))
    return sorted(partitions)
