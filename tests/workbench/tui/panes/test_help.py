"""The help: first how the pane in focus is read, then all else."""

from __future__ import annotations

import pytest

from tests.workbench.tui.panes.test_panes import SIZES, state
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.layout import PANES
from workbench.tui.modes import Help
from workbench.tui.panes.reading import READING


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", PANES)
def test_the_help_begins_with_the_pane_that_is_looked_at(size: tuple[int, int], name: str) -> None:
    ui = state()
    ui.mode, ui.zoom = Help(), name
    rows = draw_screen(*size, ui).text_rows()
    told = " ".join(" ".join(row.strip("\u2502 ") for row in rows).split())
    title, text = READING[name]
    inside = [row for row in rows if title in row]
    assert inside and " ".join(text.split()[:3]) in told, "its text is on the first page"
    assert any("hold or follow the view" in row for row in rows), "and so are the first keys"


def test_every_pane_has_its_text_and_its_number() -> None:
    assert set(READING) == set(PANES)
    assert [READING[name][0][:2] for name in PANES] == [f"{number} " for number in range(1, 8)]
