"""Trace files as a stream of rows for Spark. It only reads: what is kept of it, and where, its query says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from cluster.runtime.run.folder import is_alive, run_clock_ns
from cluster.trace.reader import ENDING
from workbench.analysis.reading.columns import COLUMNS
from workbench.analysis.reading.ranges import FORMAT, Place, Range, cut_up, spread

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

Offset = dict[str, dict[str, Any]]
"""Run to where it is, and to the Place behind the last complete entry of each of its files. With all that is needed to
read on: a query that goes on where another one broke off may have been asked for other runs."""


class TracePart(InputPartition):
    """What one task reads."""

    def __init__(self, ranges: list[Range]) -> None:
        super().__init__(None)
        self.ranges = ranges


class TraceSource(DataSource):
    """Options: runs, a JSON list of run, folder, start_ns and entry_run; shares, into how many tasks they go."""

    @classmethod
    def name(cls) -> str:
        """What spark.readStream.format takes."""
        return FORMAT

    def schema(self) -> str:
        """The events table."""
        return COLUMNS

    def streamReader(self, schema: StructType) -> TraceStreamReader:  # noqa: N802  # the name is Spark's
        """Reads what is new of the runs it was given."""
        return TraceStreamReader(json.loads(self.options["runs"]), int(self.options["shares"]))


class TraceStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A torn tail is not there yet. A file that is new since is read from its beginning."""

    def __init__(self, runs: list[dict[str, Any]], shares: int) -> None:
        self._runs, self._shares = runs, shares
        self._ends_here = False
        self._last: Offset | None = None

    def initialOffset(self) -> Offset:  # noqa: N802  # the name is Spark's
        """Nothing was read."""
        return {}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  # Spark's
        """What comes from now on another query takes."""
        self._ends_here = True

    def latestOffset(self, start: Offset, _limit: object) -> Offset:  # noqa: N802  # Spark's
        """How far every file goes now; other runs stay where they are."""
        if self._last is None or not self._ends_here:
            self._last = dict(start)
            for asked in self._runs:
                before = start.get(asked["run"], asked | {"files": {}})
                files, until_ns = _looked_at(Path(asked["folder"]), before["files"])
                if files != before["files"]:
                    newest = {"folder": asked["folder"], "until_ns": until_ns, "files": files}
                    self._last[asked["run"]] = before | newest
        return self._last

    def partitions(self, start: Offset, end: Offset) -> list[InputPartition]:
        """What lies between two offsets."""
        ranges = [item for run, offset in end.items() for item in _between(run, start.get(run, {}), offset)]
        return [TracePart(share) for share in spread(cut_up(ranges, self._shares), self._shares)] if ranges else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one share."""
        from workbench.analysis.reading.rows import read_all

        assert isinstance(partition, TracePart)
        return read_all(partition.ranges)


def _looked_at(folder: Path, known: dict[str, Any]) -> tuple[dict[str, Any], int | None]:
    """(file to its Place, the clock before they were looked at when the run goes on)."""
    trace = folder / "trace"
    until_ns = run_clock_ns(folder) if is_alive(folder) else None
    names = {*known, *(path.name for path in trace.glob(f"*{ENDING}"))}
    return {name: Place.of(known.get(name)).now(trace / name).plain for name in sorted(names)}, until_ns


def _between(run: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[Range]:
    """What is new of each file of a run."""
    files_before = before.get("files", {})
    for name, plain in after["files"].items():
        if plain != files_before.get(name):
            start = Place.of(files_before.get(name)).start
            ends = {"to_byte": Place.of(plain).size, "until_ns": after["until_ns"], **start}
            path = str(Path(after["folder"]) / "trace" / name)
            yield Range(run, after["start_ns"], path, name, entry_run=after["entry_run"], **ends)
