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
    assert top < said < size[1] - 1 and re.search("[\u2517\u2523\u253b]\u2501", rows[said + 1])
    assert any("held 1 of 1" in row for row in rows), "the words of the lesson stay"
    assert all(len(row) == size[0] for row in rows)


def test_the_box_and_the_row_of_a_node_that_answers_are_marked() -> None:
    plain, marked = fills(draw_screen(160, 45, held("logs"))), fills(draw_screen(160, 45, held("logs", 1)))
    assert len(marked) == len(plain) + 1
    canvas = draw_screen(160, 45, held("map", 1))
    spot = next(spot for spot in canvas.spots if spot.kind == "node" and spot.value == (1,) and spot.height > 1)
    assert canvas.styles[spot.y][spot.x] == FRAME and canvas.styles[spot.y + 1][spot.x] == FRAME


@pytest.mark.parametrize("size", [(200, 50), (160, 45), (120, 40)], ids=str)
def test_a_line_runs_from_the_words_of_the_lesson_to_the_rows_that_it_names(size: tuple[int, int]) -> None:
    canvas = draw_screen(*size, held("logs", 1))
    rows = canvas.text_rows()
    low, text = next((y, row) for y, row in enumerate(rows) if "see the frame" in row)
    start = text.index("see the frame") + len("see the frame ")
    edge = next(x for x in range(start, size[0]) if text[x] != "\u2501")
    assert edge > start and text[edge] in "\u251b\u252b\u253b\u254b"
    named = next(y for y in fills(canvas) if rows[y][edge] == "\u2523" and "n1" in rows[y][edge:])
    assert all(rows[y][edge] in "\u2503\u2523\u252b\u254b" for y in range(named, low)), "without a gap"
    assert all(canvas.styles[y][edge] == FRAME for y in range(named, low + 1))


@pytest.mark.parametrize("node", [1, 2, 5])
def test_a_line_runs_up_from_the_words_to_the_box_that_they_name(node: int) -> None:
    canvas = draw_screen(160, 45, held("map", node))
    spot = next(spot for spot in canvas.spots if spot.kind == "node" and spot.value == (node,) and spot.height > 1)
    edges = [canvas.chars[spot.y + spot.height - 1][x] for x in range(spot.x, spot.x + spot.width)]
    beside = canvas.chars[spot.y + 1][spot.x - 1] in "\u2523\u2501"
    assert beside or any(edge in "\u2533\u2530" for edge in edges)


def test_without_anything_named_no_line_is_drawn_in_the_frame() -> None:
    rows = draw_screen(160, 45, held("map")).text_rows()
    assert not any("\u2533" in row or "\u2530" in row for row in rows)
