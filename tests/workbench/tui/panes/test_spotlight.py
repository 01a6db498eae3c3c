"""Where a lesson holds the view: a frame, what to see, and the rows that answer."""

from __future__ import annotations

import re

import pytest

from tests.support.traces import story
from workbench.session.lesson.page import LessonPage
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.panes.spotlight import FRAME
from workbench.tui.theme.roles import FILLS
from workbench.tui.ui_state import UiState

PANES = ("map", "quorum", "logs", "isr", "events", "clients")


def held(pane: str, *nodes: int) -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    ui = UiState(recording, lesson=True, focus="lesson", main="lesson", held_nodes=nodes)
    ui.page = LessonPage("t", step=1, steps=2, heading="h", look="Here it *is*.", look_at=pane, held="1 of 1")
    return ui


def fills(canvas: Canvas) -> list[int]:
    """Rows in which something lies on the ground of a task."""
    ground = FILLS["task"].dark
    found = ({look.bgcolor.name for look in row if look.bgcolor is not None} for row in canvas.styles)
    return [y for y, grounds in enumerate(found) if ground in grounds]


@pytest.mark.parametrize("size", [(200, 50), (160, 45), (120, 40), (80, 24)], ids=str)
@pytest.mark.parametrize("pane", PANES)
def test_every_pane_can_be_framed_at_every_size_and_its_words_stand_under_it(pane: str, size: tuple[int, int]) -> None:
    canvas = draw_screen(*size, held(pane))
    rows = canvas.text_rows()
    top = next(y for y, row in enumerate(rows) if re.search("\u250f\u2501 (\\d|\\[6\\]) ", row))
    said = next(y for y, row in enumerate(rows) if "\u25b4 Here it is." in row)
    assert top < said < size[1] - 1 and "\u2517\u2501" in rows[said + 1]
    assert any("held 1 of 1" in row for row in rows), "the words of the lesson stay"
    assert all(len(row) == size[0] for row in rows)


def test_the_box_and_the_row_of_a_node_that_answers_are_marked() -> None:
    plain, marked = fills(draw_screen(160, 45, held("logs"))), fills(draw_screen(160, 45, held("logs", 1)))
    assert len(marked) == len(plain) + 1
    canvas = draw_screen(160, 45, held("map", 1))
    spot = next(spot for spot in canvas.spots if spot.kind == "node" and spot.value == (1,) and spot.height > 1)
    assert canvas.styles[spot.y][spot.x] == FRAME and canvas.styles[spot.y + 1][spot.x] == FRAME
