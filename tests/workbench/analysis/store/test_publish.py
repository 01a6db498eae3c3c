"""The output folder: only what is new is read, bad files are named, an interrupted attempt leaves no trace."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cluster.model import events as ev
from tests.support.processes.watching import child
from tests.support.traces.made_events import RUN, write_run
from workbench.analysis.reading.ranges import examine
from workbench.support.refusal import BAD_DATA, BUSY, Refusal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.store.publish import Store

START = ev.RunStarted(config="{}", world="processes", title="t")
STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(1, 5)]
OTHER = "20260101-000000-000bb"


def _quiet(_what: str, _done: int, _total: int) -> None:
    """Nobody watches."""


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    from workbench.analysis.store.publish import Store

    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(Refusal) as refused:
        Store(tmp_path)
    assert refused.value.code == BUSY
    assert os.listdir(tmp_path) == ["mine.txt"]


HOLD = """
import sys, time
from pathlib import Path
from workbench.analysis.store.publish import Store
Store(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(600)
"""


def test_a_folder_has_one_analysis_at_a_time_and_a_dead_one_leaves_it_free(tmp_path: Path) -> None:
    from workbench.analysis.store.publish import Store

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
    pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")
    from workbench.analysis.store import publish

    before = publish.Store(tmp_path / "out")
    _keep(before, write_run(tmp_path / "run", {"0-0": STEPS}))
    before.close()
    early = tmp_path / "out" / "tables" / "runs"
    early.mkdir(parents=True)
    kept = _stored(before)
    with monkeypatch.context() as changed:
        changed.setattr(publish, "layout_version", lambda: "changed")
        after = publish.Store(tmp_path / "out")
        assert after.others == [before.data, early.parent] and after.data != before.data
        assert (after.ledger.runs, _stored(before)) == ({}, kept)
        after.close()
        again = publish.Store(tmp_path / "out")
        assert again.others == [], "it is told when a version begins"
        again.close()
    back = publish.Store(tmp_path / "out")
    assert set(back.ledger.runs) == {RUN} and _stored(back) == kept and early.is_dir()


def test_what_a_damaged_ledger_tells_of_is_put_aside_and_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")
    from workbench.analysis.store.publish import Store

    for number in (1, 2):
        store = Store(tmp_path / "out")
        _keep(store, write_run(tmp_path / "run", {"0-0": STEPS}))
        (store.data / "ledger.json").write_text("{")
        kept = _stored(store)
        store.close()
        again = Store(tmp_path / "out")
        aside = again.data.with_name(f"{again.data.name}-damaged-{number}")
        assert again.ledger.runs == {} and again.others[-1] == aside
        assert len(list(aside.rglob("*.parquet"))) == len(kept[:1])
        again.close()


def test_small_readings_become_one_and_nothing_else_changes(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")
    from workbench.analysis.store.ledger import save_ledger
    from workbench.analysis.store.publish import Store

    store = Store(tmp_path / "out")
    for number, run in enumerate((RUN, OTHER, RUN), 1):
        _keep(store, write_run(tmp_path / f"{number}", {"0-0": STEPS[:number]}, run=run))
    before = _stored(store)
    store.merge(at=4)
    assert len(list((store.data / "events").iterdir())) == 3
    store.merge()
    names = sorted(str(path.relative_to(store.data / "events")) for path in store.data.rglob("*.parquet"))
    assert names == [f"read=4/run={RUN}/merged.parquet", f"read=4/run={OTHER}/merged.parquet"]
    assert (_stored(store), store.ledger.reads) == (before, 4)
    assert [row["step"] for row in before if row["event"] == "lesson.step"] == [1, 1, 2, 3, 1, 2]

    (store.data / "events" / "read=4").rename(store.data / "events" / "read=5")
    store.ledger.reads, store.ledger.gone = 5, [3]
    (store.data / "events" / "read=3").mkdir()
    save_ledger(store.data, store.ledger)
    store.close()
    again = Store(tmp_path / "out")
    assert os.listdir(again.data / "events") == ["read=5"], "what an interrupted merge left is deleted"
    assert _stored(again) == before


def _keep(store: Store, folder: Path) -> None:
    """One reading, as Spark's tasks and the store do it together."""
    from workbench.analysis.reading.piecewise import store as store_ranges
    from workbench.analysis.store.ledger import Ledger, new_ranges

    source = examine(folder)
    (told,) = store_ranges(new_ranges(Ledger(), [source]), store.incoming, "part")
    assert store.take_in(told.to_pylist(), [source]) == sum(row["entry_count"] for row in told.to_pylist())


def _stored(store: Store) -> list[dict[str, Any]]:
    import pyarrow.dataset as ds

    found = ds.dataset(store.data / "events", format="parquet", partitioning="hive").to_table().to_pylist()
    rows = [{name: value for name, value in row.items() if name != "read"} for row in found]
    return sorted(rows, key=lambda row: (row["run"], row["event"], row["t_ns"] or 0, row["to_byte"] or 0))


@pytest.mark.spark
def test_only_what_is_new_is_read_and_a_bad_file_spoils_no_other_run(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.pipeline import refuse_bad, rows_of
    from workbench.analysis.report.page import page
    from workbench.analysis.store.publish import Store

    good = write_run(tmp_path / "good", {"0-0": [START, *STEPS[:2]]})
    store = Store(tmp_path / "out")
    _leave_half_an_attempt(store.data)
    assert store.read(spark, [examine(good)]) == 3
    assert not store.is_current([examine(good)]), "its tables are not made"

    write_run(tmp_path / "good", {"0-0": [START, *STEPS]})
    bad = write_run(tmp_path / "bad", {"0-0": [START], "1-0": STEPS}, run=OTHER)
    path = bad / "trace" / "1-0.trace"
    path.write_bytes(path.read_bytes()[:-10] + b"\xc1" * 10)
    store.close()
    again = Store(tmp_path / "out")
    assert not again.is_current([examine(good)])
    assert again.read(spark, [examine(good), examine(bad)]) == 2 + 1 + 3
    refuse_bad(again, [RUN], quarantine=False)
    with pytest.raises(Refusal, match=rf"{OTHER}/trace/1-0.trace: byte \d+: not an entry.*2 good files") as refused:
        refuse_bad(again, [RUN, OTHER], quarantine=False)
    assert refused.value.code == BAD_DATA
    refuse_bad(again, [RUN, OTHER], quarantine=True)
    assert again.make_tables(spark, [RUN, OTHER], _quiet) == [RUN, OTHER]
    assert again.is_current([examine(good), examine(bad)])
    assert again.make_tables(spark, [RUN, OTHER], _quiet) == []
    one, other = rows_of(again, [RUN, OTHER])
    assert (one.run["is_complete"], other.run["is_complete"]) == (True, False)
    assert [row["text"] for row in one.tables["script"]] == [step.text for step in STEPS], "each event once"
    assert len(other.tables["script"]) == 3, "what stands before the garbage"
    assert one.tables["truncations"] == []
    assert "Not whole: 1-0.trace byte" in page([one, other], datetime.now(UTC))
    _make_class(spark, again)


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


def _leave_half_an_attempt(out: Path) -> None:
    """What an interrupted attempt wrote before the ledger knew of it."""
    leftover = out / "events" / "read=1" / f"run={RUN}"
    leftover.mkdir(parents=True)
    (leftover / "part-0.parquet").write_bytes(b"half")
