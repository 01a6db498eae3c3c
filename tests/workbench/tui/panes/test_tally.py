"""A tally says how its round ended, however little room there is."""

from __future__ import annotations

import pytest

from cluster.picture.parts import VoteRound
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.tally import draw_tally


@pytest.mark.parametrize("width", [30, 36, 40, 60, 100])
def test_a_tally_always_says_how_it_ended(width: int) -> None:
    round_ = VoteRound(0, 2, 103, pre_vote=False, needed=3, voters=(101, 102, 103, 104, 105))
    round_.answers.update({103: True, 104: True, 101: False})
    canvas = Canvas(width, 1)
    draw_tally(canvas.area(Rect(0, 0, width, 1)), 0, round_)
    (row,) = canvas.text_rows()
    assert "2 of 5" in row and row.count("\u25a0") == 2 and row.count("\u2717") == 1 and row.count("\u25a1") == 2
