"""A lesson that needs what is not there, or itself, is refused with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.small_lesson import MISCONCEPTIONS, write_lesson
from workbench.course.lesson_error import LessonError
from workbench.course.library import find_lesson


def lessons(folder: Path, **needs: str) -> Path:
    """A lesson for each name, with what stands in its front matter."""
    for number, (name, wanted) in enumerate(needs.items(), start=1):
        path = write_lesson(folder / "drafts" / name).folder.rename(folder / f"{number}_{name}") / "lesson.md"
        path.write_text(path.read_text().replace("needs = []", f"needs = [{wanted}]"))
        (folder / "misconceptions.md").write_text(MISCONCEPTIONS)
    return folder


@pytest.mark.parametrize(
    ("needs", "told"),
    [
        ({"a": '"9_z"'}, "1_a/lesson.md:6: needs: no lesson '9_z'; there are 1_a"),
        ({"a": '"../1_a"'}, "1_a/lesson.md:6: needs: no lesson '../1_a'; did you mean 1_a?"),
        ({"a": '"1_a"'}, "1_a/lesson.md:6: needs: the lesson itself"),
        ({"a": '"2_b"', "b": '"1_a"'}, "2_b/lesson.md:6: needs: a circle, 1_a -> 2_b -> 1_a"),
        ({"a": '"2_b"', "b": '"2_b"'}, "2_b/lesson.md:6: needs: the lesson itself"),
    ],
    ids=["unknown", "outside", "itself", "each other", "behind it"],
)
def test_what_a_lesson_needs_has_to_be_there_and_before_it(tmp_path: Path, needs: dict[str, str], told: str) -> None:
    with pytest.raises(LessonError) as refused:
        find_lesson("1_a", lessons(tmp_path, **needs))
    assert str(refused.value) == told


def test_two_lessons_may_need_the_same(tmp_path: Path) -> None:
    lessons(tmp_path, a='"2_b", "3_c"', b='"4_d"', c='"4_d"', d="")
    assert find_lesson("1_a", tmp_path).needs == ("2_b", "3_c")
