"""Follows runs that go on: what is new goes on into the rows, how partitions stand is told, tables are made anew."""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

from cluster.runtime.run.folder import is_alive
from workbench.analysis.pipeline import refuse_bad
from workbench.analysis.reading.ranges import RunSource, examine
from workbench.analysis.report.rows import partition_sentence
from workbench.analysis.spark import make_session, suit
from workbench.analysis.store.rows import merge, readings_of, stream_of
from workbench.analysis.store.tables import Store, Tell
from workbench.analysis.tables.partitions import partitions

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
    come, standing = threading.Event(), Standing(session, store, tell)

    def taken(_number: int) -> None:
        standing.tell(now())
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
    """How the partitions stand, told as they change."""

    def __init__(self, session: SparkSession, store: Store, tell: Tell) -> None:
        # Its tables are named beside those that are made at the same time.
        self._session, self._store, self._tell = session.newSession(), store, tell
        suit(self._session, is_small=True)
        self._known: dict[tuple[str, str, int], dict[str, Any]] = {}

    def tell(self, sources: list[RunSource]) -> None:
        """Say what is new of them."""
        events, _ = self._store.input(self._session, sources)
        rows = partitions(events.coalesce(1)).toArrow().to_pylist()
        changed = [row for row in rows if self._known.get(_log(row)) != row]
        self._known |= {_log(row): row for row in changed}
        for row in sorted(changed, key=_log)[:TOLD_MAX]:
            self._tell(partition_sentence(row), 1, 1)


def _log(row: dict[str, Any]) -> tuple[str, str, int]:
    return row["run"], row["topic"], row["partition"]
