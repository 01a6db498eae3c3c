from __future__ import annotations

import pytest

from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.sequence import draw_arrow


@pytest.mark.parametrize(
    ("gap", "text", "shown"),
    [
        (30, "no: voted for 103", "no: voted for 103"),
        (17, "no: voted for 103", "no: voted n103"),
        (14, "no: voted for 103", "\u2717voted n103"),
        (9, "no: voted for 103", "\u2717 n103"),
        (5, "no: voted for 103", "\u2717"),
        (30, "FENCED_LEADER_EPOCH", "FENCED_LEADER_EPOCH"),
        (11, "FENCED_LEADER_EPOCH", "\u2717 fenced"),
        (5, "FENCED_LEADER_EPOCH", "\u2717"),
    ],
)
def test_an_arrow_says_as_much_of_its_reason_as_fits(gap: int, text: str, shown: str) -> None:
    canvas = Canvas(40, 1)
    draw_arrow(canvas.area(Rect(0, 0, 40, 1)), 0, (1, 2), text, "bad", {1: 0, 2: gap})
    row = canvas.text_rows()[0]
    assert row[1:gap].strip("\u2500\u25b8") == shown and row[gap - 1] == "\u25b8"
