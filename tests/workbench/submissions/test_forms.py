"""Each form is what its platform says it reads."""

from __future__ import annotations

import csv
import io
import json

import pytest

from workbench.submissions.answers import Answer
from workbench.submissions.forms import CLASSROOM_50, FORMS
from workbench.submissions.marks import Graded, Mark
from workbench.support.refusal import ENVIRONMENT, Refusal


def mark(part: str, points: int, points_max: int, *against: str) -> Mark:
    answers = (Answer("silent", "right", "right", "right", True), Answer("quiet", "x-leads", "right", "right", True))
    return Mark(part=part, points=points, points_max=points_max, answers=answers, against=against)


ADA = Graded(file="ada.json", learner="ada", marks=(mark("lesson 2", 1, 2), mark("lesson 6", 0, 5)))
AGAIN = Graded(file="ada2.json", learner="ada", marks=(mark("lesson 2", 2, 2, "its seed was changed"),))
EVE = Graded(file="e.json", learner="=cmd()", against=("it is no submission",))
CLASS = (ADA, AGAIN, EVE)


def table(form: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(FORMS[form].text(CLASS))))


def test_the_table_has_a_row_for_each_part_and_no_formula() -> None:
    assert table("csv") == [
        ["learner", "file", "part", "points", "of", "verdict", "why", "answers", "note"],
        ["ada", "ada.json", "lesson 2", "1", "2", "ok", "", "silent=right quiet=x-leads", ""],
        ["ada", "ada.json", "lesson 6", "0", "5", "ok", "", "silent=right quiet=x-leads", ""],
        ["ada", "ada2.json", "lesson 2", "2", "2", "look", "its seed was changed", "silent=right quiet=x-leads", ""],
        ["'=cmd()", "e.json", "", "0", "0", "look", "it is no submission", "", ""],
    ]


def test_of_a_part_that_came_twice_the_better_counts_in_a_gradebook() -> None:
    assert table("canvas") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "KRaft Workbench"],
        ["Points Possible", "", "", "", "", "7"], ["ada", "", "", "ada", "", "2"],
        ["'=cmd()", "", "", "'=cmd()", "", "0"],
    ]  # fmt: skip
    assert table("moodle")[:2] == [
        ["learner", "grade of 7", "feedback"],
        ["ada", "2", "lesson 2: 2 of 2; lesson 6: 0 of 5; lesson 2: its seed was changed"],
    ]


def test_gradescope_gets_a_test_for_each_part() -> None:
    result = json.loads(FORMS["gradescope"].text([ADA]))
    assert result["score"] == 1 and [test["name"] for test in result["tests"]] == ["lesson 2", "lesson 6"]
    assert {tuple(test) for test in result["tests"]} == {("name", "score", "max_score", "output")}
    assert result["tests"][0]["output"] == "silent: right\nquiet: not right", "what would have been right is not told"


def test_prairielearn_gets_a_share_and_is_told_what_cannot_be_graded() -> None:
    result = json.loads(FORMS["prairielearn"].text([ADA]))
    assert result["gradable"] is True and result["score"] == pytest.approx(1 / 7)
    assert {tuple(test) for test in result["tests"]} == {("name", "points", "max_points", "message")}
    assert json.loads(FORMS["prairielearn"].text([EVE])) == {
        "gradable": False,
        "format_errors": ["it is no submission"],
    }


def test_classroom_50_gets_what_its_runner_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refusal, match="SUBMISSION_TAG") as refusal:
        FORMS["classroom50"].text([ADA])
    assert refusal.value.code == ENVIRONMENT
    for name in CLASSROOM_50.values():
        monkeypatch.setenv(name, name.lower())
    result = json.loads(FORMS["classroom50"].text([ADA]))
    assert result["schema"] == "classroom50/result/v1" and result["owner"] == "owner"
    assert (result["score"], result["max-score"], result["datetime"][-1]) == (1, 7, "Z")
    assert result["tests"][0] | {"output": ""} == {
        "test-name": "lesson 2", "passed": False, "score": 1, "max-score": 2, "output": "",
    }  # fmt: skip


@pytest.mark.parametrize("form", ["gradescope", "prairielearn", "classroom50"])
def test_a_result_is_of_one(form: str) -> None:
    with pytest.raises(Refusal, match="3 submissions"):
        FORMS[form].text(CLASS)
