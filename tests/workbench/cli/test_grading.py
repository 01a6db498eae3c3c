"""`workbench submit` and `workbench grade`, as they are typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.worlds.handed_in import handed_in
from workbench.cli.grading import grade, submit
from workbench.support.places import usable_home
from workbench.support.refusal import BUSY, USAGE, Refusal


def workbench(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench", *words], capture_output=True, text=True, check=False, cwd=folder
    )


def test_from_a_lesson_to_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    handed_in(tmp_path, "ada")
    home = usable_home(str(tmp_path / "home-ada"))
    (tmp_path / "in").mkdir()
    assert submit("1", "", quiz=False, name="Ada Lovelace", out="", data_dir=str(home)) == 0
    assert capsys.readouterr().out == "ada-lovelace_lesson-1.json\n"
    with pytest.raises(Refusal) as refusal:
        submit("01", "", quiz=False, name="Ada", out="ada-lovelace_lesson-1.json", data_dir=str(home))
    assert refusal.value.code == BUSY
    (tmp_path / "ada-lovelace_lesson-1.json").rename(tmp_path / "in" / "a.json")
    assert grade("in", "csv", "") == 0
    assert capsys.readouterr().out == "  3 of 5   Ada Lovelace  (a.json)\n1 graded, 0 to look at: grades.csv\n"
    (tmp_path / "in" / "b.json").write_text("nothing")
    assert grade("in", "csv", "out/table.csv") == 1
    assert "look: it is no submission" in capsys.readouterr().out
    rows = (tmp_path / "out" / "table.csv").read_text().splitlines()
    assert rows[1].startswith("Ada Lovelace,a.json,lesson 1,3,5,ok,") and rows[2].startswith("b,b.json,,0,0,look,")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("submit",), "name what you hand in"), (("submit", "--challenge", "\x1b[2J"), "not a number"),
        (("submit", "--quiz", "--name", "x" * 101), "at most 100"), (("grade", "nowhere"), "is not there"),
        (("grade", ".", "--form", "\x1b[2Jodt"), "unknown form"), (("grade",), "missing argument"),
        (("grade", ".", "--form", "csv", "--form", "csv"), "given twice"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    done = workbench(tmp_path, *words)
    assert done.returncode == USAGE and why in done.stderr
    assert done.stderr.count("\n") == 1 and "\x1b" not in done.stderr and not done.stdout
    assert not list(tmp_path.glob("*.json"))
