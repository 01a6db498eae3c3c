"""What was read stands there once, whatever broke off; somebody who knows nothing of us counts it once too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cluster.model import events as ev
from tests.support.traces.made_events import RUN, seen_from_outside, write_run
from workbench.analysis.reading.ranges import examine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(1, 5)]
START = ev.RunStarted(config="{}", world="processes", title="t")
OTHER = "20260101-000000-000bb"


@pytest.mark.parametrize("step", ["before", "deleting", "after"])
def test_an_interrupted_merge_is_ended_the_next_time_and_nothing_stands_there_twice(tmp_path: Path, step: str) -> None:
    from workbench.analysis.store.rows import MERGED, ROWS, finish_merge

    for number in range(4):
        if number != 1 or step == "before":
            (tmp_path / ROWS / f"batch={number}").mkdir(parents=True)
    whole = tmp_path / (f"{MERGED}-incoming" if step == "before" else f"{MERGED}-2")
    (whole / "rows=events").mkdir(parents=True)
    finish_merge(tmp_path)
    finish_merge(tmp_path)
    found = {path.name: len(os.listdir(path)) for path in (tmp_path / ROWS).iterdir()}
    before = {f"batch={number}": 0 for number in range(4)}
    assert found == (before if step == "before" else {"batch=2": 1, "batch=3": 0})


@pytest.mark.spark
def test_a_batch_that_was_written_before_a_crash_is_written_again_and_not_beside(
    spark: SparkSession, tmp_path: Path
) -> None:
    from workbench.analysis.store.tables import Store

    good, other = (write_run(tmp_path / run, {"0-0": [START, *STEPS]}, run=run) for run in (RUN, OTHER))
    store = Store(tmp_path / "out")
    store.read(spark, [examine(good)])
    kept = seen_from_outside(store.data)
    (store.data / "checkpoint" / "commits" / "0").unlink()
    (store.data / "checkpoint" / "commits" / ".0.crc").unlink()
    left = store.data / "rows" / "batch=0" / "rows=events" / f"run={RUN}" / "part-left.parquet"
    left.write_bytes(next(left.parent.glob("*.parquet")).read_bytes())
    assert len(seen_from_outside(store.data)) == 2 * len(kept)
    assert store.read(spark, [examine(other)]) == 5, "asked for another run, it ends what was begun all the same"
    assert seen_from_outside(store.data) == sorted(kept * 2)
    assert store.input(spark, [examine(good)])[0].count() == 5


@pytest.mark.parametrize(("failures", "is_done"), [(0, True), (2, True), (3, False)])
def test_a_query_whose_python_began_too_late_is_started_again_a_few_times(failures: int, *, is_done: bool) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    from pyspark.errors import StreamingQueryException

    from workbench.analysis.store.rows import TOO_SLOW, read_to_end

    class Query:
        def awaitTermination(self) -> None:  # noqa: N802  # Spark's
            if len(started) <= failures:
                raise StreamingQueryException(f"[STREAM_FAILED] {TOO_SLOW}")

        def stop(self) -> None:
            ended.append(self)

    started: list[Query] = []
    ended: list[Query] = []

    def start() -> Any:
        started.append(Query())
        return started[-1]

    if is_done:
        read_to_end(start)
    else:
        with pytest.raises(StreamingQueryException):
            read_to_end(start)
    assert len(started) == len(ended) == min(failures + 1, 3)
