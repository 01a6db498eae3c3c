"""Pane 1 of a free lab: every mission has a row, one of them its hint or its steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens.bare_host import Bench
from tests.support.traces import story
from tests.support.worlds.mission_world import after
from workbench.session.missions.board import MISSIONS, Board
from workbench.session.missions.mission import Mission
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen, title_of
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.input.keyboard import Keyboard
from workbench.tui.panes.missions import draw_missions
from workbench.tui.ui_state import UiState


def pane(board: Board, width: int = 40, height: int = 26, at_ns: int = 0) -> list[str]:
    recording = Recording()
    if at_ns:
        recording.extend(story.full_story())
    ui = UiState(recording, missions=board, now_ns=at_ns)
    canvas = Canvas(width, height)
    draw_missions(canvas.area(Rect(0, 0, width, height)), ui)
    return [row.rstrip() for row in canvas.text_rows()]


def test_before_anything_is_done_the_first_mission_says_which_key(tmp_path: Path) -> None:
    rows = pane(Board(tmp_path))
    assert rows[:3] == [
        " \u25b8 Follow one record to all replicas",
        "   Press w to write one. Watch it go",
        "   from the leader to the other",
    ]
    assert (
        " \u00b7 Lose an acknowledged record 3 faults" in rows
        and " \u00b7 Make a disk lie             2 faults" in rows
    )


def test_a_hint_names_the_keys_that_the_user_has(tmp_path: Path) -> None:
    ui = UiState(Recording(), missions=Board(tmp_path), keyboard=Keyboard({"client.write": ("f5",)}))
    canvas = Canvas(40, 26)
    draw_missions(canvas.area(Rect(0, 0, 40, 26)), ui)
    assert "   Press f5 to write one. Watch it go" in [row.rstrip() for row in canvas.text_rows()]


def test_what_was_done_shows_its_steps_until_the_next_attempt(tmp_path: Path) -> None:
    rows = pane(after(tmp_path, "kill {led}", 3.0))
    assert " \u25b8 Follow one record to all replicas" in rows, "what is to be done next is said beside it"
    place = next(place for place, row in enumerate(rows) if "Kill the leader of the quorum" in row)
    assert rows[place].startswith(" \u2713") and "is dead" in rows[place + 1] and "votes" in rows[place + 3]
    later = pane(Board(tmp_path / "progress"))
    assert any("\u2713 Kill the leader of the quorum" in row and row.endswith(" s") for row in later)


def test_a_mission_was_done_just_now_for_ten_seconds(tmp_path: Path) -> None:
    """It said so until another was done, a minute later too."""
    board = after(tmp_path, "kill {led}", 3.0)
    assert board.newest_ns
    for later_s, told in ((9, True), (11, False)):
        rows = pane(board, 46, at_ns=board.newest_ns + later_s * 1_000_000_000)
        row = next(row for row in rows if "Kill the leader of the quorum" in row)
        assert row.endswith("just now" if told else board.results["kill-leader"])
        assert any("is dead" in row for row in rows), "what came about stays open"


def test_an_attempt_that_took_too_much_says_so_and_what_to_do(tmp_path: Path) -> None:
    text = " ".join(" ".join(pane(after(tmp_path, "kill 3", 4.0))).split())
    assert "a process was ended, and that may not be used. h heals all" in text
    again = tmp_path / "again"
    again.mkdir()
    text = " ".join(" ".join(pane(after(again, "kill 3", 4.0, "start 3", 4.0))).split())
    assert "a process was ended" not in text, "all is well again: the next fault begins another attempt"


@pytest.mark.parametrize("size", [(26, 10), (32, 20), (44, 40), (1, 1)])
@pytest.mark.parametrize("kind", MISSIONS, ids=lambda kind: kind.name)
def test_every_hint_fits_every_size(tmp_path: Path, size: tuple[int, int], kind: type[Mission]) -> None:
    board = Board(tmp_path)
    board.results = {other.name: "1 fault" for other in MISSIONS if other is not kind}
    assert board.current is not None and board.current.name == kind.name
    rows = pane(board, *size)
    assert len(rows) == size[1] and all(len(row) <= size[0] for row in rows)
    words = UiState(Recording()).keyboard.said(board.current.hint(Recording().live))
    assert "{" not in words and "(no key)" not in words


def test_a_screen_with_missions_has_them_where_a_lesson_would_be(tmp_path: Path) -> None:
    ui = UiState(Recording(), missions=Board(tmp_path))
    assert title_of("lesson", ui) == ("1 Missions", "0 of 8 done")
    assert any("Follow one record" in row for row in draw_screen(160, 45, ui).text_rows())
    ui.missions = None
    assert title_of("lesson", ui)[0] == "1 Free lab"


def test_the_smallest_screen_has_a_row_for_the_mission_to_do(tmp_path: Path) -> None:
    ui = Bench(tmp_path).ui
    ui.missions = Board(tmp_path)
    rows = draw_screen(80, 24, ui).text_rows()
    mission = ui.missions.current
    assert mission is not None and rows[-3].startswith(f" \u25b8 {mission.title}") and mission.steps[0][:20] in rows[-3]
    mission.tick(0, "it is dead")
    assert "\u2713 it is dead" in draw_screen(80, 24, ui).text_rows()[-3]
    ui.missions.results = dict.fromkeys((each.name for each in ui.missions.missions), "done")
    assert "all missions are done" in draw_screen(80, 24, ui).text_rows()[-3]
    ui.missions = None
    assert "\u25b8" not in draw_screen(80, 24, ui).text_rows()[-3][:3], "without missions the story has the row"


def test_the_title_of_the_mission_to_do_is_whole_in_a_narrow_pane(tmp_path: Path) -> None:
    rows = pane(Board(tmp_path), 34)
    assert rows[0].split() == ["\u25b8", "Follow", "one", "record", "to", "all"] and rows[1].split() == ["replicas"]


@pytest.mark.parametrize("size", [(120, 40), (160, 45), (200, 50)])
def test_no_mission_is_cut_while_the_story_below_has_rows_to_spare(tmp_path: Path, size: tuple[int, int]) -> None:
    ui = UiState(Recording(), missions=Board(tmp_path))
    shown = "\n".join(draw_screen(*size, ui).text_rows())
    assert all(mission.title[:20] in shown for mission in MISSIONS) and "6 Story" in shown
