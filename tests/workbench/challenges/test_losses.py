from __future__ import annotations

from pathlib import Path

from tests.support.challenges.graded import graded

LOSS = "produce orders 1 acks={}\npower-loss 1\nstart 1\nexpect event part.became_leader on 1 topic=orders\n"


def test_what_the_leader_alone_acknowledged_is_not_what_all_have(tmp_path: Path) -> None:
    assert not graded(tmp_path, 1, LOSS.format("1")).solved


def test_a_second_fault_is_one_too_many(tmp_path: Path) -> None:
    grade = graded(tmp_path, 1, "pause 2\n" + LOSS.format("all"))
    assert not grade.solved and "2 faults" in grade.what


def test_a_fault_of_three_nodes_is_three_faults(tmp_path: Path) -> None:
    grade = graded(tmp_path, 1, LOSS.format("all").replace("power-loss 1", "power-loss 1,2,3"))
    assert not grade.solved and "3 nodes" in grade.what


def test_impossible_is_right_where_it_is_and_wrong_where_it_is_not(tmp_path: Path) -> None:
    assert graded(tmp_path, 1, "say impossible\n", seed=1).solved
    assert not graded(tmp_path, 1, "say impossible\n", seed=0).solved


def test_two_lost_are_not_three(tmp_path: Path) -> None:
    lines = "partition 1|2,3\nproduce orders {} acks=1\nkill 1\nexpect event part.became_leader on 2 topic=orders\n"
    assert graded(tmp_path, 2, lines.format(3)).solved
    assert not graded(tmp_path, 2, lines.format(2)).solved
