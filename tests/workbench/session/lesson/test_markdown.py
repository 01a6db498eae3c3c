from __future__ import annotations

from workbench.session.lesson.markdown import Stretch, flowed, plain_prose, stretches


def test_paragraphs_flow_lists_stand_line_by_line_and_marks_of_emphasis_go() -> None:
    text = "One\nline *only* `here`.\n\n- first\n- second"
    assert plain_prose(text) == "One line only here.\n\n- first\n- second"
    assert flowed(text).startswith("One line *only* `here`.")


def test_a_term_a_stress_and_code_are_stretches_of_their_own() -> None:
    assert stretches("a **high watermark** is *not* `hw`") == [
        Stretch("a ", ""), Stretch("high watermark", "term"), Stretch(" is ", ""), Stretch("not", "stress"),
        Stretch(" ", ""), Stretch("hw", "code"),
    ]  # fmt: skip


def test_a_sign_that_stresses_nothing_stays() -> None:
    assert plain_prose("2 * 3 * 4 is ** nothing") == "2 * 3 * 4 is ** nothing"
