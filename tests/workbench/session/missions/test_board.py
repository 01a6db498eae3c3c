"""All missions beside a run, and what is kept of them."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds.mission_world import after
from workbench.session.missions.board import MISSIONS, Board


def test_what_was_done_before_stays_done(tmp_path: Path) -> None:
    first = after(tmp_path, "kill {led}", 3.0)
    again = Board(tmp_path / "progress")
    assert again.results == first.results and again.done_count == 1
    assert again.current is not None and again.current.name == MISSIONS[0].name


def test_every_mission_has_a_name_of_its_own_and_words_for_each_step(tmp_path: Path) -> None:
    board = Board(tmp_path)
    assert len({mission.name for mission in board.missions}) == len(board.missions) == 8
    assert all(step.text for mission in board.missions for step in mission.progress())
