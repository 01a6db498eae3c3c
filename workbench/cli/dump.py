"""`workbench dump RUN NODE`: what a node's files hold, in words or for machines: logs, checkpoints, snapshots.

It reads and changes nothing. Whatever stands in a file is made visible. As `kafka-dump-log` does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from cluster.model.codec import DecodeError, decode_metadata_record
from cluster.model.errors import StorageFailed
from cluster.model.identifiers import METADATA
from cluster.model.record_batch import CorruptBatchError, Record
from cluster.model.snapshot import BadSnapshotError, decode_snapshot, parse_snapshot_name
from cluster.model.transaction_marker import marker_of
from cluster.ordinary_file import read_ordinary
from cluster.runtime.run.folder import RunError, is_alive, read_facts
from cluster.storage.books import TEMPORARY_SUFFIX, data_files
from cluster.storage.checkpoints import VERSION
from cluster.storage.election_file import election_of
from cluster.storage.log import topic_directory
from cluster.storage.log_dump import DumpedBatch, dump_log
from cluster.storage.meta_properties import directory_id_in
from cluster.storage.partition_metadata import UNKNOWN, topic_id_in
from cluster.storage.segment import SUFFIX, base_offset_of
from cluster.storage.segment_index import INDEX, TIME_INDEX, index_entries
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text
from workbench.telling.words import plural

FILE_BYTES_MAX = 1 << 30
"""Of a file that is read whole: snapshots and checkpoints."""
SHOWN_MAX = 200
"""Characters of one value."""
METADATA_FOLDER = topic_directory(METADATA)
ROWS = {
    "replication-offset-checkpoint": ("{0}-{1}: high watermark {2}", ("topic", "partition", "high_watermark")),
    "recovery-point-offset-checkpoint": ("{0}-{1}: recovery point {2}", ("topic", "partition", "recovery_point")),
    "log-start-offset-checkpoint": ("{0}-{1}: begins at {2}", ("topic", "partition", "log_start_offset")),
    "leader-epoch-checkpoint": ("epoch {0} begins at {1}", ("epoch", "start_offset")),
    "adopted-epoch-checkpoint": ("adopted: epoch {0}", ("epoch",)),
    "cleaner-offset-checkpoint": ("compacted up to {0}", ("end_offset",)),
}
"""What a line of a checkpoint says, and the names of its words, by the name of the file."""
READERS: dict[str, Callable[[bytes], object]] = {
    "quorum-state": election_of, "meta.properties": directory_id_in, "partition.metadata": topic_id_in,
}  # fmt: skip
"""What a node itself reads a file with, by the file's name."""
DIGITS_MAX = 19
"""Of a number in a checkpoint."""
HEAD_LINES = 2
"""Of a checkpoint: its version, and how many lines follow."""


class Told(NamedTuple):
    """One thing that a file says."""

    words: str
    """For people; nothing in it that a terminal would obey."""
    facts: dict[str, Any]
    """For machines: `is`, which says what it is, and its numbers and texts."""


class BadFile(Exception):
    """A file is not what it should be. One clause says why; what could be read of it was printed."""


def dump(folder: Path, node: int, *, metadata: bool, as_json: bool = False) -> int:
    """Print the files of a node; 4 when one of them is bad. Refusal when there are none.

    Args:
        as_json: one object a line, each with the name of its file.
    """
    root = folder / "data" / str(node)
    names = _names(folder, root, node)
    bad: list[str] = []
    for name in names:
        if metadata and not name.startswith(f"{METADATA_FOLDER}/"):
            continue
        shown = safe_text(name, SHOWN_MAX)
        if not as_json:
            print(f"== {shown}")
        try:
            for line in _lines(root, name):
                print(json.dumps({"file": name, **line.facts}) if as_json else line.words)
        except (BadFile, OSError) as error:
            why = safe_text(str(error.strerror if isinstance(error, OSError) else error), SHOWN_MAX)
            print(json.dumps({"file": name, "is": "bad", "why": why}) if as_json else f"   BAD: {why}")
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
    nodes = sorted(path.name for path in data.iterdir() if path.name.isdecimal()) if data.is_dir() else []
    raise Refusal(BAD_DATA, f"node {node} has no files there; there are files of {', '.join(nodes) or 'no node'}")


