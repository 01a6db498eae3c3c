"""Letters of options: they come from the learner's seed."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.content import letters


def test_options_are_shuffled_by_the_seed_and_the_question(tmp_path: Path) -> None:
    first, second = [question for _, question in steps_lesson(tmp_path).questions]
    orders = {tuple(option.text for option in letters(first, seed).values()) for seed in range(60)}
    assert len(orders) == 6, "all orders of three come"
    assert letters(first, 7) == letters(first, 7)
    assert list(letters(first, 7)) == ["a", "b", "c"]
    places = {tuple(letters(question, seed)["a"].misconception for question in (first, second)) for seed in range(60)}
    assert len(places) == 9, "two questions are shuffled apart from each other"
