"""What to type for a run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run
from workbench.runs.find import called, folder_of, recording_of
from workbench.support.refusal import VERSION, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.launch import open_comparison, open_replay


def made(home: Path) -> Path:
    folder, lock = create_run(home, ClusterSpec(title="A title", controllers=1, brokers=1))
    os.close(lock)
    return folder


def test_a_run_is_called_by_what_leads_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, other = made(tmp_path / "home"), made(tmp_path / "two words")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    assert called(mine) == mine.name
    assert called(other) == f"'{other}'"
    assert (folder_of(called(mine)), folder_of(called(other).strip("'"))) == (mine, other)


def test_a_path_is_safe_to_print(tmp_path: Path) -> None:
    assert "\x1b" not in called(tmp_path / "a\x1b[31mb")


def of_form(tmp_path: Path, form: str) -> Path:
    folder = made(tmp_path)
    facts = json.loads((folder / "run.json").read_text("utf-8"))
    (folder / "run.json").write_text(json.dumps(facts | {"version": form, "planet": "earth"}), "utf-8")
    return folder


def test_a_run_that_only_a_newer_tool_can_read_is_refused_in_one_sentence(tmp_path: Path) -> None:
    folder = of_form(tmp_path, "9.0")
    why = r"has form 9\.0, and this tool reads up to 1\.x; a newer one opens it"
    looks = (lambda: recording_of(str(folder)), lambda: open_replay(folder), lambda: open_comparison(folder, folder))
    for look in looks:
        with pytest.raises(Refusal, match=why) as seen:
            look()
        assert seen.value.code == VERSION
    assert folder_of(str(folder)) == folder, "it can be deleted"


@pytest.mark.parametrize("form", ["2.0", "2"])
def test_a_newer_form_is_told_from_its_version_alone(tmp_path: Path, form: str) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"version": form, "nodes": {"of": "another kind"}}), "utf-8")
    with pytest.raises(Refusal, match=rf"has form {form}, and this tool reads up to 1\.x"):
        recording_of(str(tmp_path))


def test_a_moment_that_is_no_time_is_refused_before_the_screen_opens(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="--at: 'next vote' is no time; seconds, or minutes and seconds as 01:23.4"):
        open_replay(made(tmp_path), "next vote")


def test_what_a_minor_step_added_is_left_out(tmp_path: Path) -> None:
    folder = of_form(tmp_path, "1.9")
    assert recording_of(str(folder)) == folder


NAMES = (b"d\xe9", b"a b", b"\x1b[2J", b"it's\n", b"\\x41\xe97", "\u00fc\u202e".encode(), b"long" * 60)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs the shell that the line is pasted into")
@pytest.mark.parametrize("name", NAMES)
def test_what_to_type_for_a_folder_leads_there_from_a_shell_and_is_safe_to_print(name: bytes) -> None:
    folder = Path(os.fsdecode(b"/tmp/" + name + b"/runs/one"))
    typed = called(folder)
    assert safe_text(typed) == typed
    found = subprocess.run(["bash", "-c", f"printf %s {typed}"], capture_output=True, check=True).stdout
    assert found == os.fsencode(folder)
