"""The leader of a living quorum is killed: what the cluster does in half a second is seen step by step."""

from __future__ import annotations

import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.screens.terminals import Tmux

pytestmark = [
    pytest.mark.screens,
    pytest.mark.processes,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux"),
]
MOMENT = re.compile(r"moment (\d+) of \d+: (.*)")
LEADS = re.compile(r"n10\d leads the quorum in e|n10\d leads e")
STEP_S, TO_LEADER_S = 0.6, 6.0
LATE_S = 0.25
"""By so much a frame may be seen later or earlier than it is due."""


def test_from_the_kill_to_the_new_leader_six_seconds_pass_and_votes_come_one_at_a_time(
    tmp_path: Path, opened: list[Tmux]
) -> None:
    home = tmp_path / "home"
    code = (
        "from workbench.runs.wanted import Wanted; from workbench.tui.launch import open_free_lab; "
        f"home = {str(home)!r}; import os; os.makedirs(home); open_free_lab(Wanted(data_dir=home))"
    )
    opened.append(Tmux(tmp_path, code, 160, 45, {"WORKBENCH_DIRECT": "on"}))
    terminal = opened[0]
    terminal.wait_for("LIVE", "orders-0", "6 of 6")
    terminal.keys(":kill controller", "Enter")
    terminal.wait_for("DIRECTED, the cluster is")
    begun_s = 0.0
    seen: dict[int, tuple[float, str]] = {}
    for now_s, shown in terminal.frames():
        begun_s = begun_s or now_s
        if found := MOMENT.search(shown):
            seen.setdefault(int(found[1]), (now_s, found[2]))
        if "DIRECTED" not in shown:
            break
    numbers = list(seen)
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] <= 2, "none is left out"
    led_s = next(now_s for now_s, text in seen.values() if LEADS.search(text))
    assert led_s - begun_s >= TO_LEADER_S - LATE_S
    votes = [(now_s, text) for now_s, text in seen.values() if "vote" in text and now_s <= led_s]
    assert len(votes) >= 4, "asked and answered, for a pre-vote and for a vote"
    assert all(later - earlier >= STEP_S - LATE_S for (earlier, _), (later, _) in pairwise(seen.values()))
    terminal.wait_for("LIVE", "5 of 6")
    terminal.keys("O")
    terminal.wait_for("DIRECTED, the cluster is", "You killed")
    terminal.keys("Space")
    terminal.wait_for("space play")
    terminal.keys("End")
    terminal.wait_for("LIVE")
    terminal.keys("q", "q")
    terminal.wait_for("EXIT 0")
