"""Follows runs that go on: what is new goes on into the rows, how partitions stand is told, tables are made anew."""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds

from cluster.runtime.run.folder import is_alive
from workbench.analysis.pipeline import refuse_bad
from workbench.analysis.reading.columns import COLUMNS
from workbench.analysis.reading.ranges import RunSource, examine
from workbench.analysis.report.rows import partition_sentence
from workbench.analysis.spark import make_session, suit
from workbench.analysis.store.rows import ROWS, batch_folder, merge, read_events, readings_of, stream_of
from workbench.analysis.store.tables import Store, Tell
from workbench.analysis.tables.partitions import PARTITION_EVENTS, partitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAUSE_SECONDS = 1
TOLD_MAX = 5
"""Partitions of which one step tells."""


def follow(store: Store, sources: list[RunSource], master: str | None, *, quarantine: bool, tell: Tell) -> None:
    """Until no process of the runs is alive and all they wrote is in the tables, or until interrupted."""
    tell("starting Spark, some seconds", 0, 1)
    follow_with(make_session(master), store, sources, quarantine=quarantine, tell=tell)


def follow_with(session: SparkSession, store: Store, sources: list[RunSource], *, quarantine: bool, tell: Tell) -> None:
    """The same with a session that is there.

    Reading and telling come first, some seconds behind the run; tables are made of what was read by then, beside it,
    and for as long as that took the machine is left to the reading.
    """
    come, standing = threading.Event(), Standing(session, store, [source.run for source in sources], tell)
    store.at_once = 1  # the other core is for the reading

    def taken(number: int) -> None:
        standing.take(number)
        come.set()

    def now() -> list[RunSource]:
        return [examine(source.folder) for source in sources]

    query = stream_of(session, store.data, sources, taken).trigger(processingTime=f"{PAUSE_SECONDS} seconds").start()
    rest_until = 0.0
    try:
        while any(is_alive(source.folder) for source in sources):
            if monotonic() < rest_until:
                query.awaitTermination(PAUSE_SECONDS)
            elif come.wait(PAUSE_SECONDS):
                come.clear()
                began = monotonic()
                store.make_tables(session, now(), tell)
                rest_until = 2 * monotonic() - began
            if query.exception() is not None:
                break
        query.processAllAvailable()
    finally:
        query.stop()
    merge(session, store.data)
    store.make_tables(session, now(), tell)
    refuse_bad(readings_of(store.data, [source.run for source in sources]), quarantine=quarantine)


class Standing:
    """How the partitions stand, told as they change. What earlier batches told of them it remembers."""

    def __init__(self, session: SparkSession, store: Store, runs: list[str], tell: Tell) -> None:
        # Its tables are named beside those that are made at the same time.
        self._session, self._data, self._tell = session.newSession(), store.data, tell
        suit(self._session, is_small=True)
        self._of_partitions = ds.field("event").isin(PARTITION_EVENTS) & ds.field("run").isin(runs)
        self._events = read_events(store.data / ROWS, self._of_partitions)
        self._known: dict[tuple[str, str, int], dict[str, Any]] = {}

    def take(self, number: int) -> None:
        """Say what is new with a batch."""
        new = read_events(batch_folder(self._data, number), self._of_partitions)
        self._events = pa.concat_tables([self._events, new]).combine_chunks()
        events = self._session.createDataFrame(self._events, COLUMNS).coalesce(1)
        rows = partitions(events).toArrow().to_pylist()
        changed = [row for row in rows if self._known.get(_log(row)) != row]
        self._known |= {_log(row): row for row in changed}
        for row in sorted(changed, key=_log)[:TOLD_MAX]:
            self._tell(partition_sentence(row), 1, 1)


def _log(row: dict[str, Any]) -> tuple[str, str, int]:
    return row["run"], row["topic"], row["partition"]
