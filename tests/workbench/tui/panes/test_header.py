"""The top row says where one is and whose time it is: one state, never two of them."""

from __future__ import annotations

import pytest

from tests.workbench.tui.panes.test_status import screen
from workbench.session.lesson.page import LessonPage
from workbench.tui.compose import draw_screen
from workbench.tui.frame_rate import BUSY_MACHINE
from workbench.tui.modes import Ending
from workbench.tui.panes.header import clock, whose_time


def test_a_title_that_does_not_fit_ends_with_a_sign() -> None:
    top = draw_screen(80, 24, screen("", title="Cutting to the high watermark and some more words")).text_rows()[0]
    assert "Cutting to the" in top and "\u2026" in top


@pytest.mark.parametrize("name", ["One record, three copies", "In sync means caught up", "Half the news"])
def test_the_name_of_a_lesson_is_whole_on_a_small_screen_and_what_is_left_of_the_strip_too(name: str) -> None:
    ui = screen("", title=name)
    ui.lesson = True
    top = draw_screen(80, 24, ui).text_rows()[0]
    assert name in top
    assert all(f"n{node}" in top for node in (1, 2, 3)) or not any(f" n{node}" in top for node in (1, 2, 3))


@pytest.mark.parametrize(("width", "is_told"), [(120, True), (80, False)])
def test_the_header_says_how_fast_timers_are_where_there_is_room(width: int, is_told: bool) -> None:
    ui = screen("", title="Cutting to the high watermark")
    ui.view.timing = "timers 20 x Kafka's"
    assert ("timers 20 x Kafka's" in draw_screen(width, 40, ui).text_rows()[0]) is is_told


def test_time_passes_in_a_living_run_in_which_nothing_happens_and_stands_while_the_view_is_held() -> None:
    ui = screen("")
    start, newest = ui.recording.timeline.start_ns, ui.recording.t_ns
    ui.now_ns = start + 3_600_500_000_000
    assert draw_screen(120, 40, ui).text_rows()[0].rstrip().endswith("60:00.500")
    ui.recording.pause()
    assert draw_screen(120, 40, ui).text_rows()[0].rstrip().endswith(clock((newest - start) / 1e9))


@pytest.mark.parametrize("size", ((200, 50), (80, 24)), ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_lab_that_is_not_heard_is_not_called_live_also_while_the_view_is_held(size: tuple[int, int]) -> None:
    ui = screen("")
    assert "LIVE" in draw_screen(*size, ui).text_rows()[0]
    ui.silent_s = 12
    assert "SILENT 12 s" in (top := draw_screen(*size, ui).text_rows()[0]) and "LIVE" not in top
    ui.recording.pause()
    assert "SILENT 12 s" in (top := draw_screen(*size, ui).text_rows()[0]) and "HELD" not in top
    ui.mode = Ending("the nodes leave in order ...")
    assert "nothing heard from the lab for 12 s" in "\n".join(draw_screen(*size, ui).text_rows())


def test_only_what_shows_the_newest_is_called_live() -> None:
    ui = screen("")

    def badge() -> str:
        return draw_screen(200, 50, ui).text_rows()[0]

    ui.behind = 120_000
    assert "120,000 EVENTS BEHIND" in badge() and "LIVE" not in badge()
    ui.behind, ui.error = 0, "trace: 1-0.trace is damaged"
    assert "NO MORE EVENTS" in badge() and "LIVE" not in badge()
    ui.error, ui.reading = "", "14 %"
    assert "READING 14 %, this is past" in badge() and "LIVE" not in badge()
    ui.replay = True
    assert "REPLAY, \u2026 14 % READ" in badge()
    ui.replay, ui.reading = False, ""
    assert "LIVE" in badge()
    ui.recording.reset()
    assert "NOTHING YET" in badge() and "LIVE" not in badge()


def test_a_small_screen_has_the_whole_cluster_in_its_top_row() -> None:
    ui = screen("")
    top = draw_screen(80, 24, ui).text_rows()[0]
    assert "\u2605n3 e3" in top and "n1 \u2605n2 n3 ISR 2/3 HW 12" in top
    ui.view.nodes[2].stage = "down"
    assert "\u2605n2\u2717" in draw_screen(80, 24, ui).text_rows()[0]


def test_on_a_small_screen_the_title_goes_before_how_far_the_log_is() -> None:
    top = draw_screen(80, 24, screen("", title="Cutting to the high watermark")).text_rows()[0]
    assert "Cutting to the high\u2026" in top and "\u2605n3 e3" in top and "HW" not in top


@pytest.mark.parametrize("width", (40, 60, 79))
def test_below_the_least_size_the_screen_still_says_who_leads_and_what_happened_last(width: int) -> None:
    rows = draw_screen(width, 20, screen("")).text_rows()
    assert "LIVE" in rows[0] and rows[1].strip() and any("enlarge to 80 x 24" in row for row in rows)
    assert ("\u2605n3 e3" in rows[0]) is (width > 40)
    assert not draw_screen(width, 5, screen("")).text_rows()[0].strip()


def test_a_screen_that_is_drawn_less_often_says_why() -> None:
    ui = screen("")
    ui.fps, ui.slow_because = 8, BUSY_MACHINE
    assert "8 frames/s, busy machine" in draw_screen(160, 45, ui).text_rows()[0]
    assert whose_time(ui)[0] == "\u25cf LIVE"


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_while_a_step_waits_for_its_cluster_the_top_row_tells_nothing_of_the_one_before(size: tuple[int, int]) -> None:
    ui = screen("")
    assert any(word in draw_screen(*size, ui).text_rows()[0] for word in ("nodes up", "\u2605n"))
    ui.page = LessonPage(title="Lesson", awaits_cluster=True)
    top = draw_screen(*size, ui).text_rows()[0]
    assert "NOTHING YET" in top
    assert not any(sign in top for sign in ("up", "\u2605", "ISR", "LIVE", "00:"))
