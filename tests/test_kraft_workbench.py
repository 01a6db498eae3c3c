"""Another package of the same name is told by its path, before anything of it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

START = "import sys; sys.argv = ['workbench', 'runs']; from kraft_workbench import main; main()"


def started(*python: str, place: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the command says with `place` named by PYTHONPATH, in a working folder."""
    environment = os.environ | {"PYTHONPATH": str(place), "WORKBENCH_HOME": str(folder / "home")}
    command = [sys.executable, *python]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=60)


@pytest.mark.parametrize("name", ["cluster", "workbench", "judges"])
def test_another_package_of_our_name_is_told_by_its_path(tmp_path: Path, name: str) -> None:
    foreign = tmp_path / name / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("print('it ran')\n")
    done = started("-c", START, place=tmp_path, folder=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    (sentence,) = done.stderr.splitlines()
    assert f"the module {name} is taken from {foreign}" in sentence
    assert "PYTHONPATH" in sentence


def test_a_module_of_our_name_where_one_stands_is_told_too(tmp_path: Path) -> None:
    (tmp_path / "cluster.py").write_text("print('it ran')\n")
    elsewhere = tmp_path / "elsewhere"
    done = started("-m", "workbench", "runs", place=elsewhere, folder=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"the module cluster is taken from {tmp_path / 'cluster.py'}" in done.stderr


def test_a_folder_without_a_package_in_it_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "cluster").mkdir()
    assert started("-m", "workbench", "runs", place=tmp_path, folder=tmp_path).returncode == 0
