from __future__ import annotations

from pathlib import Path

from tests.support.challenges.graded import graded


def test_a_step_that_does_not_hold_is_told_and_nothing_is_solved(tmp_path: Path) -> None:
    lines = "partition 1|2,3\nproduce orders 3 acks=1\nkill 1\nexpect event part.became_leader on 2 topic=orders\n"
    grade = graded(tmp_path, 2, f"{lines}expect leader orders-0 = 3 within 1s\n")
    assert not grade.solved and "line 7: expect leader orders-0 = 3" in grade.what


def test_a_score_is_cost_then_commands_then_time(tmp_path: Path) -> None:
    grade = graded(tmp_path, 1, "say impossible\n", seed=1)
    assert grade.score == (0, 0, 0) and not grade.runs


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    assert graded(tmp_path, 2, "kill 1\n").what == "this did not come about: records are acknowledged"
