"""Follows runs that go on: events as a stream into the store, and the tables again whenever something came."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cluster.runtime.run.folder import is_alive
from workbench.analysis.live import NO_TOPIC, stored_standings, with_state
from workbench.analysis.pipeline import refuse_bad
from workbench.analysis.reading.ranges import RunSource, examine
from workbench.analysis.reading.standing import KINDS, Standing, sentence, standing_of
from workbench.analysis.spark import FOLDER, make_session
from workbench.analysis.store.publish import Store, Tell
from workbench.analysis.store.read import follow_runs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PAUSE_SECONDS = 2
TOLD_MAX = 5
"""Partitions of which one step tells."""
Standings: TypeAlias = dict[tuple[str, str, int], Standing]
"""By run, topic and partition."""
Taken: TypeAlias = Callable[[int, Standings], None]
"""Told after each step: how many events came, and the partitions they were about."""


def follow(store: Store, sources: list[RunSource], master: str | None, *, quarantine: bool, tell: Tell) -> None:
    """Until no process of the runs is alive and all they wrote is in the tables, or until interrupted."""
    tell("starting Spark, some seconds", 0, 1)
    follow_with(make_session(master), store, sources, quarantine=quarantine, tell=tell)


def follow_with(
    session: SparkSession, store: Store, sources: list[RunSource], *, quarantine: bool, tell: Tell
) -> Standings:
    """The same with a session that is there. Returns how the partitions stand at the end."""
    runs = [source.run for source in sources]
    known = dict.fromkeys(run for run in runs if run in store.ledger.runs)
    # The stream's own memory begins with the stream; all that was read before is added to it.
    before = stored_standings(store.events(session, known)[0]) if known else {}
    now: Standings = dict(before)

    def taken(count: int, changed: Standings) -> None:
        tell(f"{count} new events", 1, 1)
        for key, standing in changed.items():
            standing.merge(before.get(key, Standing()))
            now[key] = standing
        for key in sorted(changed)[:TOLD_MAX]:
            tell(sentence(*key[1:], now[key].row()), 1, 1)
        if not is_over():  # at the end they are made once, below
            store.make_tables(session, runs, tell)

    def is_over() -> bool:
        return not any(is_alive(source.folder) for source in sources)

    take_stream(store, sources, session, taken, is_over)
    store.merge()
    store.settle([examine(source.folder) for source in sources])
    store.make_tables(session, runs, tell)
    refuse_bad(store, runs, quarantine=quarantine)
    return now


def take_stream(
    store: Store, sources: list[RunSource], session: SparkSession, taken: Taken, is_over: Callable[[], bool]
) -> None:
    """Store what comes until is_over, and what had come by then.

    The ledger is what remembers how far it got, so the checkpoint that Spark wants lives no longer than the stream.
    """

    def keep(rows: DataFrame, _number: int) -> None:
        store.make_room()
        found = [row.asDict() for row in rows.collect()]
        readings: list[dict[str, Any]] = [json.loads(row["told"]) for row in found if row["topic"] == NO_TOPIC]
        changed = {
            (row["run"], row["topic"], row["partition"]): standing_of(row["told"])
            for row in found
            if row["topic"] != NO_TOPIC
        }
        taken(store.take_in(readings, sources), changed)

    known = store.ledger.runs
    # Time is counted from the same instant as in earlier readings.
    runs = [
        replace(source, start_ns=known[source.run].start_ns) if source.run in known else source for source in sources
    ]
    stream = with_state(follow_runs(session, runs, _start(store, sources), store.incoming, KINDS)).writeStream
    with tempfile.TemporaryDirectory(prefix="follow-", dir=session.conf.get(FOLDER)) as checkpoint:
        named = stream.outputMode("update").foreachBatch(keep).option("checkpointLocation", checkpoint)
        query = named.trigger(processingTime=f"{PAUSE_SECONDS} seconds").start()
        try:
            over = is_over()
            while not over:
                query.awaitTermination(PAUSE_SECONDS)
                over = is_over()
            query.processAllAvailable()
        finally:
            query.stop()


def _start(store: Store, sources: list[RunSource]) -> dict[str, list[Any]]:
    """How far each file was read before."""
    start = {}
    for source in sources:
        known = store.ledger.runs.get(source.run)
        for name, file in (known.files if known is not None else {}).items():
            path = str(Path(source.folder) / "trace" / name)
            start[path] = file.place.plain
    return start
