"""What stands on a student's page, and when it asks again."""

from __future__ import annotations

import re

import pytest

from workbench.classroom.page import student_page
from workbench.classroom.votes import Asked, Seen

ASKED = Asked("A <script>", "Who & why?", ('"101"', "nobody"))


def page(*, turn: int = 1, is_open: bool = True, letter: str = "") -> str:
    return student_page(Seen(ASKED, 7, turn, is_open, letter))


def test_nothing_of_the_lesson_is_markup() -> None:
    shown = page()
    assert "A &lt;script&gt;" in shown and "Who &amp; why?" in shown and "&quot;101&quot;" in shown
    assert "<script" not in shown


def test_each_option_is_one_button_of_the_question_and_the_chosen_one_is_marked() -> None:
    shown = page(letter="b")
    assert re.findall(r'<button name="answer" value="(\w)"', shown) == ["a", "b"]
    assert 'value="7"' in shown and shown.count('aria-pressed="true"') == 1
    assert "You can still change it." in shown


@pytest.mark.parametrize(
    ("shown", "asks_again"), [(page(), False), (page(letter="a"), True), (page(is_open=False), True)], ids=str
)
def test_a_page_asks_again_only_where_nothing_is_to_be_chosen(shown: str, asks_again: bool) -> None:
    assert ("refresh" in shown) is asks_again


def test_the_second_vote_says_so() -> None:
    assert "after you have talked" in page(turn=2) and "after you have talked" not in page()
