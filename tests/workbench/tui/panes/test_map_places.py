"""Nodes of the map have places of their own that nothing moves."""

from __future__ import annotations

import pytest

from workbench.tui.panes.map_places import by_columns, in_rows, place


@pytest.mark.parametrize(("count", "rows"), [(7, [4, 3]), (6, [3, 3]), (5, [3, 2]), (9, [3, 3, 3]), (1, [1])])
def test_nodes_that_need_several_rows_are_shared_out_evenly(count: int, rows: list[int]) -> None:
    assert [len(row) for row in in_rows(list(range(count)), 111)] == rows


@pytest.mark.parametrize(("width", "height"), [(111, 17), (84, 16), (148, 17), (80, 7), (70, 12), (298, 30)])
@pytest.mark.parametrize(
    "groups", [[[101, 102, 103], [1, 2, 3]], [[1, 2, 3, 4, 5]], [[101], [1]], [[1, 2, 3, 4, 5, 6, 7]]]
)
def test_boxes_stand_apart_and_inside_and_what_runs_between_has_a_row_of_its_own(
    groups: list[list[int]], width: int, height: int
) -> None:
    found = place(groups, width, height)
    cells = {
        (x, y) for box in found.boxes.values() for x in range(box.x, box.right + 1) for y in range(box.y, box.low + 1)
    }
    assert len(cells) == sum(box.width * box.height for box in found.boxes.values())
    assert all(0 <= x < width for x, _ in cells)
    rows = {y for _, y in cells}
    assert not rows & {found.caption, found.bus, *found.rails.values()}
    if height > 10:
        assert max(rows) < height


def test_a_node_keeps_its_place_whoever_leads_and_however_the_network_is_cut() -> None:
    calm = place([[101, 102, 103], [1, 2, 3]], 111, 16)
    assert calm.boxes[101].x == calm.boxes[1].x and calm.boxes[103].x == calm.boxes[3].x
    assert calm.boxes[101].y < calm.caption < calm.bus < calm.boxes[1].y


@pytest.mark.parametrize(
    ("groups", "width", "order"),
    [
        ([[101, 102, 103], [1, 2, 3]], 111, [101, 1, 102, 2, 103, 3]),
        ([[1, 2, 3, 4, 5]], 111, [1, 4, 2, 5, 3]),
        ([[101], [1, 2]], 111, [101, 1, 2]),
        ([], 111, []),
    ],
)
def test_a_column_goes_down_before_the_next_begins(groups: list[list[int]], width: int, order: list[int]) -> None:
    assert by_columns(groups, width) == order
    boxes = place(groups, width, 30).boxes
    assert order == sorted(order, key=lambda node: (boxes[node].x, boxes[node].y))
