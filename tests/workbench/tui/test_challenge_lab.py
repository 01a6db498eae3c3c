"""A challenge on the screen: its task where missions stand, judged while it is played."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cluster.runtime.run.folder import read_facts
from cluster.scenario.parse import parse_script
from tests.support.screens.screen_app import shows
from workbench.challenges.board import ChallengeBoard
from workbench.challenges.catalogue import CHALLENGES, HUNT
from workbench.challenges.hunt import next_of
from workbench.challenges.losses import LoseThree
from workbench.runs.sealed import OFF, TITLE, is_sealed
from workbench.session.beginning import Simulated, begin_field
from workbench.session.lesson.page import HUNT_PAGE, SIMULATED_LAB
from workbench.tui.challenge_lab import open_challenge, open_listed, title_of
from workbench.tui.settings import Settings
from workbench.tui.showing import app_of

FIELD = parse_script(LoseThree.fields[0])


async def test_the_task_stands_beside_the_cluster_and_is_ticked_off(tmp_path: Path) -> None:
    board = ChallengeBoard(LoseThree, tmp_path / "progress")
    app = app_of(begin_field(FIELD, "Challenge 2", 0, Simulated(), tmp_path), SIMULATED_LAB, Settings(), board)
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "1 Challenge 2", "Lose exactly three", "0 of 1 done", "orders-0")
        assert app.ui.pace is not None
        app.ui.pace.set("0.1")  # the ISR must not shrink before the kill, however slow the machine is
        for command in ("partition 1|2,3", "produce orders 3 acks=1", "kill 1"):
            await pilot.press("colon")
            app.ui.line.insert(command)
            await pilot.press("enter")
            await pilot.pause(0.1)
        app.ui.pace.set("1")
        await shows(pilot, app, "1 of 1 done", "three of them are lost")
        await pilot.press("q")
    assert board.results == {"challenge-2": "3 lost"}


async def test_a_hunt_has_a_page_of_its_own_and_no_verdicts(tmp_path: Path) -> None:
    app = app_of(begin_field(FIELD, f"{TITLE}amber-0000", 0, Simulated(), tmp_path), HUNT_PAGE, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "One rule is wrong", "orders-0", "Bug hunt: amber-0000")
        await pilot.press("V")
        await shows(pilot, app, OFF, "0 events judged")
        await pilot.press("escape", "q")


def test_without_the_screen_a_challenge_is_told_line_by_line_and_its_run_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO("partition 1|2,3\nproduce orders 3 acks=1\nquit\n"))
    board = open_challenge(CHALLENGES[1], 0, tmp_path, Settings(plain=True))
    (folder,) = (tmp_path / "runs").iterdir()
    assert read_facts(folder).title == title_of(CHALLENGES[1]) and board.results == {}
    assert "seed 0; the run is recorded: workbench replay" in capsys.readouterr().out


def test_the_hunt_opens_a_sealed_cluster_and_the_bug_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO("verdicts\nquit\n"))
    bug = next_of(1, tmp_path).bug
    before = [place.__dict__[name] for place, name, _ in bug.patches]
    open_listed(HUNT, tmp_path, Settings(plain=True))
    (folder,) = (tmp_path / "runs").iterdir()
    assert is_sealed(read_facts(folder).title)
    assert [place.__dict__[name] for place, name, _ in bug.patches] == before
