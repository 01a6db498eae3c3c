"""Which topic a log belongs to: its id, so that the log of a deleted topic is not taken for that of the next one.

Source: Kafka PartitionMetadataFile, KIP-516.
"""

from __future__ import annotations

from cluster.storage.disk import Disk

NAME = "partition.metadata"
UNKNOWN = -1
_LINE = "topic_id: "


def read_topic_id(disk: Disk, folder: str) -> int:
    """As written when the log was made; -1 when it was not, or cannot be read."""
    return topic_id_in(disk.read_whole(f"{folder}/{NAME}") or b"")


def topic_id_in(data: bytes) -> int:
    """The topic that a partition.metadata names; -1 when it names none."""
    lines = data.decode("ascii", "replace").splitlines()
    ids = [line.removeprefix(_LINE) for line in lines if line.startswith(_LINE)]
    return int(ids[0]) if len(ids) == 1 and ids[0].isdecimal() else UNKNOWN


def is_damaged(disk: Disk, folder: str) -> bool:
    """Whether there is a file that names no topic."""
    return disk.exists(f"{folder}/{NAME}") and read_topic_id(disk, folder) == UNKNOWN


def write_topic_id(disk: Disk, folder: str, topic_id: int) -> None:
    """Durable at once, as the log's first segment is."""
    name = f"{folder}/{NAME}"
    if disk.exists(name):
        disk.unlink(name)
    disk.create(name)
    disk.append(name, f"version: 0\n{_LINE}{topic_id}\n".encode())
    disk.fsync(name)
    disk.fsync_dir(folder)
