"""What the command line must not drag in."""

from __future__ import annotations

import subprocess
import sys


def test_the_command_line_starts_without_the_screen() -> None:
    code = "import sys, workbench.cli.app; print([m for m in ('textual', 'pyspark') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
