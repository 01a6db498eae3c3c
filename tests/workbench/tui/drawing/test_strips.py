"""Rows are gone when nobody shows them: without a full collection, which a screen never makes."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from rich.segment import Segment
from textual.strip import Strip

from workbench.tui.drawing.canvas import Canvas
from workbench.tui.drawing.strips import RowStrip, row_of

WIDTH = 20


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("cuts", [[WIDTH], [5, WIDTH], [WIDTH, WIDTH + 4]])
def test_a_row_that_was_shown_leaves_no_garbage(cuts: list[int]) -> None:
    """A screen of a busy cluster kept some 27 rows a second for good."""
    canvas = Canvas(WIDTH, 1)
    canvas.put(0, 0, "some words")
    for row in (canvas.strip(0), row_of(Strip([Segment("x" * WIDTH)], WIDTH))):
        assert "".join(piece.text for piece in row.divide(cuts)) == row.text
    del row
    assert gc.collect() == 0


def test_a_row_is_not_made_anew() -> None:
    row = RowStrip([Segment("x")], 1)
    assert row_of(row) is row
