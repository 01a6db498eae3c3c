"""Gathers what a learner has done: the newest answers to a lesson with their runs, solutions, the quiz."""

from __future__ import annotations

from pathlib import Path

from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import RunError, is_alive, read_facts
from cluster.simulation.world.cluster import WORLD
from workbench.challenges.best import best_of, edited, kept_solution
from workbench.challenges.learners_file import read_text
from workbench.challenges.quiz.results import answers_of as quiz_answers
from workbench.course.content import Lesson
from workbench.course.progress import answers_of
from workbench.session.sharing.shared_run import text_of
from workbench.session.sharing.text_of_run import shared_of
from workbench.submissions.form import ChallengePart, LessonPart, QuizPart, Recording, digest_of, pack
from workbench.support.platform import run_to_end
from workbench.support.refusal import BAD_DATA, BUSY, Refusal
from workbench.support.safe_text import safe_text


def lesson_part(lesson: Lesson, home: Path) -> LessonPart:
    """The newest answer to each question, and the runs that tell of them. Refusal without one, or while one goes on."""
    questions = [question.id for _, question in lesson.questions]
    answers: dict[str, str] = {}
    runs: dict[Path, RunFacts] = {}
    for folder, facts in _runs_of(lesson, home):
        given = answers_of(folder)
        for question in questions:
            if question in given and question not in answers:
                answers[question] = str(given[question].get("answer"))
                runs[folder] = facts
    if not runs:
        number = lesson.number.lstrip("0")
        raise Refusal(BAD_DATA, f"no run of lesson {number} has an answer; workbench learn {number} shows the lesson")
    handed_in = tuple(_run(folder, facts) for folder, facts in sorted(runs.items()))
    return LessonPart(lesson.name, digest_of(lesson), answers, handed_in)


def _runs_of(lesson: Lesson, home: Path) -> list[tuple[Path, RunFacts]]:
    """Newest first; the name of a run begins with its time."""
    runs = []
    for folder in sorted((home / "runs").glob("*"), reverse=True):
        try:
            facts = read_facts(folder)
        except RunError:
            continue
        if facts.title == lesson.title[:80]:
            runs.append((folder, facts))
    return runs


def _run(folder: Path, facts: RunFacts) -> str | Recording:
    if is_alive(folder):
        raise Refusal(BUSY, f"{safe_text(folder.name, 80)} is not over yet: leave its screen with q, then hand it in")
    if facts.world == WORLD:
        return text_of(run_to_end(shared_of(folder)))
    try:
        return pack(folder)
    except OSError as error:
        raise Refusal(BAD_DATA, f"{safe_text(folder.name, 80)}: {error.strerror}") from error


def challenge_part(number: int, folder: Path | None = None) -> ChallengePart:
    """The best solution that is kept. Refusal when there is none, or it was changed."""
    best = best_of(number, folder)
    if best is None or edited(number, folder):
        why = (
            safe_text(edited(number, folder), 300)
            or f"no solution is kept; workbench challenge {number} FILE grades one"
        )
        raise Refusal(BAD_DATA, f"challenge {number}: {why}")
    if best.world != WORLD:
        why = "it was solved on real processes; grade the same file without --real, then hand it in"
        raise Refusal(BAD_DATA, f"challenge {number}: {why}")
    return ChallengePart(number, best.seed, read_text(kept_solution(number, folder)))


def quiz_part(folder: Path | None = None) -> QuizPart:
    """All answers that are kept. Refusal when there are none."""
    answers = quiz_answers(folder)
    if not any(answers.values()):
        raise Refusal(BAD_DATA, "quiz: nothing is answered yet; workbench quiz before asks")
    return QuizPart(**answers)
