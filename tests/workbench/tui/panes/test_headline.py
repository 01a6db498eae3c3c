"""One sentence on top: the newest news, or that all is well."""

from __future__ import annotations

import re

from tests.workbench.tui.panes.test_panes import state
from workbench.session.story.headline import headline
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import whole
from workbench.tui.panes.headline import FRESH_NS
from workbench.tui.theme.roles import FILLS, GROUNDS


def test_the_newest_news_stands_in_the_second_row_at_every_size() -> None:
    for size in ((200, 50), (120, 40), (80, 24)):
        ui = state()
        recording = ui.recording
        told = headline(recording.story, ui.view, recording.cursor, ui.shown_ns)
        row = draw_screen(*size, ui).text_rows()[1]
        words = f"{told.glyph} {told.text}".split()
        assert row.split()[:6] == words[:6]


def test_news_is_filled_and_fades_with_the_clock_of_the_screen() -> None:
    ui = state()
    ui.replay = False
    ground = draw_screen(120, 40, ui).styles[1][0].bgcolor
    assert ground is not None and ground.name in {fill.dark for fill in FILLS.values()}
    ui.now_ns = ui.recording.t_ns + FRESH_NS + 1
    ground = draw_screen(120, 40, ui).styles[1][0].bgcolor
    assert ground is not None and ground.name == GROUNDS["raised"].dark


def test_where_room_is_short_whole_sentences_go() -> None:
    told = "n101 leads in e1. n1 leads orders-0, 3.5 s ago. 60 records."
    assert whole(told, 80) == told
    assert whole(told, 50) == "n101 leads in e1. n1 leads orders-0, 3.5 s ago."
    assert whole(told, 47) == "n101 leads in e1. n1 leads orders-0, 3.5 s ago."
    assert whole(told, 46) == "n101 leads in e1."
    assert whole(told, 12) == "n101 leads\u2026"


def test_where_room_is_short_what_it_cost_stands_before_how_many_votes_there_were() -> None:
    ui = state()
    place = next(
        moment.place for moment in ui.recording.story.teller.moments if "There was no leader for" in moment.text
    )
    ui.recording.seek(place + 1)
    row = draw_screen(80, 24, ui).text_rows()[1]
    assert re.search(r"leads the quorum in e\d+\..*no leader for [0-9.]+ (ms|s)\.", row), row
    assert "votes" in draw_screen(200, 50, ui).text_rows()[1]
