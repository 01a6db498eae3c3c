"""The first missions by their keys, on living clusters."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.screens.terminals import Tmux
from workbench.course.progress import finished_missions

pytestmark = [
    pytest.mark.screens,
    pytest.mark.processes,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux"),
]


def test_two_missions_are_done_by_the_keys_that_they_name(tmp_path: Path, opened: list[Tmux]) -> None:
    home = tmp_path / "home"
    code = (
        "from workbench.runs.wanted import Wanted; from workbench.tui.launch import open_free_lab; "
        f"open_free_lab(Wanted(data_dir={str(home)!r}))"
    )
    state = {"WORKBENCH_HOME": str(tmp_path / "state"), "WORKBENCH_LOAD": "2"}
    opened.append(Tmux(tmp_path, code, 200, 50, state))
    terminal = opened[0]
    terminal.wait_for("1 Missions", "0 of 8 done", "Press w to write one", "orders-0", "LIVE")
    terminal.keys("w")
    terminal.wait_for("1 of 8 done", "Follow one record to all replicas", "Press k")
    terminal.keys("k")
    # The two that are left may split their first vote, which is a mission of its own: three are done then.
    terminal.wait_for("✓ Kill the leader of the quorum", "is dead", "wins, 2 of 3 votes")
    assert {"follow-record", "kill-leader"} <= set(finished_missions(tmp_path / "state"))
    terminal.keys("q")
    terminal.keys("q")
    terminal.wait_for("the run is recorded", "EXIT 0")