def _lines(root: Path, name: str) -> Iterator[Told]:
    """What a file says. BadFile at the first thing that makes no sense."""
    last = name.rpartition("/")[2]
    if name.endswith(TEMPORARY_SUFFIX):
        place = last.removesuffix(TEMPORARY_SUFFIX)
        words = f"   unfinished: it was to take the place of {safe_text(place, SHOWN_MAX)}"
        yield Told(words, {"is": "unfinished", "instead_of": place})
    elif base_offset_of(name) is not None:
        yield from _log_lines(root / name, is_metadata=name.startswith(f"{METADATA_FOLDER}/"))
    elif parse_snapshot_name(name) is not None:
        yield from _snapshot_lines(root / name)
    elif name.endswith((INDEX, TIME_INDEX)):
        yield from _index_lines(root / name)
    else:
        data = read_ordinary(root / name, FILE_BYTES_MAX)
        text = data.decode("utf-8", "replace")
        yield from _checkpoint_lines(text, *ROWS[last]) if last in ROWS else _text_lines(text)
        _check_as_its_node(last, data)


def _check_as_its_node(last: str, data: bytes) -> None:
    try:
        is_read = last not in READERS or READERS[last](data) != UNKNOWN
    except StorageFailed:
        is_read = False
    if not is_read:
        raise BadFile("its node cannot read it")


def _text_lines(text: str) -> Iterator[Told]:
    return (Told(f"   {safe_text(line, SHOWN_MAX)}", {"is": "text", "text": line}) for line in text.splitlines())


def _checkpoint_lines(text: str, form: str, names: tuple[str, ...]) -> Iterator[Told]:
    lines = text.splitlines()
    rows = [line.split() for line in lines[HEAD_LINES:]]
    version = lines[0] if lines else ""
    words = f"   version {safe_text(version, 20)}, {plural(len(rows), 'line')}" if lines else "   empty"
    yield Told(words, {"is": "checkpoint", "version": version, "lines": len(rows)})
    for row in rows:
        numbers_of = [word for name, word in zip(names, row, strict=False) if name != "topic"]
        if len(row) != len(names) or not all(word.isdecimal() for word in numbers_of):
            raise BadFile(f"no such line stands in a checkpoint: {' '.join(row)}")
        numbers = [int(word) if word.isdecimal() and len(word) < DIGITS_MAX else word for word in row]
        facts = {"is": "line", **dict(zip(names, numbers, strict=True))}
        yield Told("   " + safe_text(form.format(*row), SHOWN_MAX), facts)
    if lines[1:HEAD_LINES] != [str(len(rows))]:
        raise BadFile("it does not hold as many lines as it says")
    if version != VERSION:
        raise BadFile(f"its node reads version {VERSION}")


def _log_lines(path: Path, *, is_metadata: bool) -> Iterator[Told]:
    count = 0
    for batch in dump_log(path):
        count += 1
        yield Told(_batch_words(batch), _batch_facts(batch))
        if batch.header is not None:
            for delta, record in enumerate(batch.records):
                offset = batch.header.base_offset + delta
                record_told = _told_of(record, is_metadata=is_metadata, is_control=batch.header.control)
                yield Told(
                    f"     {offset:>6}  {record_told.words}", {"is": "record", "offset": offset, **record_told.facts}
                )
        if batch.why:
            raise BadFile(f"at byte {batch.position}: {batch.why}")
    yield Told(f"   batches: {count}", {"is": "end", "batches": count})


def _index_lines(path: Path) -> Iterator[Told]:
    """Each entry, with offsets of the log and not of the segment."""
    base = base_offset_of(path.with_suffix(SUFFIX).name)
    entries = index_entries(path.name, read_ordinary(path, FILE_BYTES_MAX))
    if base is None or isinstance(entries, str):
        raise BadFile("its name is no offset of twenty digits" if base is None else str(entries))
    for one, other in entries:
        if path.suffix == TIME_INDEX:
            yield Told(
                f"   up to offset {base + other}: time {one}", {"is": "time", "offset": base + other, "time_ms": one}
            )
        else:
            yield Told(
                f"   offset {base + one} at byte {other}", {"is": "index", "offset": base + one, "position": other}
            )


