"""What stands beside the list of the first screen."""

from __future__ import annotations

import pytest

from tests.support.traces.story import full_story
from workbench.session.comparison import World
from workbench.session.preview import Preview
from workbench.session.recording import Recording
from workbench.session.story.rows import Row
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.home_preview import draw_run

KILLED = Row(7, 0, "head", "61.2", "\u2717", "bad", "You killed n103, the leader")
COST = Row(7, 0, "cost", "", "", "info", "no leader for 0.58 s")


def drawn(known: Preview | None, width: int = 56, height: int = 20) -> list[str]:
    canvas = Canvas(width, height)
    draw_run(canvas.area(Rect(0, 0, width, height)), "Free lab, real processes, today 09:41", known)
    return [row.rstrip() for row in canvas.text_rows()]


def test_a_run_that_is_not_read_yet_says_so() -> None:
    assert " looking into it ..." in drawn(None)


def test_a_run_is_its_numbers_and_what_happened() -> None:
    rows = drawn(Preview("", 108.0, ("214 records acknowledged, 3 lost", "4 faults"), (KILLED, COST)))
    assert rows[1] == " 108 s long"
    assert " 214 records acknowledged, 3 lost" in rows and " 4 faults" in rows
    assert "    61.2  \u2717 You killed n103, the leader" in rows
    assert "          no leader for 0.58 s" in rows


def test_its_time_and_its_last_picture_are_drawn_where_there_is_room() -> None:
    recording = Recording()
    recording.extend(full_story())
    known = Preview("", 108.0, ("214 records acknowledged",), (KILLED, COST), World("one", "one", recording))
    rows = drawn(known, 57, 37)
    at = rows.index(" the run at a glance")
    assert any("\u2605" in row and "quorum" in row for row in rows[at : at + 4]), "who led, by name"
    assert " its last picture" in rows and "LEO" in rows[-1]
    low = drawn(known, 57, 20)
    assert " its last picture" not in low and "    61.2  \u2717 You killed n103, the leader" in low


@pytest.mark.parametrize("size", [(20, 6), (40, 3), (1, 1)])
def test_what_does_not_fit_is_said_to_go_on(size: tuple[int, int]) -> None:
    rows = drawn(Preview("", 108.0, ("214 records acknowledged",), (KILLED, COST) * 20), *size)
    assert len(rows) == size[1] and (size[0] < 10 or "more" in rows[-1])
