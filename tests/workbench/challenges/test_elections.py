from __future__ import annotations

from pathlib import Path

from tests.support.challenges.graded import graded

SEVEN = "101>103,101>104,101>105,102>103,102>104,102>105,103>105"


def test_seven_one_way_cuts_leave_somebody_a_majority(tmp_path: Path) -> None:
    grade = graded(tmp_path, 4, f"wait leader of quorum\ncut {SEVEN}\nkeep node 101 running for 25s\n")
    assert not grade.solved and grade.cost == 7


def test_a_leader_that_is_killed_is_not_cut_off(tmp_path: Path) -> None:
    grade = graded(tmp_path, 4, "wait leader of quorum\nkill 101\nkill 102\nkill 103\nkeep node 104 running for 25s\n")
    assert not grade.solved and "only cuts" in grade.what


def test_leaders_of_different_epochs_are_no_two_leaders_of_one(tmp_path: Path) -> None:
    grade = graded(tmp_path, 3, "wait leader of quorum\nisolate controller\nexpect event raft.leader_elected\n")
    assert not grade.solved
