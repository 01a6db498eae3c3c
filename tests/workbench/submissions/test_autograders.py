"""The folders to start from run as they are, in a place of our own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.submissions.form import QuizPart, write_submission

FOLDER = Path(__file__).parents[3] / "docs" / "teaching" / "autograders"


@pytest.mark.parametrize(
    ("script", "place", "score"),
    [("gradescope/run_autograder", "submission", 1), ("prairielearn/tests/run.sh", "student", 1 / 12)],
)
def test_an_autograder_writes_its_result(tmp_path: Path, script: str, place: str, score: float) -> None:
    (tmp_path / place).mkdir()
    write_submission(str(tmp_path / place / "a.json"), "ada", (QuizPart(before={"01": "right"}, after={}),))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"BASE": str(tmp_path), "PATH": path}
    done = subprocess.run([FOLDER / script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "results" / "results.json").read_text())["score"] == pytest.approx(score)


def test_nothing_to_grade_is_a_failure_of_the_autograder(tmp_path: Path) -> None:
    (tmp_path / "submission").mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    script = FOLDER / "gradescope" / "run_autograder"
    environment = os.environ | {"BASE": str(tmp_path), "PATH": path}
    assert subprocess.run([script], env=environment, capture_output=True, check=False).returncode == 1
