"""What an attempt may take."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds.mission_world import after

LOSS: tuple[str | float, ...] = ("partition 1|2,3", 1.0, "kill 1", 4.0)


def test_a_second_fault_is_one_too_many_until_all_is_healed(tmp_path: Path) -> None:
    board = after(tmp_path, "pause 3", "isolate {led}", 4.0)
    assert "cut-leader" not in board.results
    (tmp_path / "again").mkdir()
    again = after(tmp_path / "again", "pause 3", "isolate {led}", 4.0, "heal", 2.0, "isolate {led}", 4.0)
    assert again.results["cut-leader"] == "1 fault"


def test_a_fourth_fault_makes_a_loss_too_dear(tmp_path: Path) -> None:
    board = after(tmp_path, "load 10 acks=1", 1.0, "pause {a}", "delay 1-2 1ms", *LOSS)
    mission = next(mission for mission in board.missions if mission.name == "lose-record")
    assert "lose-record" not in board.results
    assert mission.too_much == "that took 4 faults, 3 may be used"
