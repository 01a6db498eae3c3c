"""The end of a log in the box of a node."""

from __future__ import annotations

import pytest

from cluster.model.identifiers import TopicPartition
from cluster.picture.logs import LogCut, LogState
from workbench.tui.panes.log_cells import few_cells
from workbench.tui.theme.palette import committed_cell


def log(end: int, high_watermark: int) -> LogState:
    found = LogState()
    found.append(0, end, [(0, end, 0, "")])
    found.high_watermark, found.durable_offset = high_watermark, end
    return found


def text(lane: LogState, room: int) -> str:
    return "".join(part for part, _ in few_cells(lane, room))


@pytest.mark.parametrize("room", [8, 16, 21, 26])
def test_the_newest_records_fit_and_the_bar_stands_where_reading_ends(room: int) -> None:
    shown = text(log(40, 39), room)
    assert len(shown) <= room and shown.rstrip().endswith("\u258c0")
    assert text(log(40, 40), room).rstrip().endswith("0\u258c")


def test_records_that_were_cut_stand_struck_behind_the_bar() -> None:
    lane = log(8, 5)
    lane.cut(LogCut(0, 1, TopicPartition("orders", 0), 8, 5, 5, "truncated", ""))
    parts = few_cells(lane, 21)
    struck = [part for part, look in parts if look.strike]
    assert struck == ["0", " ", "0", " ", "0"] or [part for part in struck if part.strip()] == ["0", "0", "0"]


def test_committed_records_have_the_ground_of_their_epoch() -> None:
    assert few_cells(log(3, 3), 20)[0][1] == committed_cell(0)
