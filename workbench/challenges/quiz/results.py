"""What was answered before and after, and how hard each question was for a class."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.challenges.quiz.questions import Item
from workbench.course.content import RIGHT, Option
from workbench.support.state_files import read_state, state_folder, write_state

FILE = "quiz.json"
TIMES = ("before", "after")
COLUMNS = (
    "question", "lesson", "text",
    *(f"{what}_{when}" for when in TIMES for what in ("answers", "right", "difficulty", "usual_wrong")),
)  # fmt: skip
Answers = dict[str, dict[str, str]]
"""before and after to what was answered: number of the lesson to the misconception, or right."""


def answers_of(folder: Path | None = None) -> Answers:
    """What is kept in a learner's state folder."""
    kept = read_state((folder or state_folder()) / FILE)
    return {when: _texts(kept.get(when)) for when in TIMES}


def _texts(kept: object) -> dict[str, str]:
    return (
        {str(name): answer for name, answer in kept.items() if isinstance(answer, str)}
        if isinstance(kept, dict)
        else {}
    )


def record(when: str, item: Item, option: Option, folder: Path | None = None) -> None:
    """Keep one answer."""
    answers = answers_of(folder)
    answers[when][item.id] = option.misconception or RIGHT
    write_state((folder or state_folder()) / FILE, dict(answers))


def is_right(item: Item, answer: str) -> bool:
    """Whether it is the option that holds in the recording: what was kept is not trusted."""
    return answer == (item.right.misconception or RIGHT)


def score(items: Sequence[Item], answers: Mapping[str, str]) -> int:
    """How many are right."""
    return sum(is_right(item, answers[item.id]) for item in items if item.id in answers)


def class_answers(folder: Path) -> list[Answers]:
    """Of every learner below a folder that has one for each."""
    return [answers_of(path.parent) for path in sorted(folder.glob(f"*/{FILE}"))]


def as_csv(items: Sequence[Item], learners: Sequence[Answers]) -> str:
    """One row a question. Its difficulty is the share of right answers, 0 to 1: low is hard."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for item in items:
        row: list[object] = [item.id, item.lesson.name, item.question.text]
        for when in TIMES:
            given = [answers[when][item.id] for answers in learners if item.id in answers[when]]
            right = sum(is_right(item, answer) for answer in given)
            wrong = Counter(answer for answer in given if not is_right(item, answer)).most_common(1)
            share = f"{right / len(given):.2f}" if given else ""
            row += [len(given), right, share, wrong[0][0] if wrong else ""]
        rows.writerow(row)
    return out.getvalue()
