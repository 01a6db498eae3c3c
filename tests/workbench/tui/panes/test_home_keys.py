"""Keys of the first screen."""

from __future__ import annotations

import pytest

from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.home_keys import HELP, ON_A_RUN, draw_home_help, draw_home_keys


def test_a_recorded_run_has_keys_that_a_lesson_has_not() -> None:
    rows = {}
    for verb in ("replay", "lesson"):
        canvas = Canvas(120, 1)
        draw_home_keys(canvas.area(Rect(0, 0, 120, 1)), verb)
        rows[verb] = canvas.text_rows()[0]
    assert all(f"{key} {says}" in rows["replay"] for key, says in ON_A_RUN)
    assert not any(f" {key} {says}" in rows["lesson"] for key, says in ON_A_RUN)
    assert all("/ search" in row and "? help" in row and "q quit" in row for row in rows.values())


@pytest.mark.parametrize("verb", ("replay", "lesson"))
def test_where_room_is_short_whole_keys_go_and_quit_stays(verb: str) -> None:
    """At 80 columns a recorded run had `I` without its word, and neither help nor quit."""
    for width in (80, 90, 100, 120):
        canvas = Canvas(width, 1)
        draw_home_keys(canvas.area(Rect(0, 0, width, 1)), verb)
        row = canvas.text_rows()[0].rstrip()
        assert row.endswith("? help  q quit"), (width, row)


@pytest.mark.parametrize("width", (56, 78))
def test_the_help_has_a_sentence_for_each_key(width: int) -> None:
    canvas = Canvas(width, 22)
    draw_home_help(canvas.area(Rect(0, 0, width, 22)))
    text = "\n".join(canvas.text_rows())
    assert all(f" {key} " in text for key, _ in HELP) and "? closes this" in text
    assert {key for key, _ in ON_A_RUN} <= {key for key, _ in HELP}
