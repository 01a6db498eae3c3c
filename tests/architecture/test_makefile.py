"""`make install` recovers from whatever its last try left, and says at once which Python it needs.

A stand-in is the Python: a script that answers like another version, and makes environments with or without a pip.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REAL

ROOT = Path(__file__).parents[2]
INSTALLED = Path(".venv/.installed")
PYTHON = """\
#!/bin/sh
'exec' "{python}" "$0" "$@"
import os, pathlib, sys
sys.version_info, sys.version, sys.base_prefix, sys.executable = {version}, "{version}", "{prefix}", __file__
if sys.argv[1] == "-c":
    if "import pip" in sys.argv[2]:
        sys.exit(0 if pathlib.Path(__file__).with_name("pip").exists() else 1)
    exec(sys.argv[2])
elif sys.argv[1:3] == ["-m", "venv"]:
    folder = pathlib.Path(sys.argv[-1], "bin")
    if "--clear" in sys.argv:
        os.system(f"rm -rf {{folder.parent}}")
    folder.mkdir(parents=True, exist_ok=True)
    here = pathlib.Path(__file__)
    (folder / "python").write_text(here.read_text())
    (folder / "python").chmod(0o755)
    if not here.with_name("pip").exists():
        sys.exit("install the python3-venv package")
    (folder / "pip").touch()
elif sys.argv[1:3] == ["-m", "pip"]:
    if not pathlib.Path(__file__).with_name("pip").exists():
        sys.exit("No module named pip")
    with open("installs", "a") as log:
        log.write("{prefix}\\n")
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the Makefile and what it reads."""
    folder = tmp_path / "a clone"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def python(clone: Path, name: str, version: tuple[int, ...] = (3, 12, 1), *, pip: bool = True) -> None:
    """Put a stand-in in a folder of its own on the PATH of `make`."""
    folder = clone.parent / "bin" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(PYTHON.format(python=sys.executable, version=version, prefix=folder))
    (folder / name).chmod(0o755)
    if pip:
        (folder / "pip").touch()


def make(clone: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, (clone.parent / "bin").iterdir()), "/usr/bin", "/bin"])
    return subprocess.run(
        ["make", *words], cwd=clone, env={"PATH": path}, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


def installs(clone: Path) -> list[str]:
    """The Python of each time that pip was called."""
    log = clone / "installs"
    return [Path(line).name for line in log.read_text().splitlines()] if log.exists() else []


def test_an_environment_without_pip_is_made_anew(clone: Path) -> None:
    """A Debian without python3-venv left one, and no later `make` got past it."""
    python(clone, "python3", pip=False)
    first = make(clone, "install")
    assert first.returncode, first.stdout
    assert "python3-venv" in first.stderr, first.stderr
    assert (clone / ".venv/bin/python").exists(), "half made"
    again = make(clone, "install")
    assert "python3-venv" in again.stderr, "the same answer, not another one"
    python(clone, "python3")
    assert make(clone, "install").returncode == 0
    assert (clone / INSTALLED).exists()


def test_what_works_is_kept(clone: Path) -> None:
    python(clone, "python3")
    make(clone, "install")
    assert make(clone, "install").stdout == ""
    assert installs(clone) == ["python3"]
    (clone / ".venv/.python").unlink()  # made by hand, or before this file was there
    (clone / ".venv/kept").touch()
    make(clone, "install")
    assert (clone / ".venv/kept").exists()


def test_an_older_python_is_told_in_one_sentence_before_anything_is_made(clone: Path) -> None:
    python(clone, "python3", (3, 10, 13))
    refused = make(clone, "run")
    sentence = refused.stderr.splitlines()[0]
    assert "needs Python 3.11 or newer; found 3.10 at " in sentence
    assert sentence.endswith("make run PYTHON=python3.12")
    assert refused.returncode, refused.stdout
    assert not (clone / ".venv").exists()
    assert "needs Python 3.11 or newer; there is no python3.99" in make(clone, "install", "PYTHON=python3.99").stderr


def test_another_python_makes_the_environment_anew_and_is_remembered(clone: Path) -> None:
    python(clone, "python3", (3, 11, 2))
    python(clone, "python3.12")
    make(clone, "install")
    make(clone, "install", "PYTHON=python3.12")
    assert installs(clone) == ["python3", "python3.12"]
    make(clone, "install")
    make(clone, "install", "PYTHON=python3.12")
    assert installs(clone) == ["python3", "python3.12"], "nobody asked for another one"
    python(clone, "python3", (3, 10, 13))
    assert make(clone, "install").returncode == 0, "what stands there works"


def test_an_older_python_takes_nothing_away(clone: Path) -> None:
    python(clone, "python3")
    python(clone, "python3.10", (3, 10, 13))
    make(clone, "install")
    assert make(clone, "install", "PYTHON=python3.10").returncode
    assert (clone / INSTALLED).exists()


def test_an_environment_of_a_clone_that_has_moved_is_made_anew(clone: Path) -> None:
    """Its scripts name the folder where they were made."""
    python(clone, "python3")
    make(clone, "install")
    moved = clone.rename(clone.with_name("moved"))
    assert make(moved, "install").returncode == 0
    assert installs(moved) == ["python3", "python3"]


def test_what_runs_something_real_is_where_make_looks_for_it() -> None:
    """Whoever runs those tests names their folders: to look through all tests takes half a minute of each process."""
    rules = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    folders = re.findall(r"^REAL_IN := (.*)", rules, re.M)[0].split()
    marked = re.compile(rf"pytest\.mark\.({'|'.join(REAL)})\b")
    real = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py") if marked.search(path.read_text("utf-8"))]
    assert real and [path for path in real if not any(path.is_relative_to(folder) for folder in folders)] == []
