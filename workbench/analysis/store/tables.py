"""The output folder: rows and tables as Parquet, and which runs' tables were made of what."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.master import is_local
from workbench.analysis.reading.columns import ddl
from workbench.analysis.reading.ranges import RunSource
from workbench.analysis.spark import suit
from workbench.analysis.store.ahead import Ahead, is_little, read_ahead
from workbench.analysis.store.claim import claim
from workbench.analysis.store.planned import AT_ONCE, TOLD, forget_plans, lacks, planned
from workbench.analysis.store.rows import (
    events_of,
    finish_merge,
    merge,
    newest_clock,
    read_to_end,
    readings_of,
    small_events_of,
    stream_of,
)
from workbench.analysis.store.version import VERSION, tables_version, this_version
from workbench.analysis.tables import ANSWERS, CLASS_TABLES, EVENTS, LEARNERS, READINGS, TABLES, TableInfo
from workbench.support.state_files import write_state

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

MARKER = ".kraft-analysis"
CLASS_FOLDER, MADE = "class", "made.json"
EARLY = ("events", "tables", CLASS_FOLDER)
"""Folders of a version that gave its own no name."""
SMALL_BYTES = 64 << 20
"""Traces up to here are small: about 400,000 events, which is more than a class of 30 has in some lessons."""
Tell = Callable[[str, int, int], None]
"""Progress: what is being done, how many steps are done, how many there are."""
Show = Callable[[str, list[dict[str, Any]]], None]
"""A table that was made: its name and its rows."""


class Store:
    """An output folder: pages, and for each version of the rows a folder with rows/, checkpoint/, tables/NAME/run=ID,
    class/NAME and made.json."""

    def __init__(self, folder: Path) -> None:
        """Make or open it, for this process alone as long as it lives. Refusal when it holds something else, is in use,
        or cannot be written."""
        self.folder = folder
        self._claim = claim(folder, MARKER, "analysis")
        self.data = folder / this_version()
        """Where what this version reads and makes is kept. What others made is never touched."""
        self.others = [] if self.data.exists() else _made_by_others(folder)
        """Folders of other versions, told when this one begins."""
        self.data.mkdir(mode=0o700, exist_ok=True)
        finish_merge(self.data)
        self._made = _read_made(self.data / MADE)
        self.at_once = AT_ONCE
        """How many tables are made beside each other."""
        self._not_kept: list[RunSource] = []
        """Runs whose tables were made ahead of their rows."""

    def close(self) -> None:
        """Let others have it."""
        os.close(self._claim)

    @property
    def made_runs(self) -> list[str]:
        """Runs that have tables; where those alone were brought, as their folders say."""
        if not (self.data / MADE).exists():
            return sorted(path.name.removeprefix("run=") for path in self.table("runs").glob("run=*"))
        return sorted(self._made)

    def made_of(self, runs: list[str]) -> list[Path]:
        """All that there is of these runs, and the pages."""
        tables = self.data / "tables"
        paths = [*tables.glob("*/_schema.json"), *(path for run in runs for path in tables.glob(f"*/run={run}"))]
        return sorted([*paths, *self.folder.glob("*.html"), *(self.data / CLASS_FOLDER).glob("*/")])

    def table(self, name: str) -> Path:
        """Folder of a table, of a run or of a class."""
        return self.data / (CLASS_FOLDER if name in CLASS_TABLES else "tables") / name

    def is_current(self, sources: list[RunSource]) -> bool:
        """Whether the tables of these runs were made of all there is to read. Of a run that goes on they never are."""
        return all(not item.in_progress and self._made.get(item.run) == _digest(item) for item in sources)

    def read(self, session: SparkSession, sources: list[RunSource]) -> int:
        """Read what is new of these runs. Returns how many events came."""
        before = self._entry_count(sources)
        if is_small(session, sources):
            planned(session)  # beside the reading
        read_to_end(lambda: stream_of(session, self.data, sources).trigger(availableNow=True).start())
        merge(session, self.data)
        return self._entry_count(sources) - before

    def ahead(self, sources: list[RunSource], master: str | None) -> Ahead | None:
        """All there is of what is little and was never read, without Spark; None where Spark reads it first."""
        runs = [item.run for item in sources]
        is_here = master is None or is_local(master)
        return read_ahead(sources) if is_here and is_little(sources) and not readings_of(self.data, runs) else None

    def keep(self, session: SparkSession | None) -> None:
        """Keep the rows of those runs whose tables were made ahead of them. Until then their tables count as old."""
        if session is not None and self._not_kept:
            self.read(session, self._not_kept)
            self._note_made(self._not_kept)
            self._not_kept = []

    def _entry_count(self, sources: list[RunSource]) -> int:
        return sum(row["entry_count"] for row in readings_of(self.data, [item.run for item in sources]))

    def _until(self, sources: list[RunSource]) -> dict[str, int | None]:
        """Run to the instant up to which tables are made of its events; None for all of one that is over."""
        readings = readings_of(self.data, [item.run for item in sources])
        return {item.run: newest_clock(readings, item.run) if item.in_progress else None for item in sources}

    def input(self, session: SparkSession, sources: list[RunSource]) -> tuple[DataFrame, DataFrame]:
        """Events and readings of these runs, as far as tables are made of them."""
        return events_of(session, self.data, self._until(sources))

    def make_tables(
        self,
        session: SparkSession,
        sources: list[RunSource],
        tell: Tell,
        show: Show = lambda _name, _rows: None,
        ahead: Ahead | None = None,
    ) -> None:
        """Make all tables of those runs whose tables are old. What is small is shown as it comes.

        Args:
            ahead: the rows of these runs when they are not kept yet; then `keep` must follow.
        """
        stale = [item for item in sources if not self.is_current([item])]
        if not stale:
            return
        runs = [item.run for item in stale]
        self._doubt(runs)
        given = ahead.tables if ahead is not None else None
        if given is None and is_small(session, stale):
            given = small_events_of(self.data, self._until(stale))
        if given is None or not self._answer_all(session, stale, given, tell, show):
            if ahead is not None:
                self.read(session, stale)
            suit(session, is_small=False)
            events, readings = self.input(session, stale)
            answers = session.createDataFrame(_answers(stale), ddl(TOLD))
            self._make_all(session, {EVENTS: events, READINGS: readings, ANSWERS: answers}, runs, tell)
        if ahead is None:
            self._note_made(stale)
        else:
            self._not_kept = stale

    def _doubt(self, runs: list[str]) -> None:
        """From here on their tables are being replaced: whatever they were made of before, they are that no longer."""
        whole = dict.fromkeys(self._made.keys() & set(runs), "")
        if any(map(self._made.get, whole)):
            self._made |= whole
            write_state(self.data / MADE, self._made)

    def _note_made(self, sources: list[RunSource]) -> None:
        self._made |= {item.run: "" if item.in_progress else _digest(item) for item in sources}
        write_state(self.data / MADE, self._made)

    def _answer_all(
        self,
        session: SparkSession,
        sources: list[RunSource],
        given: tuple[pa.Table, pa.Table],
        tell: Tell,
        show: Show,
    ) -> bool:
        """Make the tables of what is small: what the session has planned is asked. False where that cannot be done.

        Args:
            given: events and readings.
        """
        import pyarrow as pa
        from pyarrow.parquet import write_to_dataset

        plans = planned(session)
        events, readings = given
        answered = [dict(zip(TOLD, answer, strict=True)) for answer in _answers(sources)]
        answer_table = pa.Table.from_pylist(answered, pa.schema([(name, "string") for name in TOLD]))
        try:
            answers = plans.answers({EVENTS: events, READINGS: readings, ANSWERS: answer_table}, self.at_once)
            for done, (name, schema, rows) in enumerate(answers, 1):
                folder = self._emptied(name, [item.run for item in sources], schema)
                write_to_dataset(rows, folder, partition_cols=["run"], basename_template="part-{i}.parquet")
                tell(f"table {name}", done, len(TABLES))
                show(name, rows.to_pylist())
        except BaseException as error:
            forget_plans(session)
            if not lacks(error):
                raise
            return False
        tell("tables are made", len(TABLES), len(TABLES))
        return True

    def _emptied(self, name: str, runs: list[str], schema: str) -> Path:
        """The folder of a table, without the rows of these runs."""
        folder = self.table(name)
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        for run in runs:
            shutil.rmtree(folder / f"run={run}", ignore_errors=True)
        (folder / "_schema.json").write_text(schema, "utf-8")
        return folder

    def _make_all(self, session: SparkSession, made: dict[str, DataFrame], runs: list[str], tell: Tell) -> None:
        """Each table as soon as those that it is made of are there."""
        waiting, bottom = dict(TABLES), len(made)
        running: dict[Future[DataFrame], str] = {}
        with ThreadPoolExecutor(self.at_once) as pool:
            while waiting or running:
                for info in [item for item in waiting.values() if made.keys() >= set(item.inputs)]:
                    made_of = pool.submit(self._make, session, info, [made[name] for name in info.inputs], runs)
                    running[made_of] = waiting.pop(info.name).name
                tell(f"tables {', '.join(running.values())}", len(made) - bottom, len(TABLES))
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    made[running.pop(future)] = future.result()
        tell("tables are made", len(TABLES), len(TABLES))

    def _make(self, session: SparkSession, info: TableInfo, inputs: list[DataFrame], runs: list[str]) -> DataFrame:
        """Make and write one table. Returns it as it was written, for those that are made of it."""
        table = info.function()(*inputs)
        folder = self._emptied(info.name, runs, table.schema.json())
        shares = min(len(runs), session.sparkContext.defaultParallelism)
        spread = table.coalesce(1) if shares == 1 else table.repartition(shares, "run")
        spread.write.mode("append").partitionBy("run").parquet(str(folder))
        return read_table(session, folder, runs)

    def is_class_current(self, learners: Mapping[str, str]) -> bool:
        """Whether the tables of this class (run to learner) are there and made from the runs as they are."""
        try:
            return (self.data / CLASS_FOLDER / "_made").read_text("utf-8") == self._class_digest(learners)
        except OSError:
            return False

    def make_class(self, session: SparkSession, learners: Mapping[str, str], tell: Tell) -> None:
        """Make the tables of a class from those of its runs, which must be up to date; they replace others."""
        rows = session.createDataFrame(list(learners.items()), "run string, learner string")
        folder = self.data / CLASS_FOLDER
        (folder / "_made").unlink(missing_ok=True)  # first: a class that is half deleted is not made
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
        (folder / "_made").write_text(self._class_digest(learners), "utf-8")

    def _class_digest(self, learners: Mapping[str, str]) -> str:
        made = {run: self._made.get(run, "") for run in learners}
        return sha256(json.dumps([tables_version(), dict(learners), made], sort_keys=True).encode()).hexdigest()


def _digest(source: RunSource) -> str:
    """Of all that the tables of a run which is over are made of, and of the code that makes them."""
    content = json.dumps([tables_version(), source.sizes, source.answers])
    return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _read_made(path: Path) -> dict[str, str]:
    """Run to the digest of what its tables were made of; empty when that makes no sense: they are made again."""
    try:
        plain = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {run: made for run, made in plain.items() if isinstance(made, str)} if isinstance(plain, dict) else {}


def _made_by_others(folder: Path) -> list[Path]:
    """Rows and tables in an output folder that another version of this code made; an early one had no folder."""
    return [*sorted(folder.glob(f"{VERSION}*")), *(path for name in EARLY if (path := folder / name).is_dir())]


def is_small(session: SparkSession, sources: list[RunSource]) -> bool:
    """Whether the tables of these runs are made here, in one piece."""
    size = sum(sum(item.sizes.values()) for item in sources)
    return is_local(str(session.sparkContext.master)) and size <= SMALL_BYTES


def _answers(sources: list[RunSource]) -> list[tuple[str, ...]]:
    return [(item.run, *answer) for item in sources for answer in item.answers]


def read_table(session: SparkSession, folder: Path, runs: list[str]) -> DataFrame:
    """One table for these runs."""
    from pyspark.sql.types import StructType

    schema = StructType.fromJson(json.loads((folder / "_schema.json").read_text("utf-8")))
    table = session.read.schema(schema).parquet(str(folder))
    return table.where(table["run"].isin(*runs))


def class_rows(folder: Path) -> list[dict[str, Any]]:
    """One table of a class as plain rows, without Spark."""
    import pyarrow.dataset as ds

    files = sorted(str(path) for path in folder.glob("*.parquet"))
    rows: list[dict[str, Any]] = ds.dataset(files, format="parquet").to_table().to_pylist()
    return rows


def table_rows(folder: Path, runs: list[str]) -> list[dict[str, Any]]:
    """The same as plain rows, without Spark: for showing what is small."""
    import pyarrow.dataset as ds

    names = [item["name"] for item in json.loads((folder / "_schema.json").read_text("utf-8"))["fields"]]
    rows: list[dict[str, Any]] = []
    for run in runs:
        part = folder / f"run={run}"
        if not part.is_dir():
            continue
        files = sorted(str(path) for path in part.glob("*.parquet"))
        table: pa.Table = ds.dataset(files, format="parquet").to_table()
        rows += [{name: run if name == "run" else row[name] for name in names} for row in table.to_pylist()]
    return rows
