from __future__ import annotations

from workbench.cli.handout_page import PICTURES_LARGE_MAX, PaperStep, Picture, paper
from workbench.course.library import find_lesson


def test_a_step_without_a_question_has_no_boxes_and_few_pictures_are_large() -> None:
    lesson = find_lesson("2")
    noon = lesson.steps[0]
    for count, columns in ((PICTURES_LARGE_MAX, 2), (PICTURES_LARGE_MAX + 1, 3)):
        pictures = [Picture("<svg></svg>", f"look {number}") for number in range(count)]
        step = PaperStep(step=noon, case=[], options={}, answered=None, pictures=pictures, after=["A reveal."])
        page = paper(lesson, [step], for_teacher=False)
        assert f"repeat({columns}, 1fr)" in page and "&#9744;" not in page and "A reveal." not in page
        assert "A reveal." in paper(lesson, [step], for_teacher=True)
