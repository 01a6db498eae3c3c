"""Text checkpoints: version, count, lines. Source: Kafka CheckpointFile, OffsetCheckpointFile."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.model.errors import StorageFailed
from cluster.model.identifiers import NO_EPOCH, UNKNOWN_OFFSET, Epoch, Offset, TopicPartition
from cluster.storage.disk import IO_ERROR, Disk

HIGH_WATERMARKS = "replication-offset-checkpoint"
RECOVERY_POINTS = "recovery-point-offset-checkpoint"
LOG_STARTS = "log-start-offset-checkpoint"
LEADER_EPOCHS = "leader-epoch-checkpoint"
ADOPTED_EPOCH = "adopted-epoch-checkpoint"
CLEANED = "cleaner-offset-checkpoint"
"""In the log's own folder. Kafka has one for all logs of a disk."""
VERSION = "0"


class DamagedCheckpointError(StorageFailed):
    """A file holds what no checkpoint holds. The disk itself is well."""


def read_high_watermarks(disk: Disk) -> dict[TopicPartition, Offset]:
    """High watermarks (exclusive) as last checkpointed; empty when there is no file."""
    return _read_offsets(disk, HIGH_WATERMARKS)


def write_high_watermarks(disk: Disk, high_watermarks: dict[TopicPartition, Offset]) -> None:
    """Replace the checkpoint."""
    _write_offsets(disk, HIGH_WATERMARKS, high_watermarks)


def read_recovery_points(disk: Disk) -> dict[TopicPartition, Offset]:
    """Where a start after a kill begins to read each log of several segments; empty when there is no file."""
    return _read_offsets(disk, RECOVERY_POINTS)


def write_recovery_points(disk: Disk, recovery_points: dict[TopicPartition, Offset]) -> None:
    """Replace the checkpoint."""
    _write_offsets(disk, RECOVERY_POINTS, recovery_points)


def read_log_starts(disk: Disk) -> dict[TopicPartition, Offset]:
    """Log starts (inclusive) of logs from whose front records were deleted; empty when there is no file."""
    return _read_offsets(disk, LOG_STARTS)


def write_log_starts(disk: Disk, log_starts: dict[TopicPartition, Offset]) -> None:
    """Replace the checkpoint."""
    _write_offsets(disk, LOG_STARTS, log_starts)


def read_leader_epochs(disk: Disk, folder: str) -> tuple[tuple[Epoch, Offset], ...]:
    """(epoch, first offset) entries of one log's epoch cache; empty when there is no file."""
    name = f"{folder}/{LEADER_EPOCHS}"
    return tuple((_number(words[0], name), _number(words[1], name)) for words in _read(disk, name, 2))


def write_leader_epochs(disk: Disk, folder: str, entries: Iterable[tuple[Epoch, Offset]]) -> None:
    """Replace one log's epoch cache checkpoint."""
    _write(disk, f"{folder}/{LEADER_EPOCHS}", (f"{epoch} {start}" for epoch, start in entries))


def read_adopted_epoch(disk: Disk, folder: str) -> Epoch:
    """Newest leader epoch with whose beginning a log is whole; -1 when there is no file."""
    name = f"{folder}/{ADOPTED_EPOCH}"
    return max((_number(words[0], name) for words in _read(disk, name, 1)), default=NO_EPOCH)


def write_adopted_epoch(disk: Disk, folder: str, epoch: Epoch) -> None:
    """Write the newest epoch that the replica adopted in place of the one before."""
    _write(disk, f"{folder}/{ADOPTED_EPOCH}", (str(epoch),))


def read_cleaned(disk: Disk, folder: str) -> Offset:
    """Up to where a log was compacted (exclusive), 0 when it only has gaps; -1 when there is no file."""
    name = f"{folder}/{CLEANED}"
    return max((_number(words[0], name) for words in _read(disk, name, 1)), default=UNKNOWN_OFFSET)


def write_cleaned(disk: Disk, folder: str, cleaned_offset: Offset) -> None:
    """Write up to where the log is compacted (exclusive) in place of what stood there."""
    _write(disk, f"{folder}/{CLEANED}", (str(cleaned_offset),))


def _read_offsets(disk: Disk, name: str) -> dict[TopicPartition, Offset]:
    rows = _read(disk, name, 3)
    return {TopicPartition(words[0], _number(words[1], name)): _number(words[2], name) for words in rows}


def _write_offsets(disk: Disk, name: str, offsets: dict[TopicPartition, Offset]) -> None:
    _write(disk, name, (f"{tp.topic} {tp.partition} {offset}" for tp, offset in sorted(offsets.items())))


def _write(disk: Disk, name: str, lines: Iterable[str]) -> None:
    body = list(lines)
    disk.replace(name, "".join(f"{line}\n" for line in (VERSION, str(len(body)), *body)).encode())
    disk.fsync_dir(name.rpartition("/")[0])


def _read(disk: Disk, name: str, words: int) -> list[list[str]]:
    data = disk.read_whole(name)
    if data is None:
        return []
    lines = data.decode("ascii", "replace").splitlines()
    rows = [line.split() for line in lines[2:]]
    if lines[:2] != [VERSION, str(len(rows))] or any(len(row) != words for row in rows):
        raise DamagedCheckpointError(IO_ERROR, f"read {name}")
    return rows


def _number(word: str, name: str) -> int:
    if not word.isdecimal() or len(word) > 20:
        raise DamagedCheckpointError(IO_ERROR, f"read {name}")
    return int(word)
