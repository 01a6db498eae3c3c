"""The output folder: only what is new is read, bad files are named, an interrupted attempt leaves no trace."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from made_events import RUN, write_run

from cluster.model import events as ev
from workbench.analysis.ranges import examine
from workbench.refusal import BAD_DATA, BUSY, Refusal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.publish import Store

START = ev.RunStarted(config="{}", world="processes", title="t")
STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(1, 5)]
OTHER = "20260101-000000-000bb"


def _quiet(_what: str, _done: int, _total: int) -> None:
    """Nobody watches."""


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    from workbench.analysis.publish import Store

    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(Refusal) as refused:
        Store(tmp_path)
    assert refused.value.code == BUSY
    assert os.listdir(tmp_path) == ["mine.txt"]


@pytest.mark.spark
def test_only_what_is_new_is_read_and_a_bad_file_spoils_no_other_run(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.pipeline import refuse_bad, rows_of
    from workbench.analysis.publish import Store
    from workbench.analysis.report.page import page

    good = write_run(tmp_path / "good", {"0-0": [START, *STEPS[:2]]})
    store = Store(tmp_path / "out")
    _leave_half_an_attempt(store.folder)
    assert store.read(spark, [examine(good)]) == 3
    assert store.make_tables(spark, [RUN], _quiet) == [RUN]
    assert store.is_current([examine(good)])
    assert store.make_tables(spark, [RUN], _quiet) == []

    write_run(tmp_path / "good", {"0-0": [START, *STEPS]})
    bad = write_run(tmp_path / "bad", {"0-0": [START], "1-0": STEPS}, run=OTHER)
    path = bad / "trace" / "1-0.trace"
    path.write_bytes(path.read_bytes()[:-10] + b"\xc1" * 10)
    again = Store(tmp_path / "out")
    assert not again.is_current([examine(good)])
    assert again.read(spark, [examine(good), examine(bad)]) == 2 + 1 + 3
    refuse_bad(again, [RUN], quarantine=False)
    with pytest.raises(Refusal, match=rf"{OTHER}/trace/1-0.trace: byte \d+: not an entry.*2 good files") as refused:
        refuse_bad(again, [RUN, OTHER], quarantine=False)
    assert refused.value.code == BAD_DATA
    refuse_bad(again, [RUN, OTHER], quarantine=True)
    assert again.make_tables(spark, [RUN, OTHER], _quiet) == [RUN, OTHER]
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
