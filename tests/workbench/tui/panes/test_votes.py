"""Bars of a class that voted: as long as their share, and in numbers."""

from __future__ import annotations

import pytest

from workbench.classroom.votes import Tally
from workbench.tui.panes.votes import BAR, bars


def test_bars_are_as_long_as_their_share_and_fit() -> None:
    tally = Tally(2, False, 4, ((3, 1, 0), (0, 4, 0)))
    drawn = [bars(tally, place, 32) for place in range(3)]
    lengths = [[line.count(BAR) for line in lines] for lines in drawn]
    assert lengths == [[15, 0], [5, 20], [0, 0]]
    assert all(len(line) <= 32 for lines in drawn for line in lines)
    assert [line.split()[-1] for line in drawn[0]] == ["3", "0"]


def test_one_voice_of_many_is_seen() -> None:
    line = bars(Tally(1, False, 100, ((1, 99),)), 0, 40)[0]
    assert BAR not in line and line.strip() == "\u258f 1"


@pytest.mark.parametrize("tally", [Tally(0, False, 0, ()), Tally(1, True, 9, ())])
def test_nothing_is_drawn_before_a_vote_is_closed(tally: Tally) -> None:
    assert bars(tally, 0, 40) == []


def test_a_vote_in_which_nobody_spoke_has_no_bar() -> None:
    assert bars(Tally(1, False, 0, ((0, 0),)), 1, 40) == ["     0"]
