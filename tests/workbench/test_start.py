"""The first step of the console command: ctrl-C while the modules load."""

from __future__ import annotations

import subprocess
import sys

INTERRUPTED_WHILE_LOADING = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "workbench.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
signal.signal(signal.SIGINT, signal.default_int_handler)
from workbench.start import main
main()
"""


def test_ctrl_c_while_the_modules_load_ends_quietly() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED_WHILE_LOADING], capture_output=True, timeout=30)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")
