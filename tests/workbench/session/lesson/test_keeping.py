from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.content import Lesson
from workbench.session.lesson.keeping import Kept, KeptStep, keep, kept_of, last_score
from workbench.session.lesson.page import Piece
from workbench.session.lesson.telling import Told


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    return steps_lesson(tmp_path / "lessons")


def half_way() -> Kept:
    """The second step was answered wrong, the last one is open."""
    told = Told(1, [Piece("wrong", "It did."), Piece("right", "2 was in sync.")], [Piece("prose", "Broker 2 leads.")])
    done, open_step = KeptStep(True, -1, 1, Told()), KeptStep(False, -1, 0, None)
    return Kept(2, (done, KeptStep(True, 0, 2, told, {1: "no leader"}), done, open_step))


def test_what_was_kept_comes_back_as_it_was_with_its_score(tmp_path: Path, lesson: Lesson) -> None:
    keep(lesson, half_way(), tmp_path)
    assert kept_of(lesson, tmp_path) == half_way() and half_way().open_place == 3
    score = last_score(lesson, tmp_path)
    assert score is not None and (score.right, score.asked, score.transfer) == (0, 1, None)
    assert score.missed == {"dead-leads": "2 was in sync."} and not score.is_finished and score.when_s > 0


def test_a_belief_that_was_chosen_twice_is_told_once(tmp_path: Path, lesson: Lesson) -> None:
    kept = half_way()
    last = replace(kept.steps[1], refused={})
    keep(lesson, Kept(3, (*kept.steps[:3], last)), tmp_path)
    score = last_score(lesson, tmp_path)
    assert score is not None and score.transfer is False and score.missed == {"dead-leads": "2 was in sync."}


def test_a_changed_lesson_forgets_it(tmp_path: Path, lesson: Lesson) -> None:
    keep(lesson, half_way(), tmp_path)
    changed = steps_lesson(tmp_path / "lessons", ("## It dies", "## It lives"))
    assert kept_of(changed, tmp_path) is None and last_score(changed, tmp_path) is None


def test_a_folder_that_cannot_be_written_keeps_nothing_and_nothing_fails(tmp_path: Path, lesson: Lesson) -> None:
    (tmp_path / "lessons.txt").touch()
    keep(lesson, half_way(), tmp_path / "lessons.txt")
    assert kept_of(lesson, tmp_path / "lessons.txt") is None


@pytest.mark.parametrize(
    "damage",
    [
        "{",
        "[]",
        '{"headings": 1}',
        '{"at": "x", "steps": []}',
        '"answer": 7',
        '"right": 9',
        '"whys": [[1]]',
        '"refused": [1]',
    ],
)
def test_what_is_damaged_counts_as_nothing(tmp_path: Path, lesson: Lesson, damage: str) -> None:
    keep(lesson, half_way(), tmp_path)
    path = tmp_path / "lessons" / "01_small.json"
    key, colon, _ = damage.partition(": ")
    whole = path.read_text()
    path.write_text(re.sub(rf"{key}: [^\n]*?(,?)\n", rf"{damage}\1\n", whole) if colon and key in whole else damage)
    assert kept_of(lesson, tmp_path) is None
