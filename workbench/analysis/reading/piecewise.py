"""Trace files piece by piece as Arrow batches, or straight into Parquet. Run by the workers of Spark."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cluster.model.codec import DecodeError, from_plain
from cluster.model.events import CATALOGUE
from cluster.ordinary_file import open_ordinary
from cluster.trace.entry import ENTRY_BYTES_MAX, UNREADABLE, unpack_entry
from cluster.trace.reader import NAMING, WRITERS, strange_node
from workbench.analysis.reading.columnar import Unusual, arrow_schema, batch_of
from workbench.analysis.reading.decode import nothing_read, rows
from workbench.analysis.reading.ranges import Range

PIECE_BYTES = 1 << 19
"""Read at once: some thousand events, which is enough to make what is done once for a piece cheap."""
GROUP_ROWS = 100_000
"""Rows of one row group of a Parquet file."""
RUN = "run"
CLIMBING = dict.fromkeys(("seq", "t_ns", "wall_ns", "lamport", "cause_seq"), "DELTA_BINARY_PACKED")
"""Columns that hardly ever repeat a value: a dictionary of them would only be thrown away."""
UNLIKELY = (Unusual, DecodeError, *UNREADABLE, OverflowError, pa.ArrowException)
"""What sends a piece the slow way, where it is named or turns out to be good after all."""


class Reading:
    """The reading of one range."""

    __slots__ = ("_item", "_left", "told")

    def __init__(self, item: Range) -> None:
        self._item = item
        self._left = b""
        self.told = nothing_read(item)
        """The row that tells how it went, so far."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows of all complete entries, in no promised order."""
        item, told = self._item, self.told
        try:
            handle = open_ordinary(Path(item.path), follow=True)
        except OSError:
            yield from self._slowly(item)
            return
        try:
            while "bad_byte" not in told and (due := item.to_byte - self._read_to) > 0:
                piece = os.pread(handle, min(PIECE_BYTES, due), self._read_to)
                self._left += piece
                yield from self._take(is_last=len(piece) == 0)
                if not piece:
                    break
        finally:
            os.close(handle)
        if "bad_byte" not in told:
            if item.to_byte < item.from_byte or self._read_to < item.to_byte:
                yield from self._slowly(replace(self._rest(), to_byte=item.to_byte))
            else:
                told["torn_bytes"] = len(self._left)

    @property
    def _read_to(self) -> int:
        """One past the last byte seen."""
        position: int = self.told["to_byte"]
        return position + len(self._left)

    def _rest(self) -> Range:
        """What of the range was not taken yet."""
        told, item = self.told, self._item
        origin = (told["node"], told["incarnation"]) if "node" in told else item.origin
        ends = {"from_byte": told["to_byte"], "seq": told["next_seq"], "newest_ns": told["newest_ns"]}
        return replace(item, **ends, origin=origin)

    def _take(self, *, is_last: bool) -> Iterator[pa.RecordBatch]:
        """The complete entries of what was read."""
        rest = self._rest()
        if is_last:
            return
        try:
            entries, end = _unpacked(self._left)
            if not entries:
                return
            batch, origin, unknown = batch_of(entries, rest, rest.seq)
            if rest.origin not in (None, origin) or not _is_likely(entries, rest.newest_ns):
                raise Unusual
        except UNLIKELY:
            yield from self._slowly(replace(rest, to_byte=self._read_to))
            return
        self._note(entries, unknown, rest.from_byte + end, origin)
        self._left = self._left[end:]
        yield batch

    def _note(self, entries: list[Any], unknown: int, to_byte: int, origin: tuple[int, int]) -> None:
        told = self.told
        told["entry_count"] += len(entries)
        told["next_seq"] += len(entries)
        told["newest_ns"] = entries[-1][4]
        told["unknown_count"] += unknown
        told["to_byte"] = to_byte
        told["node"], told["incarnation"] = origin

    def _slowly(self, part: Range) -> Iterator[pa.RecordBatch]:
        """The same for a part that wants a closer look."""
        *found, told = rows(part)
        for name in ("entry_count", "unknown_count"):
            told[name] += self.told[name]
        self._left = self._left[told["to_byte"] - part.from_byte :]
        self.told |= told | {"from_byte": self._item.from_byte}
        if found:
            yield batch_of_rows(found)


