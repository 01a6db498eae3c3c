"""Writes grades in the forms that a course reads: a table of our own, and what teaching platforms take."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from workbench.submissions.marks import Graded, Mark
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, Refusal

COLUMNS = ("learner", "file", "part", "points", "of", "verdict", "why", "answers", "note")
OK, LOOK = "ok", "look"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins so for a formula."""
CLASSROOM_50 = {
    "classroom": "CLASSROOM", "assignment": "ASSIGNMENT", "owner": "OWNER", "assignment_type": "ASSIGNMENT_TYPE",
    "submission": "SUBMISSION_TAG", "commit": "COMMIT_URL", "release": "RELEASE_URL", "review": "REVIEW_URL",
}  # fmt: skip
"""Field of a result to the variable of its environment."""


def grades_csv(graded: Sequence[Graded]) -> str:
    """One row for each part of each file; a file that is worth nothing has one row, with the reason."""
    rows: list[list[object]] = [list(COLUMNS)]
    for one in graded:
        for mark in one.marks or (Mark(part="", points=0, points_max=0),):
            why = "; ".join((*one.against, *mark.against))
            answers = " ".join(f"{answer.question}={answer.answer}" for answer in mark.answers)
            row = one.learner, one.file, mark.part, mark.points, mark.points_max, LOOK if why else OK, why
            rows.append([*row, answers, mark.note])
    return _csv(rows)


def canvas_csv(graded: Sequence[Graded]) -> str:
    """For the import of Canvas' gradebook, which finds a learner by the SIS login."""
    totals, points_max = _totals(graded)
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "KRaft Workbench"]
    rows = [[learner, "", "", learner, "", points] for learner, (points, _) in totals.items()]
    return _csv([head, ["Points Possible", "", "", "", "", points_max], *rows])


def moodle_csv(graded: Sequence[Graded]) -> str:
    """For the import of Moodle's gradebook, where one says which column is what; feedback replaces what was there."""
    totals, points_max = _totals(graded)
    head = ["learner", f"grade of {points_max}", "feedback"]
    return _csv([head, *([learner, points, feedback] for learner, (points, feedback) in totals.items())])


def gradescope_json(graded: Sequence[Graded]) -> str:
    """results.json of an autograder of Gradescope."""
    one = _only(graded)
    tests = [
        {"name": mark.part, "score": mark.points, "max_score": mark.points_max, "output": _feedback(mark)}
        for mark in one.marks
    ]
    return _json({"score": one.points, "output": "\n".join(one.against), "tests": tests})


def prairielearn_json(graded: Sequence[Graded]) -> str:
    """results.json of an external grader of PrairieLearn; the score goes from 0 to 1."""
    one = _only(graded)
    if not one.marks:
        return _json({"gradable": False, "format_errors": list(one.against)})
    tests = [
        {"name": mark.part, "points": mark.points, "max_points": mark.points_max, "message": _feedback(mark)}
        for mark in one.marks
    ]
    score = one.points / one.points_max if one.points_max else 0.0
    return _json({"gradable": True, "score": score, "message": "\n".join(one.against), "tests": tests})


def classroom50_json(graded: Sequence[Graded]) -> str:
    """result.json of an autograder of Classroom 50, whose runner says in its environment whose work this is."""
    one = _only(graded)
    missing = sorted(name for name in CLASSROOM_50.values() if not os.environ.get(name))
    if missing:
        raise Refusal(ENVIRONMENT, f"classroom50: {', '.join(missing)} not set; the runner of Classroom 50 sets them")
    tests = [
        {"test-name": mark.part, "passed": mark.points == mark.points_max, "score": mark.points,
         "max-score": mark.points_max, "output": _feedback(mark)}
        for mark in one.marks
    ]  # fmt: skip
    about = {field: os.environ[name] for field, name in CLASSROOM_50.items()}
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return _json(
        {"schema": "classroom50/result/v1", **about, "datetime": when, "score": one.points, "max-score": one.points_max,
         "tests": tests}
    )  # fmt: skip


class Form(NamedTuple):
    """One form that grades are written in."""

    file: str
    """Its usual name."""
    text: Callable[[Sequence[Graded]], str]


FORMS: Mapping[str, Form] = {
    "csv": Form("grades.csv", grades_csv),
    "canvas": Form("canvas.csv", canvas_csv),
    "moodle": Form("moodle.csv", moodle_csv),
    "gradescope": Form("results.json", gradescope_json),
    "prairielearn": Form("results.json", prairielearn_json),
    "classroom50": Form("result.json", classroom50_json),
}


def _totals(graded: Sequence[Graded]) -> tuple[dict[str, tuple[int, str]], int]:
    """Learner to points and feedback; of a part that was handed in twice the better one counts. And what all parts
    that anybody handed in are worth."""
    marks: dict[str, dict[str, Mark]] = {}
    possible: dict[str, int] = {}
    reasons: dict[str, list[str]] = {}
    for one in graded:
        own = marks.setdefault(one.learner, {})
        reasons.setdefault(one.learner, []).extend(one.reasons)
        for mark in one.marks:
            possible[mark.part] = max(mark.points_max, possible.get(mark.part, 0))
            own[mark.part] = max(mark, own.get(mark.part, mark), key=lambda each: each.points)
    totals = {
        learner: (
            sum(mark.points for mark in own.values()),
            "; ".join(
                [*(f"{mark.part}: {mark.points} of {mark.points_max}" for mark in own.values()), *reasons[learner]]
            ),
        )
        for learner, own in marks.items()
    }
    return totals, sum(possible.values())


def _only(graded: Sequence[Graded]) -> Graded:
    if len(graded) != 1:
        raise Refusal(BAD_DATA, f"{len(graded)} submissions: this form is the result of one; give its own folder")
    return graded[0]


def _feedback(mark: Mark) -> str:
    """What a learner may read: which answers were right, not which would have been."""
    lines = [
        f"{answer.question}: {'right' if answer.answer == answer.right else 'not right'}" for answer in mark.answers
    ]
    return "\n".join([*lines, *mark.against, *([mark.note] if mark.note else [])])


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1) + "\n"


def _csv(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
