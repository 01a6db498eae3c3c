"""`workbench dump RUN NODE`: what a node's files hold, in words: logs, checkpoints, snapshots.

It reads and changes nothing. Whatever stands in a file is made visible. As `kafka-dump-log` does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from cluster.model.codec import DecodeError, decode_metadata_record
from cluster.model.identifiers import METADATA
from cluster.model.record_batch import Record
from cluster.model.snapshot import BadSnapshotError, decode_snapshot, parse_snapshot_name
from cluster.ordinary_file import read_ordinary
from cluster.runtime.run.folder import RunError, is_alive, read_facts
from cluster.storage.books import TEMPORARY_SUFFIX, data_files
from cluster.storage.log import topic_directory
from cluster.storage.log_dump import DumpedBatch, dump_log
from cluster.storage.segment import base_offset_of
from workbench.session.describe.counted import counted
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

FILE_BYTES_MAX = 1 << 30
"""Of a file that is read whole: snapshots and checkpoints."""
SHOWN_MAX = 200
"""Characters of one value."""
METADATA_FOLDER = topic_directory(METADATA)
ROWS = {
    "replication-offset-checkpoint": "{0}-{1}: high watermark {2}",
    "log-start-offset-checkpoint": "{0}-{1}: begins at {2}",
    "leader-epoch-checkpoint": "epoch {0} begins at {1}",
}
"""What a line of a checkpoint says, by the name of the file."""
HEAD_LINES = 2
"""Of a checkpoint: its version, and how many lines follow."""


class BadFile(Exception):
    """A file is not what it should be. One clause says why; what could be read of it was printed."""


def dump(folder: Path, node: int, *, metadata: bool) -> int:
    """Print the files of a node; 4 when one of them is bad. Refusal when there are none."""
    root = folder / "data" / str(node)
    names = _names(folder, root, node)
    bad: list[str] = []
    for name in names:
        if metadata and not name.startswith(f"{METADATA_FOLDER}/"):
            continue
        shown = safe_text(name, SHOWN_MAX)
        print(f"== {shown}")
        try:
            for line in _lines(root, name):
                print(line)
        except (BadFile, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            print(f"   BAD: {safe_text(str(why), SHOWN_MAX)}")
            bad.append(shown)
    if bad and is_alive(folder):
        print("the run is up: what was being written may be told as cut short", file=sys.stderr)
    if bad:
        print(f"bad: {', '.join(bad)}", file=sys.stderr)
    return BAD_DATA if bad else 0


def _names(folder: Path, root: Path, node: int) -> list[str]:
    try:
        is_simulated = read_facts(folder).world == "simulated"
    except RunError as error:
        raise Refusal(BAD_DATA, f"'{safe_text(str(folder), 200)}': {safe_text(str(error), 300)}") from error
    if is_simulated:
        raise Refusal(BAD_DATA, f"{safe_text(folder.name, 80)} is simulated: its disks were in memory and are gone")
    names = data_files(root) if root.is_dir() else []
    if names:
        return names
    data = folder / "data"
    known = sorted(path.name for path in data.iterdir() if path.name.isdecimal()) if data.is_dir() else []
    raise Refusal(BAD_DATA, f"node {node} has no files there; there are files of {', '.join(known) or 'no node'}")


def _lines(root: Path, name: str) -> Iterator[str]:
    """What a file says. BadFile at the first thing that makes no sense."""
    last = name.rpartition("/")[2]
    if name.endswith(TEMPORARY_SUFFIX):
        yield f"   unfinished: it was to take the place of {safe_text(last.removesuffix(TEMPORARY_SUFFIX), SHOWN_MAX)}"
    elif base_offset_of(name) is not None:
        yield from _log_lines(root / name, is_metadata=name.startswith(f"{METADATA_FOLDER}/"))
    elif parse_snapshot_name(name) is not None:
        yield from _snapshot_lines(root / name)
    else:
        text = read_ordinary(root / name, FILE_BYTES_MAX).decode("utf-8", "replace")
        yield from _checkpoint_lines(text, ROWS[last]) if last in ROWS else _text_lines(text)


def _text_lines(text: str) -> Iterator[str]:
    return (f"   {safe_text(line, SHOWN_MAX)}" for line in text.splitlines())


def _checkpoint_lines(text: str, form: str) -> Iterator[str]:
    lines = text.splitlines()
    rows = [line.split() for line in lines[HEAD_LINES:]]
    yield f"   version {safe_text(lines[0], 20)}, {counted(len(rows), 'line')}" if lines else "   empty"
    for row in rows:
        if len(row) != form.count("{"):
            raise BadFile(f"no such line stands in a checkpoint: {' '.join(row)}")
        yield "   " + safe_text(form.format(*row), SHOWN_MAX)
    if lines[1:HEAD_LINES] != [str(len(rows))]:
        raise BadFile("it does not hold as many lines as it says")


def _log_lines(path: Path, *, is_metadata: bool) -> Iterator[str]:
    count = 0
    for batch in dump_log(path):
        count += 1
        yield _batch_words(batch)
        if batch.header is not None:
            for delta, record in enumerate(batch.records):
                words = _metadata_words(record) if is_metadata else _record_words(record)
                yield f"     {batch.header.base_offset + delta:>6}  {words}"
        if batch.why:
            raise BadFile(f"at byte {batch.position}: {batch.why}")
    yield f"   batches: {count}"


def _batch_words(batch: DumpedBatch) -> str:
    header = batch.header
    if header is None:
        return f"   at byte {batch.position}"
    kind = "control " if header.control else ""
    kind += "compressed " if batch.is_compressed else ""
    producer = f", producer {header.producer_id}" if header.producer_id >= 0 else ""
    return (
        f"   {kind}batch [{header.base_offset},{header.end_offset}) epoch {header.leader_epoch} "
        f"at byte {batch.position}, {header.size_bytes} bytes, CRC {header.crc:08x} "
        f"{'WRONG' if batch.why else 'right'}, time {batch.first_time_ms}{producer}"
    )


def _record_words(record: Record) -> str:
    return f"key {_value_words(record.key)}, value {_value_words(record.value)}"


def _value_words(value: bytes | None) -> str:
    return "none" if value is None else f"'{safe_text(value, SHOWN_MAX)}'"


def _metadata_words(record: Record) -> str:
    try:
        return _struct_words(decode_metadata_record(record))
    except (DecodeError, ValueError) as error:
        raise BadFile(f"a record cannot be read: {error}") from error


def _struct_words(item: Struct) -> str:
    """Its kind and every field by name."""
    fields = ", ".join(f"{name} {_field_words(getattr(item, name))}" for name in item.__struct_fields__)
    return f"{type(item).__name__} {fields}".rstrip()


def _field_words(value: Any) -> str:
    if isinstance(value, Struct):
        return f"({_struct_words(value)})"
    if isinstance(value, str):
        return f"'{safe_text(value, SHOWN_MAX)}'"
    return safe_text(str(list(value) if isinstance(value, tuple) else value), SHOWN_MAX)


def _snapshot_lines(path: Path) -> Iterator[str]:
    snapshot_id = parse_snapshot_name(path.name)
    assert snapshot_id is not None, "who asks has looked at the name"
    data = read_ordinary(path, FILE_BYTES_MAX)
    try:
        snapshot = decode_snapshot(snapshot_id, data)
    except BadSnapshotError as error:
        raise BadFile(str(error)) from error
    yield (
        f"   snapshot of [0,{snapshot_id.end_offset}), last epoch {snapshot_id.epoch}, {len(data)} bytes, "
        f"{counted(len(snapshot.records), 'record')}, time {snapshot.header.last_contained_log_timestamp_ms}"
    )
    for record in (*snapshot.control, *snapshot.records):
        yield f"     {_struct_words(record)}"
