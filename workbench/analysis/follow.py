"""Follows runs that go on: events as a stream into the store, and the tables again whenever something came."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.runtime.run_folder import is_alive
from workbench.analysis.pipeline import refuse_bad
from workbench.analysis.publish import Store, Tell
from workbench.analysis.ranges import RunSource, examine
from workbench.analysis.read import follow_folders
from workbench.analysis.spark import make_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PAUSE_SECONDS = 2


def follow(store: Store, sources: list[RunSource], master: str | None, *, quarantine: bool, tell: Tell) -> None:
    """Until no process of the runs is alive and all they wrote is in the tables, or until interrupted."""
    runs = [source.run for source in sources]
    tell("starting Spark, some seconds", 0, 1)
    session = make_session(master)

    def taken(count: int) -> None:
        tell(f"{count} new events", 1, 1)
        store.make_tables(session, runs, tell)

    def is_over() -> bool:
        return not any(is_alive(source.folder) for source in sources)

    take_stream(store, sources, session, taken, is_over)
    store.merge()
    store.settle([examine(source.folder) for source in sources])
    store.make_tables(session, runs, tell)
    refuse_bad(store, runs, quarantine=quarantine)


def take_stream(
    store: Store,
    sources: list[RunSource],
    session: SparkSession,
    taken: Callable[[int], None],
    is_over: Callable[[], bool],
) -> None:
    """Store what comes until is_over, and what had come by then; taken(events) after each step.

    The ledger is what remembers how far it got, so the checkpoint that Spark wants lives no longer than the stream.
    """

    def keep(rows: DataFrame, _number: int) -> None:
        taken(store.keep(rows, sources))

    folders = [source.folder for source in sources]
    stream = follow_folders(session, folders, _start(store, sources), store.incoming).writeStream
    with tempfile.TemporaryDirectory(prefix="kraft-follow-") as checkpoint:
        named = stream.foreachBatch(keep).option("checkpointLocation", checkpoint)
        query = named.trigger(processingTime=f"{PAUSE_SECONDS} seconds").start()
        try:
            over = is_over()
            while not over:
                query.awaitTermination(PAUSE_SECONDS)
                over = is_over()
            query.processAllAvailable()
        finally:
            query.stop()


def _start(store: Store, sources: list[RunSource]) -> dict[str, dict[str, int]]:
    """How far each file was read before."""
    start = {}
    for source in sources:
        known = store.ledger.runs.get(source.run)
        for name, file in (known.files if known is not None else {}).items():
            path = str(Path(source.folder) / "trace" / name)
            start[path] = {"byte": file.to_byte, "seq": file.next_seq}
    return start