def _batch_facts(batch: DumpedBatch) -> dict[str, Any]:
    header = batch.header
    facts: dict[str, Any] = {"is": "batch", "position": batch.position}
    if header is None:
        return facts
    return facts | {
        "base_offset": header.base_offset,
        "end_offset": header.end_offset,
        "epoch": header.leader_epoch,
        "size_bytes": header.size_bytes,
        "crc": f"{header.crc:08x}",
        "is_good": not batch.why,
        "first_time_ms": batch.first_time_ms,
        "control": header.control,
        "compressed": batch.is_compressed,
        "producer_id": header.producer_id,
        "transactional": header.transactional,
    }


def _batch_words(batch: DumpedBatch) -> str:
    header = batch.header
    if header is None:
        return f"   at byte {batch.position}"
    kind = "control " if header.control else ""
    kind += "compressed " if batch.is_compressed else ""
    kind += "transactional " if header.transactional and not header.control else ""
    producer = f", producer {header.producer_id}" if header.producer_id >= 0 else ""
    return (
        f"   {kind}batch [{header.base_offset},{header.end_offset}) epoch {header.leader_epoch} "
        f"at byte {batch.position}, {header.size_bytes} bytes, CRC {header.crc:08x} "
        f"{'WRONG' if batch.why else 'right'}, time {batch.first_time_ms}{producer}"
    )


def _told_of(record: Record, *, is_metadata: bool, is_control: bool) -> Told:
    if is_metadata:
        return _metadata_told(record)
    try:
        marker = marker_of(record) if is_control else None
    except CorruptBatchError as error:
        raise BadFile(f"a marker cannot be read: {error}") from error
    if marker is None:
        return _record_told(record)
    what, epoch = "commit" if marker.committed else "abort", marker.coordinator_epoch
    return Told(f"marker: {what}, coordinator epoch {epoch}", {"marker": what, "coordinator_epoch": epoch})


def _record_told(record: Record) -> Told:
    words = f"key {_value_words(record.key)}, value {_value_words(record.value)}"
    return Told(words, {"key": _text_of(record.key), "value": _text_of(record.value)})


def _value_words(value: bytes | None) -> str:
    return "none" if value is None else f"'{safe_text(value, SHOWN_MAX)}'"


def _text_of(value: bytes | None) -> str | None:
    """Whole; bytes that are no UTF-8 as `\\xNN`."""
    return None if value is None else value.decode("utf-8", "backslashreplace")


def _metadata_told(record: Record) -> Told:
    try:
        return _struct_told(decode_metadata_record(record))
    except (DecodeError, ValueError) as error:
        raise BadFile(f"a record cannot be read: {error}") from error


def _struct_told(item: Struct) -> Told:
    return Told(_struct_words(item), {"type": type(item).__name__, **_struct_facts(item)})


def _struct_facts(item: Struct) -> dict[str, Any]:
    """Every field by name, also of what is sent as a list."""
    values = {name: getattr(item, name) for name in item.__struct_fields__}
    return {name: _struct_facts(value) if isinstance(value, Struct) else value for name, value in values.items()}


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


def _snapshot_lines(path: Path) -> Iterator[Told]:
    snapshot_id = parse_snapshot_name(path.name)
    assert snapshot_id is not None, "who asks has looked at the name"
    data = read_ordinary(path, FILE_BYTES_MAX)
    try:
        snapshot = decode_snapshot(snapshot_id, data)
    except BadSnapshotError as error:
        raise BadFile(str(error)) from error
    (end_offset, epoch), count = snapshot_id, len(snapshot.records)
    time_ms = snapshot.header.last_contained_log_timestamp_ms
    words = (
        f"   snapshot of [0,{end_offset}), last epoch {epoch}, {len(data)} bytes, {plural(count, 'record')}, "
        f"time {time_ms}"
    )
    facts = {"end_offset": end_offset, "epoch": epoch, "size_bytes": len(data), "records": count, "time_ms": time_ms}
    yield Told(words, {"is": "snapshot", **facts})
    for record in (*snapshot.control, *snapshot.records):
        record_told = _struct_told(record)
        yield Told(f"     {record_told.words}", {"is": "record", **record_told.facts})
