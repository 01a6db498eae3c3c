"""Trace files as a source of data for Spark, at once or as a stream of what is new."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

from cluster.runtime.run_folder import clock_shift_ns
from workbench.analysis.columns import layout
from workbench.analysis.decode import Columns, in_batches
from workbench.analysis.ranges import FORMAT, Range, examine, hop, ranges_from_json, spread

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

CLOCK = "clock"


class TracePart(InputPartition):
    """What one task reads."""

    def __init__(self, ranges: list[Range]) -> None:
        super().__init__(None)
        self.ranges = ranges


class TraceSource(DataSource):
    """Options: ranges and shares for a batch; folders, start and shares for a stream. Lists are JSON."""

    @classmethod
    def name(cls) -> str:
        """What spark.read.format takes."""
        return FORMAT

    def schema(self) -> str:
        """All columns of the events table."""
        return layout().text

    def reader(self, schema: StructType) -> TraceReader:
        """Reads the ranges it was given."""
        shares = int(self.options.get("shares", "1"))
        return TraceReader(ranges_from_json(self.options["ranges"]), shares, schema)

    def streamReader(self, schema: StructType) -> TraceStreamReader:  # noqa: N802  # the name is Spark's
        """Reads the folders it was given, and what comes to be in them."""
        shares = int(self.options.get("shares", "1"))
        folders, start = json.loads(self.options["folders"]), json.loads(self.options.get("start", "{}"))
        return TraceStreamReader(folders, start, shares, schema)


class TraceReader(DataSourceReader):
    """Fixed ranges of bytes, in as many tasks as there are cores."""

    def __init__(self, ranges: list[Range], shares: int, schema: StructType) -> None:
        self._ranges, self._shares, self._schema = ranges, shares, schema

    def partitions(self) -> list[InputPartition]:
        """One for each share."""
        return [TracePart(share) for share in spread(self._ranges, self._shares)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one share."""
        assert isinstance(partition, TracePart)
        yield from arrow_batches(partition.ranges, self._schema)


class TraceStreamReader(DataSourceStreamReader):
    """An offset is, for each file, the end of its last complete entry and how many entries there are.

    A torn tail is not there yet. A file that is new since is read from its beginning. CLOCK stands for the instant
    before the files were looked at, on the machine's clock.
    """

    def __init__(self, folders: list[str], start: dict[str, Any], shares: int, schema: StructType) -> None:
        self._folders, self._start, self._shares, self._schema = folders, start, shares, schema

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # the name is Spark's
        """What was read before the stream began."""
        return self._start

    def latestOffset(self, start: dict[str, Any], _limit: object) -> dict[str, Any]:  # noqa: N802  # Spark's
        """How far every file goes now."""
        latest: dict[str, Any] = {}
        until_ns = time.monotonic_ns()
        for folder in self._folders:
            trace = Path(folder) / "trace"
            for path in sorted(trace.glob("*.trace")):
                before = start.get(str(path), {"byte": 0, "seq": 0})
                end, count = hop(path, int(before["byte"]))
                latest[str(path)] = {"byte": end, "seq": int(before["seq"]) + count}
        if all(start.get(path) == latest[path] for path in latest):
            return start
        return latest | {CLOCK: until_ns}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """What lies between two offsets."""
        ranges: list[Range] = []
        for folder in self._folders:
            trace = str(Path(folder) / "trace")
            fresh = [path for path in end if str(Path(path).parent) == trace and end[path] != start.get(path)]
            if not any(end[path]["byte"] for path in fresh):
                continue
            run = examine(Path(folder))
            until_ns = int(end[CLOCK]) + clock_shift_ns(Path(folder)) if run.in_progress else None
            for path in fresh:
                before = start.get(path, {"byte": 0, "seq": 0})
                ends = int(before["byte"]), int(end[path]["byte"]), int(before["seq"])
                how = None, until_ns, run.entry_run
                ranges.append(Range(run.run, run.start_ns, path, Path(path).name, *ends, *how))
        return [TracePart(share) for share in spread(ranges, self._shares)] if ranges else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one share."""
        assert isinstance(partition, TracePart)
        yield from arrow_batches(partition.ranges, self._schema)


def arrow_batches(ranges: list[Range], schema: StructType) -> Iterator[pa.RecordBatch]:
    """The rows of some ranges as Arrow; the collector rests meanwhile, for nothing here is a cycle."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    wanted = to_arrow_schema(schema, timezone="UTC")
    collects = gc.isenabled()
    gc.disable()
    done = 0
    try:
        try:
            for batch in in_batches(ranges):
                yield _arrow(batch, wanted)
                done += 1
        except (OverflowError, pa.ArrowInvalid):
            # Looking at each number would cost a third of the speed, so it is done once one did not fit.
            for batch in islice(in_batches(ranges, careful=True), done, None):
                yield _arrow(batch, wanted)
    finally:
        if collects:
            gc.enable()


def _arrow(batch: Columns, wanted: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = [
        pa.array(batch.values[item.name], item.type) if item.name in batch.values else pa.nulls(batch.count, item.type)
        for item in wanted
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=wanted)
