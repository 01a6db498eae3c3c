"""Hands (cell, seed) pairs to Spark's executors and takes outcomes back, some seconds of work at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.analysis.campaign.one_run import engine_digest, run_all
from workbench.analysis.campaign.outcome import Outcome, outcome_schema, plain
from workbench.analysis.campaign.plan import CellPlan
from workbench.support.refusal import ENVIRONMENT, Refusal

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

Task: TypeAlias = tuple[int, int]
"""Place of a plan in a list, and a seed."""
ROUND_SECONDS = 8.0
ROUNDS_AT_ONCE = 2
"""While the last tasks of one round run, the next one keeps the other cores busy."""
PARTS_PER_CORE = 4
"""In one round: each costs Spark some 20 ms, and the next round keeps cores busy while the last parts run."""
RUNS_PER_PART = 4
FIRST_PER_CORE = 4
"""Runs of the first round."""


def spread(
    session: SparkSession,
    plans: Sequence[CellPlan],
    tasks: Sequence[Task],
    keep: Callable[[pa.Table], None],
    tell: Callable[[int], None],
) -> None:
    """Run all tasks. `keep` is given outcomes as they come, `tell` how many came with them.

    KeyboardInterrupt ends the jobs under way and goes through; what was kept stays kept.
    """
    rest = iter(tasks)
    running: set[Future[pa.Table]] = set()
    done, size, began = 0, _first(session), time.monotonic()
    pool = ThreadPoolExecutor(ROUNDS_AT_ONCE)
    try:
        while True:
            while len(running) < ROUNDS_AT_ONCE and (
                chunk := [task for _, task in zip(range(size), rest, strict=False)]
            ):
                running.add(pool.submit(one_round, session, plans, chunk))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                table = _checked(future.result())
                keep(table)
                done += table.num_rows
                tell(table.num_rows)
            size = max(_first(session), round(done / (time.monotonic() - began) * ROUND_SECONDS))
    except BaseException:
        session.sparkContext.cancelAllJobs()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _first(session: SparkSession) -> int:
    """Tasks of a first round. A cluster may still grow: its executors come one by one."""
    cores: int = session.sparkContext.defaultParallelism
    return FIRST_PER_CORE * cores


def one_round(session: SparkSession, plans: Sequence[CellPlan], tasks: Sequence[Task]) -> pa.Table:
    """The outcomes of some tasks, one Spark job."""
    parts = max(1, min(len(tasks) // RUNS_PER_PART, PARTS_PER_CORE * session.sparkContext.defaultParallelism))
    used = sorted({place for place, _ in tasks})
    short = {place: plans[place] for place in used}
    places = session.range(0, len(tasks), 1, parts)
    return places.mapInArrow(partial(work, short, tuple(tasks)), outcome_schema()).toArrow()


def work(
    plans: dict[int, CellPlan], tasks: tuple[Task, ...], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """What an executor does: one batch of outcomes for each batch of places in the list of tasks."""
    for batch in batches:
        chosen = [tasks[place] for place in batch.column(0).to_pylist()]
        rows = [plain(outcome) for outcome in run_all([(plans[place], seed) for place, seed in chosen])]
        yield batch_of(rows)


def batch_of(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    """Rows as Arrow, in the columns of an outcome."""
    import pyarrow as pa

    kinds = {"str": pa.string(), "tuple[str, ...]": pa.list_(pa.string())}
    schema = pa.schema([(item.name, kinds.get(str(item.type), pa.int64())) for item in fields(Outcome)])
    return pa.RecordBatch.from_pylist(rows, schema)


def _checked(table: pa.Table) -> pa.Table:
    """Refusal when an executor ran other code than this process has."""
    engines = set(table["engine"].to_pylist())
    if engines - {engine_digest()}:
        raise Refusal(
            ENVIRONMENT,
            "an executor ran another version of the simulation than this machine has; install the same version there",
        )
    return table
