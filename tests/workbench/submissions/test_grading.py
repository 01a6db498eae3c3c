"""Honest work gets its points, whatever else is named; nothing in a file is believed."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest

from tests.support.worlds.handed_in import (
    Tamper,
    handed_in,
    in_lesson,
    in_notes,
    in_run,
    tampered,
    with_fields,
)
from workbench.challenges.quiz.questions import items
from workbench.course.content import RIGHT
from workbench.submissions.form import (
    ChallengePart,
    LessonPart,
    QuizPart,
    Submission,
    read_submission,
    write_submission,
)
from workbench.submissions.grading import grade_file, grade_files
from workbench.submissions.marks import Graded
from workbench.support.refusal import Refusal


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return handed_in(tmp_path_factory.mktemp("class"), "ada")


def graded(path: Path) -> Graded:
    return grade_file(path, path.name)


def test_honest_work_is_worth_what_was_right_in_it(honest: Path) -> None:
    one = graded(honest)
    (part,) = read_submission(honest).parts
    assert isinstance(part, LessonPart)
    assert (one.learner, one.reasons, one.points, one.points_max) == ("ada", (), 3, 5)
    assert [mark.part for mark in one.marks] == ["lesson 1"]
    assert {answer.question: answer.answer for answer in one.marks[0].answers} == part.answers


def _all_right(part: LessonPart) -> LessonPart:
    return msgspec.structs.replace(part, answers=dict.fromkeys(part.answers, RIGHT))


def _swapped(part: LessonPart) -> LessonPart:
    return msgspec.structs.replace(part, runs=(*part.runs[1:], part.runs[0], part.runs[0]))


def _program(submission: Submission) -> Submission:
    return msgspec.structs.replace(submission, program="9.9.9")


def _with_answer(**fields: str) -> Tamper:
    return in_notes(lambda item: replace(item, note=with_fields(item.note, **fields)))


TAMPERED: dict[str, tuple[Tamper, str]] = {
    "answers": (in_lesson(_all_right), "its runs say"),
    "answers of the run": (_with_answer(answer=RIGHT), "not the same"),
    "what was right": (_with_answer(right_answer="x"), "not the same"),
    "seed": (in_run(lambda run: replace(run, seed=run.seed + 1)), "not the same run"),
    "hash": (in_run(lambda run: replace(run, trace_hash=b"\0" * 8)), "not the same run"),
    "version": (_program, "program 9.9.9 wrote it"),
    "version of a run": (in_run(lambda run: replace(run, program="9.9.9")), "of program 9.9.9"),
    "script": (in_lesson(lambda part: msgspec.structs.replace(part, digest="0" * 64)), "its script is not the one"),
    "another script": (in_run(lambda run: replace(run, source="lesson 2")), "no script of this lesson"),
    "lesson": (in_lesson(lambda part: msgspec.structs.replace(part, name="../../etc")), "there is no lesson"),
    "time": (in_run(lambda run: replace(run, end=(run.end[0], run.end[1] + 1, run.end[2]))), "not the same run"),
    "time of an answer": (in_notes(lambda item: replace(item, now_ns=item.now_ns + 1)), "not the same run"),
    "runs twice": (in_lesson(_swapped), "in two runs"),
    "no runs": (in_lesson(lambda part: msgspec.structs.replace(part, runs=())), "its runs say nothing"),
    "no text": (in_lesson(lambda part: msgspec.structs.replace(part, runs=("kraft1-AAAA",))), "damaged"),
}  # fmt: skip


@pytest.mark.first(how=["answers", "seed", "version", "script", "time"])
@pytest.mark.parametrize("how", TAMPERED)
def test_what_was_tampered_with_is_named_and_wins_nothing(tmp_path: Path, honest: Path, how: str) -> None:
    change, why = TAMPERED[how]
    hidden = graded(tampered(honest, change, tmp_path / "hidden.json"))
    assert any(why in reason for reason in hidden.reasons), hidden.reasons
    assert hidden.points <= graded(honest).points
    assert all(reason.isprintable() and len(reason) < 700 for reason in hidden.reasons)


def test_a_change_by_hand_is_named_by_the_sum(tmp_path: Path, honest: Path) -> None:
    by_hand = tampered(
        honest, lambda one: msgspec.structs.replace(one, learner="eve"), tmp_path / "e.json", hides=False
    )
    assert graded(by_hand).against == ("it was changed by hand: its sum is another one",)


def test_quiz_and_challenge_are_graded_anew(tmp_path: Path) -> None:
    right = {item.id: item.right.misconception or RIGHT for item in items()}
    parts = (
        QuizPart(before={"01": "hw-is-log-end", "02": right["02"]}, after=right | {"77": RIGHT}),
        ChallengePart(4, 0, "say hello\n"), ChallengePart(7, 0, ""), ChallengePart(2, 0, "nonsense\n"),
    )  # fmt: skip
    write_submission(str(tmp_path / "a.json"), "bob", parts)
    one = graded(tmp_path / "a.json")
    assert [(mark.part, mark.points, mark.points_max) for mark in one.marks] == [
        ("quiz before", 1, 12), ("quiz after", 12, 12),
        ("challenge 4", 0, 1), ("challenge 7", 0, 0), ("challenge 2", 0, 1),
    ]  # fmt: skip
    assert "played again it is not solved" in one.reasons[0] and "no such challenge" in one.reasons[1]
    assert "no solution: line 1" in one.reasons[2] and str(tmp_path) not in one.reasons[2]


QUIZ = {"kind": "quiz", "before": {}, "after": {}}
HOSTILE = (
    b"", b"{", b"[]", b"\xff" * 100, b"[" * 100_000, b'{"form": 1}', b'{"form": "\x1b[31m"}', b'{"form": 99}',
    *(
        json.dumps({"form": 1, "program": "0", "learner": learner, "parts": parts}).encode()
        for learner, parts in (
            ("a", []), ("a", [{"kind": "\x1b[2J"}]), ("a" * 101, [QUIZ]), ("a", [QUIZ | {"x": 1}]), ("", [QUIZ]),
        )
    ),
)  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE)
def test_a_hostile_file_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    one = graded(tmp_path / "a.json")
    assert one.points_max == 0 and len(one.reasons) == 1 and one.reasons[0].isprintable()


def test_random_bytes_never_stop_the_class(tmp_path: Path) -> None:
    dice = Random(1)
    for number in range(200):
        (tmp_path / f"{number}.json").write_bytes(dice.randbytes(dice.randrange(500)))
    assert all(one.reasons and not one.points for one in grade_files(tmp_path))


def test_links_and_pipes_are_not_followed(tmp_path: Path, honest: Path) -> None:
    (tmp_path / "link.json").symlink_to(honest)
    os.mkfifo(tmp_path / "pipe.json")
    (only,) = grade_files(tmp_path)
    assert "a link" in only.reasons[0]
    with pytest.raises(Refusal, match="no submission"):
        list(grade_files(tmp_path / "nothing"))


def test_what_costs_too_much_is_left(tmp_path: Path, honest: Path) -> None:
    one = grade_file(honest, "a", seconds_max=0.02)
    assert one.points_max == 0 and "more than 0.02 s" in one.reasons[0]
    assert not graded(honest).reasons, "the alarm is off again"


@pytest.mark.slow
def test_forty_of_two_hundred_are_named_and_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    ways = list(TAMPERED)
    for number in range(200):
        lesson = str(number % 20 + 1)
        path = handed_in(tmp_path, f"learner{number}", lesson, seed=number, wrong=1 + number % 4)
        to = tmp_path / "all" / path.name
        if number % 5 == 0:
            tampered(path, TAMPERED[ways[number // 5 % len(ways)]][0], to, hides=number % 2 == 0)
        else:
            path.rename(to)
    named = {one.file for one in grade_files(tmp_path / "all") if one.reasons}
    assert named == {f"learner{number}.json" for number in range(0, 200, 5)}
