"""What has become of a run, told from its facts, its lock and its processes: one answer for every list of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import is_alive
from workbench.runs.orphans import complaint

RunState: TypeAlias = Literal["up", "lab is gone", "closing", "ended", "ended abruptly"]


def state_of(folder: Path, facts: RunFacts) -> RunState:
    """up: it takes commands. lab is gone: some of its nodes are not. closing: its end is written, its lab still goes.

    ended abruptly: nobody ended it on purpose. Processes come before facts: what is alive has not ended yet.
    """
    if is_alive(folder):
        if complaint(folder):
            return "lab is gone"
        return "closing" if facts.state in ("ended", "abandoned") else "up"
    return "ended" if facts.state == "ended" else "ended abruptly"
