from __future__ import annotations

from pathlib import Path

from workbench.challenges.best import best_of, best_said, edited, keep, kept_solution, score_said
from workbench.challenges.catalogue import CHALLENGES
from workbench.challenges.grade import Grade


def solved(commands: int, text: str = "kill 1\n") -> Grade:
    return Grade(solved=True, what="so", commands=commands, time_ms=1500, text=text)


def test_the_best_is_kept_with_its_solution(tmp_path: Path) -> None:
    assert keep(2, solved(4), 0, "simulated", tmp_path)
    assert not keep(2, solved(5), 0, "simulated", tmp_path)
    assert keep(2, solved(3, "kill 2\n"), 7, "simulated", tmp_path)
    best = best_of(2, tmp_path)
    assert best is not None and (best.score, best.seed) == ((0, 3, 1500), 7)
    assert kept_solution(2, tmp_path).read_text() == "kill 2\n"
    assert best_said(CHALLENGES[1], tmp_path) == "3 commands, 1.5 s"


def test_a_score_says_what_counts_in_its_challenge() -> None:
    cut = Grade(solved=True, what="", cost=8, commands=1, time_ms=20_835)
    assert score_said(cut) == "8, then 1 command, 20.8 s"
    assert score_said(Grade(solved=True, what="", cost=29_625, commands=0)) == "29.6 s refused"


def test_what_is_not_solved_is_not_kept(tmp_path: Path) -> None:
    assert not keep(2, Grade(solved=False, what="no", commands=1), 0, "simulated", tmp_path)
    assert best_of(2, tmp_path) is None and best_said(CHALLENGES[1], tmp_path) == ""


def test_a_kept_solution_that_was_edited_is_named_and_can_be_handed_in_anew(tmp_path: Path) -> None:
    keep(2, solved(1), 0, "simulated", tmp_path)
    kept_solution(2, tmp_path).write_text("kill 3\n")
    assert "02.txt was changed after it was graded" in edited(2, tmp_path)
    assert best_said(CHALLENGES[1], tmp_path) == "changed since it was graded"
    assert keep(2, solved(9), 0, "simulated", tmp_path) and not edited(2, tmp_path)
