"""What is handed in is the newest of each; what cannot be graded is refused where the learner still can mend it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.worlds.handed_in import handed_in
from tests.support.worlds.shared_runs import plain_run, watched_lesson
from workbench.challenges.best import keep
from workbench.challenges.grade import Grade
from workbench.course.content import RIGHT
from workbench.course.library import find_lesson
from workbench.course.progress import record_answer
from workbench.session.sharing.shared_run import shared_in
from workbench.submissions.collecting import challenge_part, lesson_part, quiz_part
from workbench.submissions.form import LessonPart, read_submission
from workbench.support.refusal import Refusal
from workbench.support.state_files import write_state

SOLVED = Grade(solved=True, what="it was", commands=1, time_ms=3, text="kill 1\n")


def test_the_newest_answers_come_with_their_runs_alone(tmp_path: Path) -> None:
    lesson, home = find_lesson("1"), tmp_path / "home-ada"
    asyncio.run(watched_lesson(home, "1", seed=1))
    part = read_submission(handed_in(tmp_path, "ada", "1", seed=9, wrong=0)).parts[0]
    assert isinstance(part, LessonPart)
    assert part.answers == {question.id: RIGHT for _, question in lesson.questions}
    texts = [text for text in part.runs if isinstance(text, str)]
    assert len(texts) == len(part.runs) and all(shared_in(text).seed >= 9 for text in texts)


def test_without_an_answer_there_is_nothing_to_hand_in(tmp_path: Path) -> None:
    plain_run(tmp_path, find_lesson("2").title)
    with pytest.raises(Refusal, match="no run of lesson 2 has an answer"):
        lesson_part(find_lesson("2"), tmp_path)


def test_an_answer_that_no_run_tells_is_handed_in_and_found_out_later(tmp_path: Path) -> None:
    record_answer(plain_run(tmp_path, find_lesson("2").title), "silent", RIGHT, RIGHT)
    assert lesson_part(find_lesson("2"), tmp_path).answers == {"silent": RIGHT}


def test_a_solution_is_handed_in_as_it_was_graded(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="no solution is kept"):
        challenge_part(4, tmp_path)
    keep(4, SOLVED, 3, "simulated", tmp_path)
    part = challenge_part(4, tmp_path)
    assert (part.number, part.seed, part.solution) == (4, 3, "kill 1\n")
    (tmp_path / "challenges" / "04.txt").write_text("another")
    with pytest.raises(Refusal, match="changed after it was graded"):
        challenge_part(4, tmp_path)
    keep(5, replace(SOLVED), 0, "processes", tmp_path)
    with pytest.raises(Refusal, match="without --real"):
        challenge_part(5, tmp_path)


def test_the_quiz_is_handed_in_as_far_as_it_is_answered(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="nothing is answered yet"):
        quiz_part(tmp_path)
    write_state(tmp_path / "quiz.json", {"before": {"01": "right"}})
    assert quiz_part(tmp_path).before == {"01": "right"}
