"""An exam is asked, left, gone on with, handed in and graded; and printed for a class with its key."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.cli.exam import exam
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.state_files import state_folder

FILE = 'title = "A test"\nkey = "k"\nminutes = {minutes}\nquestions = ["2/silent", "6/old"]\n'


def workbench(folder: Path, *words: str, typed: str = "", code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *words],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "exam.toml").write_text(FILE.format(minutes=20))
    return tmp_path


def test_an_exam_goes_on_where_it_was_left_and_is_graded_with_its_file(folder: Path) -> None:
    said = workbench(folder, "exam", "exam.toml", "--student", "ada", typed="a\n")
    assert "the same command goes on here" in said and not list(folder.glob("*.json"))
    said = workbench(folder, "exam", "exam.toml", "--student", "ada", typed="z\nb\n")
    assert "1 questions" in said and "type one of a, b, c" in said and "2 of 2 answered" in said
    assert "was right" not in said and "!" not in said
    assert "this exam is over" in workbench(folder, "exam", "exam.toml", "--student", "ada", typed="a\n", code=USAGE)
    (folder / "in").mkdir()
    (folder / "ada_exam.json").rename(folder / "in" / "ada.json")
    assert re.search(r"[012] of 2 +ada", workbench(folder, "grade", "in", "--exam", "exam.toml"))
    assert "grade FOLDER --exam FILE" in workbench(folder, "grade", "in", code=1)
    (folder / "other.toml").write_text(FILE.format(minutes=21))
    assert "another exam" in workbench(folder, "grade", "in", "--exam", "other.toml", code=1)


def test_an_exam_is_over_when_its_time_is(folder: Path) -> None:
    workbench(folder, "exam", "exam.toml", "--student", "ada", typed="a\n")
    (kept,) = state_folder().glob("exam-*.json")
    content = json.loads(kept.read_text())
    kept.write_text(json.dumps(content | {"began_s": time.time() - 21 * 60}))
    assert "1 of 2 answered" in workbench(folder, "exam", "exam.toml", "--student", "ada", typed="a\n")
    part = json.loads((folder / "ada_exam.json").read_text())["parts"][0]
    assert len(part["answers"]) == 1 and part["seconds"] == pytest.approx(20 * 60)


def test_paper_has_a_sheet_for_each_student_and_the_key_apart(folder: Path) -> None:
    (folder / "names.txt").write_text("ada\n<b>bob</b>\n\nada\n")
    assert exam(str(folder / "exam.toml"), "", str(folder / "out"), students=str(folder / "names.txt")) == 0
    sheets, key = ((folder / "out" / name).read_text() for name in ("exam.html", "exam-key.html"))
    assert sheets.count('<div class="sheet">') == 2 and "&lt;b&gt;bob" in sheets and "<b>bob" not in sheets + key
    assert len(re.findall(r"<td>[a-d]</td>", key)) == 4 and "<script" not in sheets + key
    assert "default-src 'none'" in sheets and sheets.count("What is done in your cluster") == 4


@pytest.mark.parametrize(
    ("student", "names", "code", "why"),
    [("", "", USAGE, "--student NAME"), ("x" * 101, "", USAGE, "--student"), ("", "nowhere", BAD_DATA, "cannot read")],
)
def test_a_mistake_is_one_sentence(folder: Path, student: str, names: str, code: int, why: str) -> None:
    with pytest.raises(Refusal, match=why) as refusal:
        exam(str(folder / "exam.toml"), student, "", students=names and str(folder / names))
    assert refusal.value.code == code
