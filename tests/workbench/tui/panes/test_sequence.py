from __future__ import annotations

import pytest

from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.sequence import draw_arrow

VOTED = ("no: voted for 103", "no: voted n103", "\u2717voted n103", "\u2717 n103")
ASKS = ("\u25d4 pre-vote? e12", "\u25d4 pre? e12", "\u25d4 pre?")


@pytest.mark.parametrize(
    ("gap", "forms", "shown"),
    [
        (30, VOTED, VOTED[0]),
        (17, VOTED, VOTED[1]),
        (14, VOTED, VOTED[2]),
        (9, VOTED, VOTED[3]),
        (5, VOTED, "\u2717"),
        (5, ("FENCED_LEADER_EPOCH",), "\u2717"),
    ],
)
def test_an_arrow_says_as_much_of_its_reason_as_fits(gap: int, forms: tuple[str, ...], shown: str) -> None:
    canvas = Canvas(40, 1)
    draw_arrow(canvas.area(Rect(0, 0, 40, 1)), 0, (1, 2), forms, "bad", {1: 0, 2: gap})
    row = canvas.text_rows()[0]
    assert row[1:gap].strip("\u2500\u25b8") == shown and row[gap - 1] == "\u25b8"


@pytest.mark.parametrize(
    ("at", "gap", "shown"), [(1, 18, ASKS[0]), (1, 12, ASKS[1]), (1, 9, ASKS[2]), (2, 18, ASKS[0]), (2, 12, ASKS[1])]
)
def test_what_a_node_says_for_itself_covers_no_other_column(at: int, gap: int, shown: str) -> None:
    """With seven voters the words stood off their column, on those of others."""
    columns = {1: gap, 2: 2 * gap}
    canvas = Canvas(2 * gap + 4, 1)
    draw_arrow(canvas.area(Rect(0, 0, 2 * gap + 4, 1)), 0, (at, at), ASKS, "warn", columns)
    row = canvas.text_rows()[0].ljust(2 * gap + 4)
    assert row.strip() == shown and row[gap] == row[2 * gap] == " "
    assert row[gap + 1 : 2 * gap].strip() == shown, "beside its column: after it, or before the last one"
