"""Signs of figures without UTF-8."""

from __future__ import annotations

from workbench.course.signs import ASCII, as_ascii, strange_sign


def test_each_sign_has_one_of_ascii_in_its_place() -> None:
    assert as_ascii("┌─┐ ◀│▶ ●○ █░· ▲▼") == "+-+ <|> *o #.. ^v"
    assert all(len(sign) == 1 and sign.isascii() for sign in ASCII.values())


def test_any_other_sign_is_found() -> None:
    assert strange_sign("broker 1 ──▶ ●") == ""
    assert strange_sign("a → b") == "→"
    assert strange_sign("a\tb") == "\t"
