"""Faults as deeds: who did what, in one sentence."""

from __future__ import annotations

from typing import Final

from cluster.faults.fault import UNTOLD, Deed
from cluster.faults.grammar import FAULTS
from cluster.faults.processes import DOWN, CrashPoint

BY_YOU: Final = "command by "
"""What the trigger of a command begins with; who typed it follows."""
ENDING: Final = tuple(kind.__name__ for kind in DOWN)
"""Faults that end a process: nothing heals them but a start."""
TRAP: Final = CrashPoint.__name__
"""The fault by which a process ends later, when it comes to a place."""


def deed_of(kind: str) -> Deed:
    """How a fault is told, by the kind that traces have; of one that is not known here the command alone."""
    return FAULTS[kind].deed if kind in FAULTS else UNTOLD


def is_lasting(kind: str) -> bool:
    """Whether a fault stays in force until it is healed: it neither ends a process nor is done at once."""
    return kind not in ENDING and (kind not in FAULTS or FAULTS[kind].lasts)
