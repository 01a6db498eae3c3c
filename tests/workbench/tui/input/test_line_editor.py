from __future__ import annotations

from workbench.tui.input.line_editor import LineEditor


def typed(text: str) -> LineEditor:
    line = LineEditor()
    line.open("")
    line.insert(text)
    return line


def test_text_is_put_at_the_caret() -> None:
    line = typed("kill 2")
    line.press("home")
    line.insert("a")
    assert (line.text, line.caret) == ("akill 2", 1)


def test_only_printable_characters_get_in() -> None:
    assert typed("a\x1b[31m\nb\x9b").text == "a[31mb"


def test_words_and_ends_can_be_deleted() -> None:
    line = typed("cut 1>2  now")
    assert line.press("ctrl+w") and line.text == "cut 1>2  "
    assert line.press("ctrl+w") and line.text == "cut "
    line.press("backspace")
    line.press("ctrl+u")
    assert (line.text, line.caret) == ("", 0)


def test_up_and_down_recall_earlier_lines_and_the_draft() -> None:
    line = typed("kill 1")
    line.remember()
    line.open("")
    line.insert("heal")
    line.remember()
    line.open("dr")
    line.press("up")
    assert line.text == "heal"
    line.press("up")
    line.press("up")
    assert line.text == "kill 1"
    line.press("down")
    line.press("down")
    assert line.text == "dr"


def test_a_key_that_edits_nothing_is_not_taken() -> None:
    assert not typed("x").press("f5")
