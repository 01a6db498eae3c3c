"""Which world a script is played in."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.refusal import Refusal
from workbench.runs.launch import WorldChoice


def test_real_processes_have_no_seed(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="--simulated"):
        WorldChoice(seed=3).launcher(tmp_path, 1.0)
