"""What the command line must not drag in."""

from __future__ import annotations

import subprocess
import sys

OWN_MODULES_MAX = 480
"""Of ours, with the screen and before a cluster."""


def test_the_command_line_starts_without_the_screen() -> None:
    code = "import sys, workbench.cli.app; print([m for m in ('textual', 'pyspark') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_screen_of_processes_loads_no_more_than_it_shows() -> None:
    """Each module is waited for before the first picture; what a key needs later is loaded by it."""
    code = "import sys, workbench.cli.app, workbench.tui.launch; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    own = [name for name in loaded if name.partition(".")[0] in ("cluster", "workbench")]
    later = ("cluster.simulation", "cluster.node", "cluster.replication", "workbench.analysis", "http.server")
    assert len(own) <= OWN_MODULES_MAX and not set(later) & set(loaded)
