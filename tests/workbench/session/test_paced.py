"""Whether the time of a lab is virtual is asked without loading a simulation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from workbench.session.pace import Pace
from workbench.session.paced import paced
from workbench.session.paced_lab import PacedLab

ASKED = """
import sys
from workbench.session.paced import paced
print(paced(object()), "cluster.simulation" in sys.modules)
"""


def test_only_a_lab_of_virtual_time_is_one() -> None:
    assert paced(None) is None and paced(Path()) is None and paced(Pace()) is None
    lab = object.__new__(PacedLab)
    assert paced(lab) is lab


def test_to_ask_loads_no_simulation() -> None:
    told = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["None", "False"]
