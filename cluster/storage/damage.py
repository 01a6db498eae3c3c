"""What can befall the disk of a node that is down: replaced, a write torn, a bit rotten. Spec: faults F16-F26."""

from __future__ import annotations

from cluster.model.identifiers import METADATA, Offset, SnapshotId, TopicPartition
from cluster.model.record_batch import HEADER_BYTES, BatchHeader, CorruptBatchError, read_header
from cluster.model.snapshot import parse_snapshot_name, snapshot_name
from cluster.storage.files import Files
from cluster.storage.log import topic_directory
from cluster.storage.segment import base_offset_of


def wipe(files: Files) -> str:
    """Take away everything; what was done, in one clause."""
    files.prepare()
    names = files.names()
    for name in names:
        files.unlink(name)
    files.tidy()
    files.close()
    return f"{len(names)} files are gone"


def tear(files: Files, topic_partition: TopicPartition) -> str:
    """Leave only the first half of a log's last batch, as a write that was cut short does. LookupError without one."""
    batches = _batches(files, topic_partition)
    if not batches:
        files.close()
        raise LookupError(f"{topic_partition} holds no batch there")
    name, position, header = batches[-1]
    end = position + header.size_bytes // 2
    files.truncate(name, end)
    files.save_books(name, files.load_books(name))
    files.close()
    return f"the batch at offset {header.base_offset} of {topic_partition} is cut short"


def rot(files: Files, topic_partition: TopicPartition, offset: Offset) -> str:
    """Flip one bit in the batch that holds offset. LookupError when none does."""
    for name, position, header in _batches(files, topic_partition):
        if header.base_offset <= offset < header.end_offset:
            last = position + header.size_bytes - 1
            files.write(name, bytes([files.read(name, last, 1)[0] ^ 1]), last)
            files.close()
            return f"a bit in the batch at offset {header.base_offset} of {topic_partition} has flipped"
    files.close()
    raise LookupError(f"{topic_partition} holds no offset {offset} there")


def spoil_snapshot(files: Files, how: str) -> str:
    """Flip a bit of the newest metadata snapshot, cut it to half, or rename it. LookupError when there is none."""
    files.prepare()
    named = {snapshot_id: name for name in files.names() if (snapshot_id := parse_snapshot_name(name)) is not None}
    if not named:
        files.close()
        raise LookupError("there is no snapshot there")
    newest = max(named)
    name, middle = named[newest], files.load_books(named[newest]).written // 2
    damage = f"snapshot {newest} "
    if how == "flip":
        files.write(name, bytes([files.read(name, middle, 1)[0] ^ 1]), middle)
        damage += "has a bit that has flipped"
    elif how == "cut":
        files.truncate(name, middle)
        files.save_books(name, files.load_books(name))
        damage += "is cut short"
    else:
        other = SnapshotId(newest.end_offset + 1, newest.epoch)
        path = f"{topic_directory(METADATA)}/{snapshot_name(other)}"
        files.create(path)
        files.write(path, files.read(name, 0, 2 * middle + 1), 0)
        files.save_books(path, files.load_books(name))
        files.unlink(name)
        damage += f"is called {other} now"
    files.close()
    return damage


def _batches(files: Files, topic_partition: TopicPartition) -> list[tuple[str, int, BatchHeader]]:
    """(file, position, header) of each whole batch of a log, in order."""
    files.prepare()
    folder = topic_directory(topic_partition)
    batches = []
    for name in files.names():
        if name.rpartition("/")[0] != folder or base_offset_of(name) is None:
            continue
        size, position = files.load_books(name).written, 0
        while position < size:
            try:
                header = read_header(files.read(name, position, HEADER_BYTES))
            except CorruptBatchError:
                break
            batches.append((name, position, header))
            position += header.size_bytes
    return batches
