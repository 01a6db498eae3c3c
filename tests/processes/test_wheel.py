"""What is installed plays lesson 1 and prints it, in an empty folder, with nothing of the clone in reach."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes
ROOT = Path(__file__).parents[2]
START = "from kraft_workbench import main; main()"


def test_a_wheel_plays_lesson_1_from_an_empty_folder(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip"]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-deps"]
    built = subprocess.run(
        [*pip, "wheel", *quiet, "-w", str(tmp_path / "dist"), str(ROOT)], capture_output=True, text=True, check=False
    )
    if built.returncode:
        pytest.skip(f"pip cannot bring what builds the wheel: {built.stderr.strip().splitlines()[-1][:200]}")
    (wheel,) = (tmp_path / "dist").glob("kraft_workbench-*.whl")
    subprocess.run([*pip, "install", *quiet, "--target", str(tmp_path / "installed"), str(wheel)], check=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path / "installed"), "WORKBENCH_HOME": str(tmp_path / "home"),
    }  # fmt: skip

    def workbench(*words: str) -> str:
        command = [sys.executable, "-P", "-c", START, *words]
        done = subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = "import workbench; print(workbench.__file__)"
    found = subprocess.run(
        [sys.executable, "-P", "-c", where], cwd=empty, env=environment, capture_output=True, text=True
    )
    assert found.stdout.startswith(str(tmp_path / "installed")), "else the clone is tested"
    assert workbench("play", "1", "--simulated").splitlines()[-1] == "1 lesson passed, 0 failed"
    assert workbench("handout", "1") == "lesson-01.html\n" and (empty / "lesson-01.html").stat().st_size > 50_000
