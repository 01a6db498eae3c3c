"""The output folder: only what is new is read, bad files are named, an interrupted attempt leaves no trace."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cluster.model import events as ev
from tests.support.processes.watching import child
from tests.support.traces.made_events import RUN, seen_from_outside, write_run
from workbench.analysis.reading.ranges import examine
from workbench.support.refusal import BAD_DATA, BUSY, Refusal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.store.tables import Store

START = ev.RunStarted(config="{}", world="processes", title="t")
STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(1, 5)]
OTHER = "20260101-000000-000bb"


def _quiet(_what: str, _done: int, _total: int) -> None:
    """How far the work is, told to nobody."""


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    from workbench.analysis.store.tables import Store

    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(Refusal) as refused:
        Store(tmp_path)
    assert refused.value.code == BUSY
    assert os.listdir(tmp_path) == ["mine.txt"]


HOLD = """
import sys, time
from pathlib import Path
from workbench.analysis.store.tables import Store
Store(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(600)
"""


def test_a_folder_has_one_analysis_at_a_time_and_a_dead_one_leaves_it_free(tmp_path: Path) -> None:
    from workbench.analysis.store.tables import Store

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", HOLD, str(tmp_path / "out")]
    with child(command, stdout=subprocess.PIPE, env=environment) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"open\n"
        with pytest.raises(Refusal, match=rf"another analysis \(process {holder.pid}\) is at work there") as refused:
            Store(tmp_path / "out")
        assert refused.value.code == BUSY
        holder.kill()
    Store(tmp_path / "out").close()


def test_what_another_version_made_is_kept_and_named_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.analysis.store import tables

    before = tables.Store(tmp_path / "out")
    kept = before.data / "tables" / "runs" / f"run={RUN}" / "part-0.parquet"
    early = tmp_path / "out" / "tables" / "runs"
    for folder in (kept.parent, early):
        folder.mkdir(parents=True)
    kept.write_bytes(b"rows")
    before.close()
    with monkeypatch.context() as changed:
        changed.setattr(tables, "this_version", lambda: "version-changed")
        after = tables.Store(tmp_path / "out")
        assert after.others == [before.data, early.parent] and after.data != before.data
        after.close()
        again = tables.Store(tmp_path / "out")
        assert again.others == [], "it is told when a version begins"
        again.close()
    tables.Store(tmp_path / "out").close()
    assert kept.read_bytes() == b"rows" and early.is_dir()


@pytest.mark.parametrize("text", ["{", "[]", '{"r": 1}'])
def test_tables_that_nobody_can_tell_of_what_they_were_made_are_made_again(tmp_path: Path, text: str) -> None:
    from workbench.analysis.store.tables import MADE, Store

    source = examine(write_run(tmp_path / "run", {"0-0": STEPS}))
    store = Store(tmp_path / "out")
    (store.data / MADE).write_text(text)
    store.close()
    assert not Store(tmp_path / "out").is_current([source])


@pytest.mark.spark
def test_only_what_is_new_is_read_and_a_bad_file_spoils_no_other_run(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.pipeline import refuse_bad, rows_of
    from workbench.analysis.report.page import page
    from workbench.analysis.store.rows import merge, readings_of
    from workbench.analysis.store.tables import Store

    good = write_run(tmp_path / "good", {"0-0": [START, *STEPS[:2]]})
    store = Store(tmp_path / "out")
    assert store.read(spark, [examine(good)]) == 3
    assert not store.is_current([examine(good)]), "its tables are not made"

    write_run(tmp_path / "good", {"0-0": [START, *STEPS]})
    bad = write_run(tmp_path / "bad", {"0-0": [START], "1-0": STEPS}, run=OTHER)
    path = bad / "trace" / "1-0.trace"
    path.write_bytes(path.read_bytes()[:-10] + b"\xc1" * 10)
    store.close()
    again, both = Store(tmp_path / "out"), [examine(good), examine(bad)]
    assert not again.is_current(both[:1])
    assert again.read(spark, both) == 2 + 1 + 3
    refuse_bad(readings_of(again.data, [RUN]), quarantine=False)
    with pytest.raises(Refusal, match=rf"{OTHER}/trace/1-0.trace: byte \d+: not an entry.*2 good files") as refused:
        refuse_bad(readings_of(again.data, [RUN, OTHER]), quarantine=False)
    assert refused.value.code == BAD_DATA
    refuse_bad(readings_of(again.data, [RUN, OTHER]), quarantine=True)
    again.make_tables(spark, both, _quiet)
    assert again.is_current(both)
    one, other = rows_of(again, [RUN, OTHER])
    assert (one.run["is_complete"], other.run["is_complete"]) == (True, False)
    assert [row["text"] for row in one.tables["script"]] == [step.text for step in STEPS], "each event once"
    assert len(other.tables["script"]) == 3, "what stands before the garbage"
    assert one.tables["truncations"] == []
    assert "Not whole: 1-0.trace byte" in page([one, other], datetime.now(UTC))
    _make_class(spark, again)

    path.write_bytes(path.read_bytes() + path.read_bytes()[: len(path.read_bytes()) // 4])
    again.read(spark, [examine(bad)])
    assert again.input(spark, [examine(bad)])[0].count() == 1 + 3, "what stands behind garbage is no part of its file"
    kept = seen_from_outside(again.data)
    merge(spark, again.data, at=3)
    assert [path.name for path in (again.data / "rows").iterdir()] == ["batch=2"]
    assert seen_from_outside(again.data) == kept and again.read(spark, both) == 0


def _make_class(spark: SparkSession, store: Store) -> None:
    """Made once, and made again when somebody else is in it."""
    from workbench.analysis.pipeline import class_of

    named = {RUN: "ada", OTHER: "bob"}
    assert not store.is_class_current(named)
    store.make_class(spark, named, _quiet)
    assert store.is_class_current(named)
    assert not store.is_class_current(named | {OTHER: "cid"})
    rows = class_of(store, named)
    effort = [(row["learner"], row["runs"], row["steps"]) for row in rows.tables["class_effort"]]
    assert (rows.learner_count, sorted(effort)) == (2, [("ada", 1, 4), ("bob", 1, 3)])


@contextmanager
def _ending_within_a_folder_that_goes(below: Path) -> Iterator[None]:
    """As when the process is killed while it deletes a folder below this one: when a first other thing than _made is
    to go."""
    is_armed, is_going = True, False

    def watch(event: str, told: tuple[object, ...]) -> None:
        nonlocal is_going
        if is_armed and event == "shutil.rmtree":
            is_going = is_going or str(told[0]).startswith(str(below))
        if is_armed and is_going and event in ("os.remove", "os.rmdir") and Path(str(told[0])).name != "_made":
            raise KeyboardInterrupt

    sys.addaudithook(watch)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        is_armed = False


@pytest.mark.spark
def test_tables_of_a_run_or_of_a_class_that_are_half_replaced_are_made_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Also when what they were made of before is asked for next, as by the version of the code before."""
    from workbench.analysis.store.tables import Store

    source, named = examine(write_run(tmp_path / "run", {"0-0": [START, *STEPS]})), {RUN: "ada"}
    store = Store(tmp_path / "out")
    store.read(spark, [source])
    store.make_tables(spark, [source], _quiet)
    store.make_class(spark, named, _quiet)
    assert store.is_current([source]) and store.is_class_current(named)
    with _ending_within_a_folder_that_goes(store.data):
        store.make_class(spark, named, _quiet)
    assert not store.is_class_current(named)
    with _ending_within_a_folder_that_goes(store.data):
        store.make_tables(spark, [replace(source, answers=(("q", "a", "a"),))], _quiet)
    store.close()
    again = Store(tmp_path / "out")
    assert not again.is_current([source]) and again.made_runs == [RUN]
