"""Rows of little runs read in this very process, so that their tables come before Spark has kept the rows.

The reader is the one of Spark's workers, over whole files; what it gives is what the stream keeps a moment later.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.analysis.reading.columns import FIELDS, READ_EVENT
from workbench.analysis.reading.ranges import Place, Range, RunSource
from workbench.analysis.store.rows import Reading, readings_table

if TYPE_CHECKING:
    import pyarrow as pa

AHEAD_BYTES = 2 << 20
"""Traces up to here: some 15,000 events, read in half a second. With more the workers of Spark are sooner done."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """All there is to read of some runs that are over."""

    events: pa.Table
    readings: list[Reading]

    @property
    def tables(self) -> tuple[pa.Table, pa.Table]:
        """Events and readings."""
        return self.events, readings_table(self.readings)


def is_little(sources: list[RunSource]) -> bool:
    """Whether these runs are over, and small enough to be read here."""
    size = sum(sum(item.sizes.values()) for item in sources)
    return size <= AHEAD_BYTES and not any(item.in_progress for item in sources)


def read_ahead(sources: list[RunSource]) -> Ahead:
    """Their events, and how the reading of each file went."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from workbench.analysis.reading.rows import SCHEMA, read_all

    ranges = [item for source in sources for item in whole(source)]
    rows = pa.Table.from_batches(read_all(ranges), SCHEMA)
    is_reading = pc.equal(rows["event"], READ_EVENT)
    reading_rows = rows.filter(is_reading).select(["run", "file", FIELDS]).to_pylist()
    readings = [{"run": row["run"], "file": row["file"], **json.loads(row[FIELDS])} for row in reading_rows]
    return Ahead(rows.filter(pc.invert(is_reading)), readings)


def whole(source: RunSource) -> list[Range]:
    """All of each of its files."""
    trace, start = source.folder.absolute() / "trace", Place().start
    return [
        Range(source.run, source.start_ns, str(trace / name), name, to_byte=size, entry_run=source.entry_run, **start)
        for name, size in source.sizes.items()
    ]
