"""`workbench quiz`: twelve questions before the course and after it, and what came of them."""

from __future__ import annotations

from pathlib import Path

from workbench.challenges.quiz.asking import ask, tell
from workbench.challenges.quiz.questions import items
from workbench.challenges.quiz.results import TIMES, answers_of, as_csv, class_answers
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text


def quiz(when: str, class_folder: str | None, *, as_table: bool) -> int:
    """Ask, or tell how far one is, or print the table of a learner or a class. Returns the exit code."""
    if as_table or class_folder is not None:
        print(as_csv(items(), _learners(class_folder)), end="")
    elif not when:
        tell()
    elif when in TIMES:
        ask(when)
    else:
        raise Refusal(USAGE, f"quiz: '{safe_text(when, 40)}'; say before or after the course: workbench quiz before")
    return 0


def _learners(class_folder: str | None) -> list[dict[str, dict[str, str]]]:
    if class_folder is None:
        return [answers_of()]
    answers = class_answers(Path(class_folder))
    if not answers:
        name = safe_text(class_folder, 200)
        raise Refusal(BAD_DATA, f"quiz: '{name}' has no folder with a quiz.json; each learner's state folder has one")
    return answers
