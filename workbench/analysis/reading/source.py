"""Trace files as a source of data for Spark, at once or as a stream of what is new."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

from cluster.runtime.run.folder import clock_shift_ns, is_alive
from workbench.analysis.reading.columns import layout
from workbench.analysis.reading.ranges import FORMAT, Place, Range, hop, ranges_from_json, ranges_to_json, spread

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

CLOCK = "clock"
ROWS_MAX = 2000
"""Rows of one batch for Spark: with more, its side of the pipe waits."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A run of a stream; what it says of the run is settled before the stream begins."""

    folder: str
    run: str
    start_ns: int
    entry_run: str


class TracePart(InputPartition):
    """What one task reads."""

    def __init__(self, ranges: list[Range]) -> None:
        super().__init__(None)
        self.ranges = ranges


class TraceSource(DataSource):
    """Options: ranges and shares for a batch; runs, start and shares for a stream. Lists are JSON.

    With the option `into`, a folder that all machines see, the tasks write the rows there as Parquet, and Spark gets
    only those rows which tell how the reading went: hundreds of columns of mostly nulls cost more on their way through
    its rows than all the rest.
    """

    @classmethod
    def name(cls) -> str:
        """What spark.read.format takes."""
        return FORMAT

    def schema(self) -> str:
        """All columns of the events table."""
        return layout().text

    def reader(self, schema: StructType) -> TraceReader:
        """Reads the ranges it was given."""
        return TraceReader(ranges_from_json(self.options["ranges"]), self._shares, self._into, self._also)

    def streamReader(self, schema: StructType) -> TraceStreamReader:  # noqa: N802  # the name is Spark's
        """Reads the runs it was given, and what comes to be in their folders."""
        runs = [Followed(**item) for item in json.loads(self.options["runs"])]
        start = json.loads(self.options.get("start", "{}"))
        return TraceStreamReader(runs, start, self._shares, self._into, self._also)

    @property
    def _shares(self) -> int:
        return int(self.options.get("shares", "1"))

    @property
    def _into(self) -> str:
        return self.options.get("into", "")

    @property
    def _also(self) -> tuple[str, ...]:
        return tuple(filter(None, self.options.get("also", "").split(",")))


class TraceReader(DataSourceReader):
    """Fixed ranges of bytes, in as many tasks as there are cores."""

    def __init__(self, ranges: list[Range], shares: int, into: str, also: tuple[str, ...]) -> None:
        self._ranges, self._shares = ranges, shares
        self._into, self._also = into, also

    def partitions(self) -> list[InputPartition]:
        """One for each share."""
        return [TracePart(share) for share in spread(self._ranges, self._shares)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one share."""
        assert isinstance(partition, TracePart)
        return rows_for_spark(partition.ranges, self._into, self._also)


class TraceStreamReader(DataSourceStreamReader):
    """An offset is, for each file, the Place behind its last complete entry.

    A torn tail is not there yet. A file that is new since is read from its beginning. CLOCK stands for the instant
    before the files were looked at, on the machine's clock.
    """

    def __init__(
        self, runs: list[Followed], start: dict[str, Any], shares: int, into: str, also: tuple[str, ...]
    ) -> None:
        self._runs, self._start, self._shares = runs, start, shares
        self._into, self._also = into, also

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # the name is Spark's
        """What was read before the stream began."""
        return self._start

    def latestOffset(self, start: dict[str, Any], _limit: object) -> dict[str, Any]:  # noqa: N802  # Spark's
        """How far every file goes now."""
        latest: dict[str, Any] = {}
        until_ns = time.monotonic_ns()
        for run in self._runs:
            trace = Path(run.folder) / "trace"
            for path in sorted(trace.glob("*.trace")):
                latest[str(path)] = hop(path, _place(start, path)).plain
        if all(start.get(path) == latest[path] for path in latest):
            return start
        return latest | {CLOCK: until_ns}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """What lies between two offsets."""
        ranges: list[Range] = []
        for run in self._runs:
            trace = str(Path(run.folder) / "trace")
            fresh = [path for path in end if str(Path(path).parent) == trace and end[path] != start.get(path)]
            if not any(_place(end, path).byte for path in fresh):
                continue
            folder = Path(run.folder)
            until_ns = int(end[CLOCK]) + clock_shift_ns(folder) if is_alive(folder) else None
            for path in fresh:
                ends = {"to_byte": _place(end, path).byte, "until_ns": until_ns, **_place(start, path).start}
                ranges.append(Range(run.run, run.start_ns, path, Path(path).name, entry_run=run.entry_run, **ends))
        return [TracePart(share) for share in spread(ranges, self._shares)] if ranges else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one share."""
        assert isinstance(partition, TracePart)
        return rows_for_spark(partition.ranges, self._into, self._also)


def _place(offset: dict[str, Any], path: Path | str) -> Place:
    return Place.of(offset[str(path)]) if str(path) in offset else Place()


def rows_for_spark(ranges: list[Range], into: str, also: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """The rows of some ranges; with `into` they go there, and only the few that are wanted besides go to Spark."""
    from workbench.analysis.reading.piecewise import batches, store

    if into:
        # The same ranges make the same file, so a task that is run again replaces what it left the first time.
        found = store(ranges, Path(into), sha256(ranges_to_json(ranges).encode()).hexdigest()[:16], also)
    else:
        found = batches(ranges)
    for batch in found:
        for start in range(0, batch.num_rows, ROWS_MAX):
            yield batch.slice(start, ROWS_MAX)
