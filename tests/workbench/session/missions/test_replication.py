"""Missions about partitions and disks: done, and almost done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.mission_world import after, steps, ticks


def test_a_record_of_ones_own_is_followed_to_all_replicas(tmp_path: Path) -> None:
    board = after(tmp_path, "produce orders 1 acks=all", 0.5)
    assert board.results["follow-record"].endswith(" ms")
    assert steps(board, "follow-record")[2].text == "n1, n2 and n3 have it" or "n1" in board.results["follow-record"]


def test_the_records_of_the_load_follow_nobody(tmp_path: Path) -> None:
    board = after(tmp_path, "load 20", 2.0)
    assert "follow-record" not in board.results
    assert ticks(board, "follow-record") == [False, False, False]


def test_a_record_that_a_replica_lacks_is_not_on_all(tmp_path: Path) -> None:
    board = after(tmp_path, "pause 3", "produce orders 1 acks=1", 0.3)
    assert ticks(board, "follow-record") == [True, True, False]


def test_a_paused_follower_leaves_the_isr(tmp_path: Path) -> None:
    board = after(tmp_path, "load 2", 1.0, "pause 3", 4.0)
    assert board.results["leave-isr"] == "no kill"
    assert "ISR 3 to 2: n3 out" in [step.text for step in steps(board, "leave-isr")]


def test_a_leader_that_is_put_out_of_the_isr_was_no_follower(tmp_path: Path) -> None:
    """It counted, though the mission says follower and shows how one falls behind."""
    board = after(tmp_path, "load 2", 1.0, "pause 1", 4.0)
    assert "leave-isr" not in board.results


@pytest.mark.parametrize("fault", ["isolate 1", "pause 1", "partition 1|2,3,101,102,103"])
def test_those_who_outlive_a_leader_do_not_fall_behind(tmp_path: Path, fault: str) -> None:
    """The first step stood there ticked, for the leader itself or for those whom it no longer hears."""
    board = after(tmp_path, "load 2", 1.0, fault, 6.0)
    assert ticks(board, "leave-isr") == [False, False]


def test_a_follower_that_catches_up_again_is_not_behind_any_more(tmp_path: Path) -> None:
    late: tuple[str | float, ...] = ("load 2", 1.0, "cut 3>1", 5.0)
    assert [step.text for step in steps(after(tmp_path / "late", *late), "leave-isr")][0] == "n3 falls behind"
    assert ticks(after(tmp_path / "again", *late, "heal", 0.5), "leave-isr") == [False, False]


def test_a_follower_that_was_killed_left_the_isr_by_a_kill(tmp_path: Path) -> None:
    board = after(tmp_path, "kill 3", 4.0)
    assert "leave-isr" not in board.results
    mission = next(mission for mission in board.missions if mission.name == "leave-isr")
    assert mission.too_much == "a process was ended, and that may not be used"


def test_acks_all_is_refused_while_one_replica_is_in_sync(tmp_path: Path) -> None:
    board = after(tmp_path, "load 2", 1.0, "pause 2", "pause 3", 5.0)
    assert board.results["refuse-acks-all"] == "2 faults"


def test_acks_all_is_not_refused_while_two_are_in_sync(tmp_path: Path) -> None:
    board = after(tmp_path, "load 2", 1.0, "pause 3", 5.0)
    assert ticks(board, "refuse-acks-all") == [False, False]


LOSS: tuple[str | float, ...] = ("partition 1|2,3", 1.0, "kill 1", 4.0)


def test_records_that_the_leader_alone_acknowledged_are_lost(tmp_path: Path) -> None:
    still = after(tmp_path / "still", "load 10 acks=1", 1.0, *LOSS)
    assert "lose-record" not in still.results, "the one that was killed has them on its disk"
    board = after(tmp_path, "load 10 acks=1", 1.0, *LOSS, "heal", "start 1", 3.0)
    assert board.results["lose-record"] == "2 faults"
    assert "partition 1|2,3, kill 1" in [step.text for step in steps(board, "lose-record")]
    assert board.newest == "lose-record", "until the next attempt"


def test_with_acks_all_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    board = after(tmp_path, "load 10", 1.0, *LOSS)
    assert "lose-record" not in board.results
    assert ticks(board, "lose-record") == [False, False, False]


def test_a_disk_that_lied_loses_what_it_called_written(tmp_path: Path) -> None:
    board = after(tmp_path, "fsync lie {led}", 2.0, "power-loss {led}", 1.0)
    assert board.results["lying-disk"] == "2 faults"


def test_an_honest_disk_keeps_what_it_called_written(tmp_path: Path) -> None:
    board = after(tmp_path, "fsync lie {a}", 1.0, "power-loss {led}", 1.0)
    assert "lying-disk" not in board.results
    assert ticks(board, "lying-disk") == [True, False]
