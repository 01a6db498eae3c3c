from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import ComposeResult
from textual.filter import LineFilter

from workbench.tui.drawing.canvas import Canvas
from workbench.tui.drawing.grid import Grid
from workbench.tui.theme.palette import GOOD
from workbench.tui.theme.themed import ThemedApp


class OneGrid(ThemedApp[None]):
    """An app of one widget."""

    below = ""
    """What is in row 3."""

    def compose(self) -> ComposeResult:
        def draw(width: int, height: int) -> Canvas:
            canvas = Canvas(width, height)
            canvas.put(0, 0, "up", GOOD)
            canvas.put(0, 3, self.below)
            return canvas

        yield Grid(draw, lambda _key: False, lambda _pointed: None)


async def shown(app: OneGrid) -> tuple[list[LineFilter], str]:
    """Filters of the grid, and the colour of its first letter on the way to the terminal."""
    async with app.run_test(size=(80, 24)):
        grid = app.query_one(Grid)
        grid.tick()
        (strip, *_) = grid.render_lines(grid.region.reset_offset)
        first = next(iter(strip))
        assert first.style is not None and first.style.color is not None
        return list(grid.get_line_filters()), first.style.color.name


async def test_the_colours_of_a_canvas_are_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))  # not in the theme that whoever runs the tests has chosen
    monkeypatch.delenv("NO_COLOR", raising=False)
    filters, colour = await shown(OneGrid())
    assert filters == [] and GOOD.color is not None and colour == GOOD.color.name


async def test_only_rows_that_changed_are_rendered_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    app = OneGrid()
    async with app.run_test(size=(80, 24)) as pilot:
        grid = app.query_one(Grid)
        grid.tick()
        before = grid.render_lines(grid.region.reset_offset)
        assert grid.tick() == 0
        app.below = "other"
        assert grid.tick() == 1
        after = grid.render_lines(grid.region.reset_offset)
        assert [y for y in range(24) if before[y] is not after[y]] == [3] and after[3].text.startswith("other")
        await pilot.resize_terminal(60, 20)
        assert {strip.cell_length for strip in grid.render_lines(grid.region.reset_offset)} == {60}
        app.theme = "light"
        assert grid.render_lines(grid.region.reset_offset)[0] != after[0]


async def test_who_wants_no_colour_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    filters, colour = await shown(OneGrid())
    assert len(filters) == 1 and GOOD.color is not None and colour != GOOD.color.name
