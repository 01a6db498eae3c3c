"""What `sql` and `tables` refuse before Spark is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("sql", " "), 2, "an empty question"),
        (("sql", "select 1", "--format", "xml"), 2, "--format: 'xml'; there are csv, json"),
        (("sql", "select 1", "--master", "sc://here:1"), 2, "Spark Connect is not supported"),
        (("sql", "select 1", "nosuch"), 4, "no such run"),
        (("sql", "select 1"), 4, "no run was analysed yet"),
        (("tables", "nosuch"), 2, "no table 'nosuch' and no such event; there are runs,"),
    ],
)
def test_a_mistake_is_told_in_one_line(words: tuple[str, ...], code: int, told: str, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    more = ("--data-dir", str(tmp_path)) if words[0] == "sql" else ()
    command = [sys.executable, "-c", "from workbench.cli.app import main; main()", *words, *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr and done.stderr.count("\n") == 1
