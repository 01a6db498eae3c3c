from __future__ import annotations

import pytest

from workbench.tui.drawing.layout import BESIDE_LEAST, arrange


def test_the_widest_figure_of_a_lesson_has_room_at_120_columns() -> None:
    places = arrange(120, 40, lesson=True, figure=60)
    assert places["lesson"].width - 2 >= 60
    assert places["map"].width < BESIDE_LEAST and "quorum" not in places, "one of the two pictures has all columns"
    assert places["logs"].width == places["map"].width


@pytest.mark.parametrize("pane", ("quorum", "clients", "events"))
def test_beside_a_figure_the_pane_at_which_a_lesson_looks_has_the_room(pane: str) -> None:
    for side in ("quorum", "clients"):
        places = arrange(120, 40, lesson=True, figure=60, side=side, clients=True, show=pane)
        assert places[pane].width == places["map"].width and "logs" not in places


@pytest.mark.parametrize("show", ("", "logs", "quorum", "events", "clients"))
@pytest.mark.parametrize("size", ((100, 30), (120, 40), (160, 45), (200, 50)))
def test_no_pane_lies_over_another_wherever_a_lesson_looks(size: tuple[int, int], show: str) -> None:
    for figure in (0, 54, 60):
        places = arrange(*size, lesson=True, figure=figure, show=show, clients=True)
        assert not show or show in places
        cells = [
            (x, y)
            for rect in places.values()
            for x in range(rect.x, rect.x + rect.width)
            for y in range(rect.y, rect.y + rect.height)
        ]
        assert len(cells) == len(set(cells))
