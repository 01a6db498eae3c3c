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


@pytest.mark.parametrize(
    ("at", "gap", "shown"),
    [
        (1, 18, "\u25d4 pre-vote? e12"),
        (1, 12, "\u25d4 pre? e12"),
        (1, 9, "\u25d4 pre?"),
        (2, 18, "\u25d4 pre-vote? e12"),
        (2, 12, "\u25d4 pre? e12"),
    ],
)
def test_what_a_node_says_for_itself_covers_no_other_column(at: int, gap: int, shown: str) -> None:
    """With seven voters the words stood off their column, on those of others."""
    columns = {1: gap, 2: 2 * gap}
    canvas = Canvas(2 * gap + 4, 1)
    draw_arrow(canvas.area(Rect(0, 0, 2 * gap + 4, 1)), 0, (at, at), "\u25d4 pre-vote? e12", "warn", columns)
    row = canvas.text_rows()[0].ljust(2 * gap + 4)
    assert row.strip() == shown and row[gap] == row[2 * gap] == " "
    assert row[gap + 1 : 2 * gap].strip() == shown, "beside its column: after it, or before the last one"
