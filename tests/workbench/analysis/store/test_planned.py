"""What a session has planned answers for one run after another, each time of that run alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cluster.model import events as ev
from tests.support.traces.made_events import RUN, write_run
from workbench.analysis.reading.ranges import examine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.store.tables import Store

pytestmark = pytest.mark.spark
START = ev.RunStarted(config="{}", world="processes", title="t")
STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(1, 5)]


def _made(session: SparkSession, store: Store, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """All tables of a run as they come, rows in order."""
    source, shown = examine(folder), {}
    store.read(session, [source])

    def show(name: str, rows: list[dict[str, Any]]) -> None:
        shown[name] = sorted(rows, key=str)

    store.make_tables(session, [source], lambda _what, _done, _total: None, show)
    return shown


def test_a_run_gets_the_same_tables_whatever_was_asked_before(
    spark: SparkSession, recorded: Path, analysed: Store, tmp_path: Path
) -> None:
    from workbench.analysis.store.tables import Store, table_rows
    from workbench.analysis.tables import TABLES

    small = write_run(tmp_path / "small", {"0-0": [START], "9001-0": STEPS})
    assert _made(spark, Store(tmp_path / "before"), small)["runs"][0]["event_count"] == 5
    again = _made(spark, Store(tmp_path / "again"), recorded)
    first = {name: sorted(table_rows(analysed.table(name), [recorded.name]), key=str) for name in TABLES}
    assert again == first and len(first["leaderships"]) > 2
    after = _made(spark, Store(tmp_path / "after"), small)
    assert {name: len(rows) for name, rows in after.items() if rows} == {
        "runs": 1, "script": 4, "effort": 1, "verdicts": len(first["verdicts"])
    }  # fmt: skip
    assert [row["run"] for row in after["script"]] == [RUN] * 4


def test_tables_made_ahead_of_their_rows_are_those_of_the_rows_that_are_kept_after(
    spark: SparkSession, recorded: Path, analysed: Store, tmp_path: Path
) -> None:
    from tests.support.traces.made_events import seen_from_outside
    from workbench.analysis.store.tables import Store, table_rows
    from workbench.analysis.tables import TABLES

    store, source = Store(tmp_path / "out"), examine(recorded)
    ahead = store.ahead([source], None)
    assert ahead is not None and not seen_from_outside(store.data)
    store.make_tables(spark, [source], lambda _what, _done, _total: None, ahead=ahead)
    for name in TABLES:
        one, other = (sorted(table_rows(made.table(name), [recorded.name]), key=str) for made in (store, analysed))
        assert one == other, name
    assert not store.is_current([source]), "a run of which only the tables are there is read again"
    store.keep(spark)
    assert store.is_current([source]) and store.ahead([source], None) is None
    assert seen_from_outside(store.data) == seen_from_outside(analysed.data) != []


@pytest.mark.slow
def test_a_spark_without_what_plans_lean_on_gets_the_same_tables_the_long_way(
    spark: SparkSession, recorded: Path, analysed: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.analysis.store import planned
    from workbench.analysis.store.tables import Store, table_rows
    from workbench.analysis.tables import TABLES

    planned.forget_plans(spark)
    store = Store(tmp_path / "out")
    with monkeypatch.context() as changed:
        changed.setattr(planned, "CHECKPOINT", "elsewhere_$eq")
        assert _made(spark, store, recorded) == {}, "none is shown as it comes"
    for name in TABLES:
        one, other = (sorted(table_rows(made.table(name), [recorded.name]), key=str) for made in (store, analysed))
        assert one == other, name
