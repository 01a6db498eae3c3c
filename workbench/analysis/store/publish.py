"""Writes events and tables as Parquet, one folder a run, and keeps the ledger of what was read."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.reading.ranges import RunSource, cut_up
from workbench.analysis.spark import suit
from workbench.analysis.store.claim import claim
from workbench.analysis.store.ledger import (
    Ledger,
    are_one,
    is_settled,
    load_ledger,
    new_ranges,
    note_readings,
    save_ledger,
    settle,
)
from workbench.analysis.store.merging import MERGED_AT, drop, merge, small_readings
from workbench.analysis.store.read import read_answers, read_events, read_ranges, read_table
from workbench.analysis.store.version import layout_version, tables_version
from workbench.analysis.tables import ANSWERS, CLASS_TABLES, EVENTS, LEARNERS, READINGS, TABLES, TableInfo

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MARKER = ".kraft-analysis"
CLASS_FOLDER, MADE, INCOMING = "class", "_made", "incoming"
VERSION = "version-"
PARTS = ("events", "tables", CLASS_FOLDER, INCOMING)
TABLES_AT_ONCE = 3
"""Planning a query keeps one core busy, and most tables need only one more."""
SMALL_BYTES = 16 << 20
"""Traces up to here are small: about 100,000 events."""
TINY_BYTES = 4 << 20
"""Up to here plans are interpreted: about 25,000 events, which is more than a lesson has."""
Tell = Callable[[str, int, int], None]
"""Progress: what is being done, how many steps are done, how many there are."""


class Store:
    """An output folder: pages, and for each version of the events a folder with events/read=N/run=ID,
    tables/NAME/run=ID, class/NAME and the ledger."""

    def __init__(self, folder: Path) -> None:
        """Make or open it, for this process alone as long as it lives. Refusal when it holds something else, is in use,
        or cannot be written."""
        self.folder = folder
        self._claim = claim(folder, MARKER, "analysis")
        self.data = folder / f"{VERSION}{layout_version()}"
        """Where what this version reads and makes is kept. What others made is never touched."""
        ledger = load_ledger(self.data)
        if ledger is None:
            self._put_aside()
        self.ledger = ledger or Ledger()
        is_new = not self.data.exists()
        self.others = _made_by_others(folder, self.data) if is_new else []
        """Folders of other versions, told when this one begins."""
        self.data.mkdir(mode=0o700, exist_ok=True)
        if not self.ledger.runs:
            self._clear()
        # An earlier process may have ended between the ledger's word and the deed.
        drop(self._events, self.ledger.gone)

    def close(self) -> None:
        """Let others have it."""
        os.close(self._claim)

    @property
    def _events(self) -> Path:
        return self.data / "events"

    def _clear(self) -> None:
        """What is there and in no ledger an attempt left that was interrupted."""
        for name in PARTS:
            shutil.rmtree(self.data / name, ignore_errors=True)

    def _put_aside(self) -> None:
        """What a damaged ledger tells of nobody can use, and it is not for us to throw away."""
        number = 1
        while (aside := self.folder / f"{self.data.name}-damaged-{number}").exists():
            number += 1
        self.data.rename(aside)

    def table(self, name: str) -> Path:
        """Folder of a table, of a run or of a class."""
        return self.data / (CLASS_FOLDER if name in CLASS_TABLES else "tables") / name

    def is_current(self, sources: list[RunSource]) -> bool:
        """Whether there is nothing to read and no table to make for these runs."""
        runs = [source.run for source in sources]
        known = all(run in self.ledger.runs for run in runs)
        settled = all(is_settled(self.ledger, source) for source in sources)
        return known and settled and not new_ranges(self.ledger, sources) and not self.ledger.stale(runs)

    def settle(self, sources: list[RunSource]) -> None:
        """Nothing more is to come of those of the runs that are over."""
        if settle(self.ledger, sources):
            save_ledger(self.data, self.ledger)

    def read(self, session: SparkSession, sources: list[RunSource]) -> int:
        """Read what is new of these runs into the events. Returns how many events came."""
        self.settle(sources)
        ranges = new_ranges(self.ledger, sources)
        if not ranges:
            return 0
        pieces = cut_up(ranges, session.sparkContext.defaultParallelism)
        readings = self._readings(read_ranges(session, pieces, self.incoming))
        if len(pieces) > len(ranges) and not are_one(readings):
            # What stands after garbage is no part of a file: only somebody who reads it in one go can tell.
            readings = self._readings(read_ranges(session, ranges, self.incoming))
        return self.take_in(readings, sources)

    @property
    def incoming(self) -> Path:
        """Where readers put events that the ledger does not know of yet."""
        return self.data / INCOMING

    def make_room(self) -> None:
        """Let nothing be incoming that another attempt left."""
        shutil.rmtree(self.incoming, ignore_errors=True)

    def _readings(self, rows: DataFrame) -> list[dict[str, Any]]:
        self.make_room()
        return [row.asDict() for row in rows.collect()]

    def take_in(self, readings: list[dict[str, Any]], sources: list[RunSource]) -> int:
        """Let what is incoming into the events. Returns how many events came.

        An interrupted attempt leaves events that the ledger does not count; the next one replaces them.

        Args:
            readings: the rows that tell how the reading went.
        """
        if not readings:
            return 0
        number = self.ledger.reads + 1
        part = self._events / f"read={number}"
        shutil.rmtree(part, ignore_errors=True)
        part.parent.mkdir(mode=0o700, exist_ok=True)
        self.incoming.rename(part)
        note_readings(self.ledger, sources, readings)
        self.ledger.reads = number
        save_ledger(self.data, self.ledger)
        self.merge(MERGED_AT)
        return sum(row["entry_count"] for row in readings)

    def merge(self, at: int = 2) -> None:
        """Make one reading of all small ones, when there are at least `at`. What is read does not change by that."""
        numbers = small_readings(self._events, self.ledger.reads)
        if len(numbers) < at:
            return
        into = self.ledger.reads + 1
        merge(self._events, numbers, into)
        self.ledger.reads, self.ledger.gone = into, numbers
        save_ledger(self.data, self.ledger)
        drop(self._events, numbers)

    def make_tables(self, session: SparkSession, runs: list[str], tell: Tell) -> list[str]:
        """Make all tables of those runs whose tables are old. Returns which runs these were."""
        stale = self.ledger.stale(runs)
        if not stale:
            return []
        events, readings, is_small = self._input(session, stale)
        answers = read_answers(session, {run: self.ledger.runs[run].answers for run in stale})
        made: dict[str, DataFrame] = {EVENTS: events, READINGS: readings, ANSWERS: answers}
        waiting = dict(TABLES)
        running: dict[Future[DataFrame], str] = {}
        with ThreadPoolExecutor(TABLES_AT_ONCE) as pool:
            while waiting or running:
                for info in [item for item in waiting.values() if made.keys() >= set(item.inputs)]:
                    inputs = [made[name] for name in info.inputs]
                    future = pool.submit(self._make, session, info, inputs, stale, is_small)
                    running[future] = waiting.pop(info.name).name
                tell(f"tables {', '.join(running.values())}", len(made) - 3, len(TABLES))
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    made[running.pop(future)] = future.result()
        tell("tables are made", len(TABLES), len(TABLES))
        for run in stale:
            self.ledger.runs[run].tables = tables_version()
        save_ledger(self.data, self.ledger)
        return stale

    def is_class_current(self, learners: Mapping[str, str]) -> bool:
        """Whether the tables of this class (run to learner) are there and made from the runs as they are."""
        try:
            made = (self.data / CLASS_FOLDER / MADE).read_text("utf-8")
        except OSError:
            return False
        return made == self._class_digest(learners)

    def make_class(self, session: SparkSession, learners: Mapping[str, str], tell: Tell) -> None:
        """Make the tables of a class from those of its runs, which must be up to date; they replace others."""
        rows = session.createDataFrame(list(learners.items()), "run string, learner string")
        folder = self.data / CLASS_FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        for place, info in enumerate(CLASS_TABLES.values()):
            tell(f"table {info.name}", place, len(CLASS_TABLES))
            inputs = [
                rows if name == LEARNERS else read_table(session, self.table(name), list(learners))
                for name in info.inputs
            ]
            table = info.function()(*inputs)
            (folder / info.name).mkdir(mode=0o700)
            (folder / info.name / "_schema.json").write_text(table.schema.json(), "utf-8")
            table.coalesce(1).write.mode("append").parquet(str(folder / info.name))
        (folder / MADE).write_text(self._class_digest(learners), "utf-8")

    def _class_digest(self, learners: Mapping[str, str]) -> str:
        read = {run: [[name, file.to_byte] for name, file in self.ledger.runs[run].files.items()] for run in learners}
        answers = {run: self.ledger.runs[run].answers for run in learners}
        told = json.dumps([tables_version(), dict(learners), read, answers], sort_keys=True)
        return sha256(told.encode()).hexdigest()

    def events(self, session: SparkSession, until_ns: Mapping[str, int | None]) -> tuple[DataFrame, DataFrame]:
        """Events and readings of these runs; the events of each up to an instant, None for all of them."""
        return read_events(session, self._events, self.ledger.reads, until_ns)

    def _input(self, session: SparkSession, runs: list[str]) -> tuple[DataFrame, DataFrame, bool]:
        """The same as far as it is to be used, and whether it is little: then all is kept in one piece, and nothing is
        shuffled."""
        events, readings = self.events(session, {run: self.ledger.runs[run].until_ns for run in runs})
        size = sum(file.to_byte for run in runs for file in self.ledger.runs[run].files.values())
        is_small = size <= SMALL_BYTES
        parts = 1 if is_small else session.sparkContext.defaultParallelism
        suit(session, parts=parts, is_tiny=size <= TINY_BYTES)
        return (events.coalesce(1), readings.coalesce(1), True) if is_small else (events, readings, False)

    def _make(
        self, session: SparkSession, info: TableInfo, inputs: list[DataFrame], runs: list[str], is_small: bool
    ) -> DataFrame:
        folder = self.table(info.name)
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        for run in runs:
            shutil.rmtree(folder / f"run={run}", ignore_errors=True)
        table = info.function()(*inputs)
        (folder / "_schema.json").write_text(table.schema.json(), "utf-8")
        shares = min(len(runs), session.sparkContext.defaultParallelism)
        spread = table.coalesce(1) if shares == 1 else table.repartition(shares, "run")
        spread.write.mode("append").partitionBy("run").parquet(str(folder))
        written = read_table(session, folder, runs)
        return written.coalesce(1) if is_small else written


def _made_by_others(folder: Path, own: Path) -> list[Path]:
    """Events and tables in an output folder that another version of this code made; an early one had no folder."""
    found = [path for path in sorted(folder.glob(f"{VERSION}*")) if path != own]
    return found + [path for name in PARTS if (path := folder / name).is_dir()]
