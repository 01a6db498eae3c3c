"""A module that PYTHONPATH puts before an installed one is named, where it does not serve."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BROKEN = "raise ImportError('made for another Python')\n"


@pytest.mark.parametrize(("name", "text"), [("typer", ""), ("typer", BROKEN), ("platformdirs", BROKEN)])
def test_a_foreign_module_that_does_not_serve_is_told_by_its_path(tmp_path: Path, name: str, text: str) -> None:
    """While the command line loads, and later."""
    foreign = tmp_path / f"{name}.py"
    foreign.write_text(text)
    (tmp_path / "sitecustomize.py").touch()
    environment = {item: value for item, value in os.environ.items() if item != "WORKBENCH_HOME"}
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "runs"],
        capture_output=True, text=True, timeout=60,
        env=environment | {"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    (sentence,) = done.stderr.splitlines()
    assert f"the module {name} is taken from {foreign}" in sentence
    assert "PYTHONPATH" in sentence
    assert "sitecustomize" not in sentence, "it hides nothing of ours"


def test_without_a_foreign_module_it_is_a_bug_of_ours(tmp_path: Path) -> None:
    (tmp_path / "colours.py").write_text("import sys; sys.modules['platformdirs'] = None\n")
    code = "import colours; from workbench.cli.start import main; import sys; sys.argv[1:] = ['runs']; main()"
    environment = {item: value for item, value in os.environ.items() if item != "WORKBENCH_HOME"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=60,
        env=environment | {"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 7
    assert "a bug of ours" in done.stderr
