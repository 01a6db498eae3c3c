from __future__ import annotations

from pathlib import Path

import pytest

from workbench.challenges.quiz.questions import CHOSEN, Item, items
from workbench.support.refusal import Refusal


@pytest.mark.parametrize("item", items(), ids=lambda item: item.lesson.name)
def test_the_answer_in_the_recording_is_the_one_that_the_lesson_means(item: Item) -> None:
    assert item.right.misconception == "" and item.question.is_transfer
    assert len(item.setting) > 80


def test_there_are_twelve_of_all_three_parts() -> None:
    assert len(items()) == len(set(CHOSEN)) == 12


def test_without_its_index_there_is_no_quiz(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="quiz.json' cannot be used"):
        items(tmp_path)
