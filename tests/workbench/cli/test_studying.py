"""The commands that study runs are there, and asking for their help loads nothing of Spark."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", ["analyse", "campaign", "sql", "tables"])
def test_the_help_of_a_command_is_there_without_spark(command: str) -> None:
    words = [sys.executable, "-X", "importtime", "-m", "workbench", command, "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and f" {command} " in done.stdout
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "workbench.cli.studying" in loaded and not loaded & {"pyspark", "pyarrow", "pandas", "textual"}