def _unpacked(data: bytes) -> tuple[list[Any], int]:
    """All complete entries, and where the last one ends. One of UNLIKELY for a length that cannot be."""
    entries, cursor, size, view = [], 0, len(data), memoryview(data)
    while size - cursor >= 4:
        length = int.from_bytes(view[cursor : cursor + 4], "big")
        if not 0 < length <= ENTRY_BYTES_MAX:
            raise Unusual
        after = cursor + 4 + length
        if after > size:
            break
        entries.append(unpack_entry(view[cursor + 4 : after]))
        cursor = after
    return entries, cursor


def _is_likely(entries: list[Any], newest_ns: int) -> bool:
    """Whether the clock of one start never goes back, and only nodes that a run can have write and are named.

    The words for what is not so are those of `TraceFile`, which reads such a piece again.
    """
    times = [newest_ns, *(entry[4] for entry in entries)]
    named = [from_plain(CATALOGUE[entry[10]], entry[11]) for entry in entries if entry[10] in NAMING]
    return entries[0][1] in WRITERS and times == sorted(times) and all(strange_node(event) is None for event in named)


def batch_of_rows(found: list[dict[str, Any]]) -> pa.RecordBatch:
    """Rows of the events table; what a row does not name is null."""
    return pa.RecordBatch.from_pylist(found, schema=arrow_schema())


def batches(ranges: list[Range]) -> Iterator[pa.RecordBatch]:
    """All rows of some ranges, at last those that tell how the readings went."""
    told = []
    with _collector_resting():
        for item in ranges:
            reading = Reading(item)
            yield from reading.batches()
            told.append(reading.told)
    yield batch_of_rows(told)


def store(ranges: list[Range], folder: Path, name: str, also: Sequence[str] = ()) -> Iterator[pa.RecordBatch]:
    """All rows of some ranges into folder/run=ID/NAME.parquet.

    Gives the rows of those events that are named in `also`, and at last those that tell how the readings went. A file
    is there whole or not at all, and storing the same again replaces it.
    """
    told, wanted = [], pa.array(also, pa.string())
    with _collector_resting():
        for run, mine in groupby(sorted(ranges, key=lambda item: item.run), lambda item: item.run):
            place = folder / f"run={run}"
            place.mkdir(parents=True, mode=0o700, exist_ok=True)
            unfinished = place / f".{name}.{os.getpid()}"
            readings = list(map(Reading, mine))
            with EventFile(unfinished) as file:
                for reading in readings:
                    for batch in reading.batches():
                        file.add(batch.drop_columns([RUN]))
                        if also:
                            yield batch.filter(pc.is_in(batch["event"], wanted))
                own = [reading.told for reading in readings]
                file.add(batch_of_rows(own).drop_columns([RUN]))
            unfinished.replace(place / f"{name}.parquet")
            told += own
    yield batch_of_rows(told)


class EventFile:
    """A Parquet file of events that is written a row group at a time. Its folder names the run, so no column does."""

    def __init__(self, path: Path) -> None:
        words = [column.name for column in _stored_schema() if pa.types.is_string(column.type)]
        how: dict[str, Any] = {"use_dictionary": words, "column_encoding": CLIMBING, "compression": "snappy"}
        self._writer = pq.ParquetWriter(path, _stored_schema(), **how)
        self._waiting: list[pa.RecordBatch] = []
        self._count = 0

    def __enter__(self) -> EventFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._writer.close()

    def add(self, batch: pa.RecordBatch) -> None:
        """Some more rows, without the column of the run."""
        self._waiting.append(batch)
        self._count += batch.num_rows
        if self._count >= GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_batches(self._waiting), row_group_size=GROUP_ROWS)
            self._waiting, self._count = [], 0


def stored_batches(path: Path) -> Iterator[pa.RecordBatch]:
    """The rows of one EventFile."""
    with pq.ParquetFile(path) as file:
        yield from file.iter_batches(GROUP_ROWS)


def _stored_schema() -> pa.Schema:
    return arrow_schema().remove(arrow_schema().get_field_index(RUN))


@contextmanager
def _collector_resting() -> Iterator[None]:
    """Nothing that is made of entries is a cycle, and looking for cycles would take most of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
