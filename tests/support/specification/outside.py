"""What a judge from outside needs; a test that has it not is skipped, with the reason."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from cluster.model.entry import Entry
from cluster.trace.reader import read_all
from judges.specification.sources import NAMES, tools_for
from judges.specification.tlc import Tools
from workbench.runs.played import played
from workbench.support.refusal import Refusal

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def tools(name: str) -> Tools:
    """Of the specification of that name."""
    try:
        return tools_for(NAMES[name], None, None)
    except Refusal as refusal:
        pytest.skip(str(refusal))


@cache
def entries_of(scenario: str, seed: int = 0) -> tuple[Entry, ...]:
    """Of its first run, in simulation."""
    home = Path(mkdtemp(prefix="workbench-judges-"))
    return tuple(read_all(played(SCENARIOS / f"{scenario}.txt", home, scenario, seed)[0] / "trace"))
