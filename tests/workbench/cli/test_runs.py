"""Lists of runs, and what is done with one whose run.json comes from somebody else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import FACTS, create_run, take_lock
from workbench.cli.resuming import delete, resume
from workbench.cli.runs import attach, down, only_living, ps, runs
from workbench.support.refusal import BAD_DATA, USAGE, Refusal


def made(home: Path, **changes: Any) -> Path:
    folder, lock = create_run(home, ClusterSpec(title="A title", controllers=1, brokers=1))
    os.close(lock)
    facts = json.loads((folder / FACTS).read_text())
    (folder / FACTS).write_text(json.dumps(facts | changes))
    return folder


@pytest.mark.parametrize("changes", [{"id": "\x1b[2Jid\x07"}, {"seed": "\x1b[2J"}, {"brokers": [1, 1, 2]}])
def test_a_run_whose_facts_make_no_sense_is_listed_with_the_reason_and_nothing_a_terminal_obeys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    good, bad = made(tmp_path), made(tmp_path, **changes)
    lock = take_lock(bad)
    assert lock is not None
    home = str(tmp_path)
    assert runs(home, as_json=False) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert lines.keys() == {good.name, bad.name}, "in either order: both were made within a millisecond"
    second = lines[bad.name]
    assert second.split()[:3] == [bad.name, "unreadable", f"{FACTS}:"]
    assert second.isprintable() and next(iter(changes)) in second
    assert ps(home, as_json=False) == 0
    assert capsys.readouterr().out.splitlines() == [second]
    assert ps(home, as_json=True) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["run"], row["state"], row["folder"]) == (bad.name, "unreadable", str(bad))
    os.close(lock)


def test_a_data_folder_that_is_a_broken_link_is_told_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert runs(str(tmp_path / "loop"), as_json=False) == 0
    assert capsys.readouterr().out.endswith("loop: it is a link that leads nowhere\n")


@pytest.mark.parametrize(
    "command",
    [
        lambda run, home: resume(run, home, stay=True, as_json=True),
        lambda run, home: delete(run, home, sure=True),
        lambda run, home: down(run, home),
    ],
    ids=["resume", "delete", "down"],
)
def test_nothing_is_done_with_a_run_whose_facts_make_no_sense(
    tmp_path: Path, command: Callable[[str, str], int]
) -> None:
    bad = made(tmp_path, brokers=list(range(1, 5000)))
    before = sorted(bad.rglob("*"))
    with pytest.raises(Refusal, match="brokers is .*; needed: at most 9 of them") as refused:
        command(bad.name, str(tmp_path))
    assert refused.value.code == BAD_DATA and str(refused.value).isprintable()
    assert sorted(bad.rglob("*")) == before


def test_notes_and_a_screen_that_only_looks_are_two_screens(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="--notes and --watch are two screens: choose one") as refused:
        attach(None, str(tmp_path), notes=True, watch=True)
    assert refused.value.code == USAGE


def test_the_only_run_that_is_up_needs_no_name_and_of_several_all_are_named(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused:
        attach(None, str(tmp_path), notes=False)
    assert (refused.value.code, str(refused.value)) == (BAD_DATA, "attach: no run is up")
    first, lock = create_run(tmp_path, ClusterSpec(title="one", controllers=3, brokers=3))
    assert only_living("attach", str(tmp_path)) == str(first)
    second, other = create_run(tmp_path, ClusterSpec(title="two", controllers=3, brokers=3))
    try:
        with pytest.raises(Refusal) as refused:
            attach(None, str(tmp_path), notes=False)
        said = str(refused.value)
        assert refused.value.code == USAGE and said.startswith("attach: which run? 2 are up")
        assert said.count("workbench attach ") == 2
    finally:
        os.close(lock)
        os.close(other)
    assert second != first
