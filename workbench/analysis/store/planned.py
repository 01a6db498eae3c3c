"""The questions of all tables, planned once in a session and asked of one small run after another.

Most of what a small run costs is planning: Spark looks at each question for longer than it takes to answer it. A plan
knows the columns of what it is asked of, not the rows. So planning begins beside the reading, and what a session has
planned once serves for every later run, and for every step of `--follow`.

For that it asks Spark for what is no part of its interface. A Spark that has not got it `lacks` it: then the tables are
made as those of large runs are.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from workbench.analysis.reading.columns import COLUMNS, OF_READING, ddl
from workbench.analysis.spark import FOLDER, suit
from workbench.analysis.tables import ANSWERS, EVENTS, READINGS, TABLES, TableInfo

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

TOLD = dict.fromkeys(("run", "question", "answer", "right_answer"), "string")
"""Columns of what answers.json says."""
GIVEN = {EVENTS: COLUMNS, READINGS: ddl(OF_READING), ANSWERS: ddl(TOLD)}
"""What tables are made from at the bottom, and its columns."""
CHECKPOINT = "checkpointData_$eq"
"""The method of Java that sets what became of the checkpoint of an RDD."""
AT_ONCE = 3
"""Planning a question keeps one core busy, and most tables need only one more."""


class Planned:
    """All tables over rows that are given later."""

    def __init__(self, session: SparkSession) -> None:
        """Begin to plan."""
        suit(session, is_small=True)
        self._session = session
        self._folder = Path(session.sparkContext.getConf().get(FOLDER) or "") / "given"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._shuffles = range(0)
        """Those of the plans among them; they get their numbers with the plans, and with the first answers."""
        self._tables: dict[str, Future[DataFrame]] = {}
        for name, columns in GIVEN.items():
            self._tables[name] = self._pool.submit(self._given, name, columns)
        self._pool.submit(self._start_workers)
        for info in TABLES.values():
            self._tables[info.name] = self._pool.submit(self._plan, info)

    def _start_workers(self) -> None:
        """Let Spark start its Python beside the planning: the first answers wait for nothing else."""
        cores = self._session.sparkContext.defaultParallelism
        self._session.range(0, cores, 1, cores).mapInArrow(lambda batches: batches, "id bigint").collect()

    def _given(self, name: str, columns: str) -> DataFrame:
        path = str(self._folder / name)

        def rows(_nothing: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            with pa.memory_map(path) as file:
                yield from pa.ipc.open_file(file).read_all().to_batches()

        return self._kept(self._session.range(0, 1, 1, 1).mapInArrow(rows, columns))

    def _plan(self, info: TableInfo) -> DataFrame:
        return self._kept(info.function()(*(self._tables[name].result() for name in info.inputs)))

    def _kept(self, table: DataFrame) -> DataFrame:
        """Of one piece, made once for all that are made of it; to those it is a table and no question.

        The shuffle ends what is sent with the tasks of those others. A local checkpoint keeps the rows as they are,
        where Spark's cache would write code for their columns; without its mark they can be made of other rows again.
        """
        kept: DataFrame = table.repartition(1).localCheckpoint(eager=False)
        java: Any = self._session._jvm
        rows: Any = kept._jdf.queryExecution().logical().rdd()
        getattr(rows, CHECKPOINT)(java.scala.Option.empty())
        kept._jdf.queryExecution().executedPlan()
        return kept

    def answers(self, given: dict[str, pa.Table], at_once: int) -> Iterator[tuple[str, str, pa.Table]]:
        """(name, schema as Spark's JSON, rows) of each table of these rows, as they come; so many are asked at once."""
        import pyarrow as pa

        self._forget()
        for name, rows in given.items():
            with pa.ipc.new_file(self._folder / name, rows.schema) as file:
                file.write_table(rows)
        with ThreadPoolExecutor(at_once) as pool:
            asked = {pool.submit(self._answer, name): name for name in TABLES}
            for answer in as_completed(asked):
                name = asked[answer]
                yield name, self._tables[name].result().schema.json(), answer.result()
        self._shuffles = self._shuffles or range(self._next_shuffle())

    def _answer(self, name: str) -> pa.Table:
        return self._tables[name].result().toArrow()

    def _next_shuffle(self) -> int:
        java: Any = self._session.sparkContext._jsc
        number: int = java.sc().newShuffleId()
        return number

    def _forget(self) -> None:
        """Let all that was computed of earlier rows be computed anew."""
        java: Any = self._session.sparkContext._jsc
        for kept in java.getPersistentRDDs().values():
            level = kept.rdd().getStorageLevel()
            kept.rdd().unpersist(True)
            kept.rdd().persist(level)
        for shuffle in self._shuffles:
            java.sc().cleaner().get().doCleanupShuffle(shuffle, True)

    def close(self) -> None:
        """Plan nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


_PLANNED: WeakKeyDictionary[SparkSession, Planned] = WeakKeyDictionary()


def planned(session: SparkSession) -> Planned:
    """What this session has planned, or begins to plan now."""
    plans = _PLANNED.get(session)
    if plans is None:
        plans = _PLANNED[session] = Planned(session)
    return plans


def lacks(error: BaseException) -> bool:
    """Whether it says that this Spark has not got what plans lean on: a class or a method of Java."""
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

    if isinstance(error, Py4JError):
        return not isinstance(error, Py4JJavaError | Py4JNetworkError)
    return isinstance(error, TypeError) and "JavaPackage" in str(error)


def forget_plans(session: SparkSession) -> None:
    """After a mistake: what comes next begins anew."""
    plans = _PLANNED.pop(session, None)
    if plans is not None:
        plans.close()
