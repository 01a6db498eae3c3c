"""A class is analysed although one hand-in cannot be: the bad one is named, and left out when that is allowed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cluster.model import events as ev
from tests.support.traces.made_events import RUN, ranges_of, read_range, write_run
from workbench.analysis.pipeline import examine_all, page_name
from workbench.analysis.reading.ranges import examine
from workbench.support.refusal import BAD_DATA, Refusal

START = ev.RunStarted(config="{}", world="processes", title="t")
OTHER = "20260101-000000-000bb"


def _emptied(folder: Path) -> None:
    (folder / "trace" / "0-0.trace").write_bytes(b"")


def _foreign(folder: Path) -> None:
    (folder / "trace" / "0-0.trace").write_bytes(b"PK\x03\x04 and so on")


def _unlisted(folder: Path) -> None:
    shutil.rmtree(folder / "trace")
    (folder / "trace").symlink_to("/nowhere")


def _named_otherwise(folder: Path) -> None:
    write_run(folder, {"0-0": [START]}, run="../../etc")


BAD: dict[str, tuple[Callable[[Path], None], str]] = {
    "an empty trace": (_emptied, "its trace holds no events"),
    "foreign files": (_foreign, "no file of its trace begins with an event of ours"),
    "no folder": (_unlisted, "its trace cannot be listed"),
    "a foreign name": (_named_otherwise, "its id is not one of ours"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_hand_in_that_cannot_be_used_is_named_and_left_out_when_allowed(tmp_path: Path, what: str) -> None:
    good, bad = write_run(tmp_path / "ada", {"0-0": [START]}), write_run(tmp_path / "bob", {"0-0": [START]}, run=OTHER)
    spoil, told = BAD[what]
    spoil(bad)
    with pytest.raises(Refusal, match=f"{bad}.*{told}.*; --quarantine goes on with the 1 other run") as refused:
        examine_all([good, bad])
    assert refused.value.code == BAD_DATA
    sources, left_out = examine_all([good, bad], quarantine=True)
    assert [source.run for source in sources] == [RUN]
    assert len(left_out) == 1 and str(bad) in left_out[0] and told in left_out[0]
    with pytest.raises(Refusal) as nothing:
        examine_all([bad], quarantine=True)
    assert nothing.value.code == BAD_DATA and "--quarantine" not in str(nothing.value)


def test_of_two_learners_with_one_run_the_second_is_named_and_left_out(tmp_path: Path) -> None:
    ada, bob = (write_run(tmp_path / name, {"0-0": [START]}) for name in ("ada", "bob"))
    with pytest.raises(Refusal, match=f"'{bob}' holds the same run as '{ada}': {RUN}") as refused:
        examine_all([ada, bob])
    assert refused.value.code == BAD_DATA
    sources, left_out = examine_all([ada, bob], quarantine=True)
    assert [source.folder for source in sources] == [ada] and len(left_out) == 1
    again, none = examine_all([ada, ada])
    assert (len(again), none) == (1, []), "the same folder twice is one run"


STRANGE: dict[str, Callable[[Path], Any]] = {
    "a folder": os.mkdir,
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("what", STRANGE)
def test_what_is_no_file_among_the_traces_is_a_bad_file_and_stops_nothing(tmp_path: Path, what: str) -> None:
    pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")
    folder = write_run(tmp_path / "run", {"0-0": [START]})
    STRANGE[what](folder / "trace" / "x.trace")
    os.mkfifo(folder / "run.lock")
    found = {}
    for item in ranges_of(examine(folder)):
        _, row = read_range(item)
        found[item.name] = row["entry_count"], row["bad_byte"], row["bad_why"]
    assert found["0-0.trace"] == (1, None, None)
    assert found["x.trace"] == (0, 0, f"not an ordinary file but {what}")


def test_pages_of_runs_and_of_classes_do_not_take_each_other_s_place() -> None:
    names = [
        page_name(["r1"]), page_name(["r2"]), page_name(["r1", "r2"]), page_name(["r1", "r3"]),
        page_name(["r1"], "/class/a b"), page_name(["r1"], "/other/a b"), page_name(["r1"], "/class/.."),
    ]  # fmt: skip
    assert len(set(names)) == len(names)
    assert names[0] == "run-r1.html" and page_name(["r2", "r1"]) == names[2]
    assert names[4].startswith("class-a-b-") and page_name(["r1", "r2"], "/class/a b") == names[4]
    assert all(name == Path(name).name for name in names)
