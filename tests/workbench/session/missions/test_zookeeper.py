"""Missions in zookeeper mode: done, and almost done."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds.mission_world import after, steps, ticks
from workbench.session.missions.board import WITH_ZOOKEEPER


def test_none_of_them_asks_for_a_quorum(tmp_path: Path) -> None:
    board = after(tmp_path, 0.5, control="zookeeper")
    assert tuple(map(type, board.missions)) == WITH_ZOOKEEPER
    assert not any("quorum" in mission.title or "vote" in mission.title for mission in board.missions)


def test_the_controller_is_killed_and_another_takes_over(tmp_path: Path) -> None:
    board = after(tmp_path, "kill {led}", 5.0, control="zookeeper")
    assert board.results["kill-controller"].endswith(" s")
    told = [step.text for step in steps(board, "kill-controller")]
    assert "is dead" in told[0] and "session ends, after" in told[1] and "controller epoch 2" in told[2]


def test_a_dead_broker_is_no_dead_controller(tmp_path: Path) -> None:
    board = after(tmp_path, "kill {a}", 5.0, control="zookeeper")
    assert "kill-controller" not in board.results and ticks(board, "kill-controller") == [False, False, False]


def test_a_controller_that_stands_still_for_longer_than_its_session_is_one_of_two(tmp_path: Path) -> None:
    board = after(tmp_path, "pause {led}", 5.0, control="zookeeper")
    assert board.results["two-controllers"] == "1 fault"


def test_a_controller_that_wakes_within_its_session_stays_the_only_one(tmp_path: Path) -> None:
    board = after(tmp_path, "pause {led}", 0.5, "resume {led}", 5.0, control="zookeeper")
    assert "two-controllers" not in board.results and ticks(board, "two-controllers") == [False, False]


def test_a_race_without_a_fault_needs_a_tool(tmp_path: Path) -> None:
    board = after(tmp_path, "znode delete /controller", 1.0, control="zookeeper")
    assert board.results["race-again"] == "no fault"


def test_a_race_after_a_controller_has_stopped_is_none_of_those(tmp_path: Path) -> None:
    board = after(tmp_path, "stop {led}", 5.0, control="zookeeper")
    assert "race-again" not in board.results
