"""Each student has worlds of their own, and what is right in each is played, not looked up."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from workbench.course.content import RIGHT, OtherWorld
from workbench.course.library import all_lessons
from workbench.submissions.exam import Asked, Exam, read_exam, right_answer
from workbench.support.refusal import BAD_DATA, Refusal

ALL = [f"{lesson.number.lstrip('0')}/{question.id}" for lesson in all_lessons() for _, question in lesson.questions]


def written(folder: Path, questions: list[str], key: str = "secret") -> Exam:
    path = folder / "exam.toml"
    path.write_text(f'title = "A test"\nkey = "{key}"\nminutes = 20\nquestions = {questions}\n'.replace("'", '"'))
    return read_exam(path)


def meant(asked: Asked) -> str:
    """The answer that its world is written for."""
    return next((option.misconception for option in asked.question.options if asked.world in option.would), RIGHT)


def test_neighbours_have_another_right_answer_in_about_two_of_three_questions(tmp_path: Path) -> None:
    exam = written(tmp_path, ALL)
    students = [[meant(asked) for asked in exam.of(f"student {number}")] for number in range(40)]
    pairs = [(one, other) for left, right in pairwise(students) for one, other in zip(left, right, strict=True)]
    share = sum(one != other for one, other in pairs) / len(pairs)
    assert 0.62 < share < 0.72 and len(pairs) > 3000


def test_the_key_and_the_student_draw_and_nothing_else(tmp_path: Path) -> None:
    exam, same, other = (written(tmp_path, ALL[:20], key) for key in ("a", "a", "b"))
    assert exam.of("ada") == same.of("ada")
    assert exam.of("ada") != other.of("ada") and exam.of("ada") != exam.of("bob")
    few = written(tmp_path, ALL[5:8], "a").of("ada")
    assert few == exam.of("ada")[5:8], "a question that is added changes no other"


def test_what_is_done_has_one_form_in_each_world_and_tells_no_answer(tmp_path: Path) -> None:
    exam = written(tmp_path, ["2/silent"])
    worlds = {tuple(asked.commands) for number in range(30) for asked in exam.of(str(number))}
    assert len(worlds) == 4
    for commands in worlds:
        names = [word.partition("=")[0] for word in commands[0].split(", ") if "=" in word]
        assert names == sorted(names) and commands[1].startswith("topic orders replicas=3")
        assert not any(line.startswith(("expect", "keep")) or "unfenced" in line for line in commands)


@pytest.mark.first(name=ALL[5:7])
@pytest.mark.parametrize("name", ALL)
def test_in_each_world_exactly_the_option_that_it_is_for_holds(tmp_path: Path, name: str) -> None:
    exam = written(tmp_path, [name])
    drawn = {asked.world: asked for number in range(12) for asked in exam.of(str(number))}
    assert len(drawn) > 1
    for asked in list(drawn.values())[:2]:
        assert right_answer(asked) == meant(asked)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "missing required field"), ("\x1b[2J", "Invalid"),
        ('title = "t"\nkey = "k"\nminutes = 1\nquestions = []', "needs a key"),
        ('title = "t"\nkey = "k"\nminutes = 1\nquestions = ["2/nothing"]', "lesson 2 has 2/silent"),
        ('title = "t"\nkey = "k"\nminutes = 1\nquestions = ["77/x"]', "is no lesson"),
        ('title = "t"\nkey = ""\nminutes = 1\nquestions = ["2/silent"]', "needs a key"),
        ('title = "t"\nkey = "k"\nminutes = -1\nquestions = ["2/silent"]', "minutes"),
        ('title = "t"\nkey = "k"\nminutes = 1\nquestions = ["2/silent"]\nmore = 1', "unknown field"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_one_sentence(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "exam.toml").write_text(text)
    with pytest.raises(Refusal, match=why) as refusal:
        read_exam(tmp_path / "exam.toml")
    assert refusal.value.code == BAD_DATA and str(refusal.value).isprintable()


def test_a_world_in_which_nothing_is_changed_is_the_lesson_s_own(tmp_path: Path) -> None:
    asked = written(tmp_path, ["2/silent"]).of("ada")[0]
    own = Asked(asked.id, asked.lesson, asked.step, asked.question, OtherWorld("", ()))
    assert right_answer(own) == RIGHT
