from __future__ import annotations

from workbench.tui.drawing.prose import hanging, in_styles
from workbench.tui.theme.palette import BRIGHT, TEXT

STRESSED = {"term": BRIGHT, "stress": BRIGHT, "code": BRIGHT}


def test_the_further_lines_of_an_item_begin_below_its_first_word() -> None:
    assert hanging("1. one two three", 10) == ["1. one two", "   three"]


def test_emphasis_is_kept_over_the_end_of_a_line() -> None:
    lines = in_styles("the **high watermark** moves", 8, TEXT, STRESSED)
    assert ["".join(text for text, _ in line) for line in lines] == ["the high", "watermar", "k moves"]
    assert lines[0] == [("the ", TEXT), ("high", BRIGHT)] and lines[2] == [("k", BRIGHT), (" moves", TEXT)]
    assert in_styles("", 8, TEXT, STRESSED) == [[]]


def test_a_sentence_that_begins_with_a_number_is_no_item() -> None:
    assert hanging("2 payments of 20", 10) == ["2 payments", "of 20"]
    assert hanging("1  one two three", 10) == ["1  one two", "   three"]
