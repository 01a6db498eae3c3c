"""All missions beside a run, and what is kept of them."""

from __future__ import annotations

from pathlib import Path

from tests.support.traces.watched import Watched
from tests.support.worlds.mission_world import after
from workbench.session.missions.board import MISSIONS, Board
from workbench.session.recording import Recording


def test_what_was_done_before_stays_done(tmp_path: Path) -> None:
    first = after(tmp_path, "kill {led}", 3.0)
    again = Board(tmp_path / "progress")
    assert again.results == first.results and again.done_count == 1
    assert again.current is not None and again.current.name == MISSIONS[0].name


def test_nothing_is_ticked_that_is_not_shown_yet(tmp_path: Path) -> None:
    world = Watched(seed=3, controllers=3, brokers=3)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.run_until(lambda: False, 1.0)
    recording, board = Recording(), Board(tmp_path)
    recording.extend(world.entries)
    board.follow(recording)
    shown = len(world.entries)
    world.do("kill controller")
    world.run_until(lambda: False, 10.0)
    recording.extend(world.entries[shown:])
    recording.seek(shown + 1)
    board.follow(recording, shown + 1)
    assert "kill-leader" not in board.results
    recording.go_live()
    board.follow(recording)
    assert "kill-leader" in board.results


def test_every_mission_has_a_name_of_its_own_and_words_for_each_step(tmp_path: Path) -> None:
    board = Board(tmp_path)
    assert len({mission.name for mission in board.missions}) == len(board.missions) == 8
    assert all(step.text for mission in board.missions for step in mission.progress())
