"""What is little and over is read without Spark, by the reader that Spark's workers have."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")

from cluster.model import events as ev
from tests.support.traces.made_events import RUN, write_run
from workbench.analysis.reading.ranges import examine
from workbench.analysis.store import ahead
from workbench.analysis.store.ahead import is_little, read_ahead
from workbench.analysis.store.rows import bad_files

OTHER = "20260101-000000-000bb"
START = ev.RunStarted(config="{}", world="processes", title="t")
STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(1, 5)]


def test_all_events_of_all_runs_are_read_and_how_that_went(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", {"0-0": [START], "9001-0": STEPS})
    other = write_run(tmp_path / "other", {"0-0": [START]}, run=OTHER)
    found = read_ahead([examine(one), examine(other)])
    assert sorted(zip(found.events["run"].to_pylist(), found.events["event"].to_pylist(), strict=True)) == sorted(
        [(RUN, "run.started"), *[(RUN, "lesson.step")] * 4, (OTHER, "run.started")]
    )
    assert [(row["run"], row["file"], row["entry_count"]) for row in found.readings] == [
        (RUN, "0-0.trace", 1), (RUN, "9001-0.trace", 4), (OTHER, "0-0.trace", 1)
    ]  # fmt: skip
    assert bad_files(found.readings) == [] and found.tables[1].num_rows == 3


def test_what_stands_behind_garbage_is_not_read_and_the_file_is_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "bad", {"0-0": [START], "1-0": STEPS})
    path = folder / "trace" / "1-0.trace"
    path.write_bytes(path.read_bytes()[:-10] + b"\xc1" * 10)
    found = read_ahead([examine(folder)])
    assert len(found.events) == 1 + 3
    assert [row["file"] for row in bad_files(found.readings)] == ["1-0.trace"]


def test_more_than_a_little_is_left_to_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = examine(write_run(tmp_path / "one", {"0-0": [START]}))
    assert is_little([source])
    monkeypatch.setattr(ahead, "AHEAD_BYTES", sum(source.sizes.values()) - 1)
    assert not is_little([source])
