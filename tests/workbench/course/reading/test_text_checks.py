"""What no text of a lesson may have."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.course.lesson_error import LessonError
from workbench.course.reading.text_checks import check_letters, word_count

PATH = Path("01_x/lesson.md")


def test_a_value_is_one_word() -> None:
    assert word_count("It is {events ctl.partition_changed\ntopic=orders} now.") == 4


@pytest.mark.parametrize("text", ["Like answer b.", "Option A, but late", "As (c) says", "b) It waits", "Of the above"])
def test_a_letter_in_a_text_is_told(text: str) -> None:
    with pytest.raises(LessonError, match="an option names an option by its place"):
        check_letters(PATH, 1, text, "an option")


@pytest.mark.parametrize("text", ["It answers a fetch.", "The answer a follower gets", "Brokers a and b", "(a lot)"])
def test_an_article_is_no_letter(text: str) -> None:
    check_letters(PATH, 1, text, "an option")
