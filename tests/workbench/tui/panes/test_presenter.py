"""Before a room: the banner, hidden answers, a pointer, a dark screen."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from tests.support.traces import story
from workbench.session.lesson.page import LessonPage, Piece
from workbench.session.recording import Recording
from workbench.telling.tell import describe
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.modes import Blank, Watching
from workbench.tui.theme.palette import POINTED
from workbench.tui.ui_state import UiState

SIZES = ((200, 50), (120, 40), (80, 24))


def presenting(cursor: int | None = None) -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    if cursor is not None:
        recording.seek(cursor)
    return UiState(recording, replay=True, title="Elections", presenting=True)


def text(canvas: Canvas) -> str:
    return "\n".join(canvas.text_rows())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_banner_tells_the_headline_and_what_it_belongs_to(size: tuple[int, int]) -> None:
    ui = presenting()
    moment = ui.recording.story.moments[-1]
    incident = ui.recording.story.incidents[moment.incident]
    rows = draw_screen(*size, ui).text_rows()
    assert moment.text[: size[0] - 10] in rows[2]
    assert incident.head.said[-1].text[: size[0] - 10] in rows[3]
    assert "[" in "".join(rows[4:]), "the panes stand below it"
    ui.presenting = False
    assert moment.text[: size[0] - 10] not in draw_screen(*size, ui).text_rows()[2]


def test_a_selected_event_is_the_one_in_the_banner() -> None:
    ui = presenting()
    ui.events.update(ui.recording)
    ui.events.choose(3)
    assert describe(ui.recording.entries[3]) in draw_screen(200, 50, ui).text_rows()[2]


def test_after_a_long_calm_the_banner_says_who_leads() -> None:
    ui = presenting()
    told = story.Story()
    told.now_ms = 100_000
    for _ in range(2100):
        told.say(1, ev.MetadataHighWatermarkAdvanced(high_watermark=9, epoch=1, role="leader", log_end_offsets=()))
    ui.recording.extend(told.entries)
    ui.recording.go_live()
    assert " leads the quorum in e" in draw_screen(200, 50, ui).text_rows()[2]


def test_before_the_first_event_the_banner_says_so() -> None:
    assert "Nothing has happened yet" in text(draw_screen(120, 40, presenting(cursor=0)))


def test_answers_are_hidden_until_they_are_asked_for() -> None:
    ui = presenting()
    ui.replay, ui.lesson = False, True
    ui.page = LessonPage(title="T", heading="H", question="Who leads?", choices=("n1", "n2"), answered="a", right="b",
                         verdict="b was right",
                         after=(Piece("prose", "Because its log was longer."),))  # fmt: skip
    hidden = text(draw_screen(200, 50, ui))
    assert "Who leads?" in hidden and "A shows the answer" in hidden
    assert "b was right" not in hidden and "longer" not in hidden and "\u2713b" not in hidden
    ui.answers_shown = True
    shown = text(draw_screen(120, 40, ui))
    assert "b was right" in shown and "\u2713b  n2" in shown and "\u2717a  n1" in shown


def test_the_event_of_an_answer_does_not_tell_it() -> None:
    ui = presenting()
    told = story.Story()
    told.now_ms = 10_000
    ui.events.set_filter("all", 0)
    told.say(9001, ev.PredictionAnswered(question="who", answer="a", right_answer="b"))
    ui.recording.extend(told.entries)
    ui.recording.go_live()
    hidden = text(draw_screen(200, 50, ui))
    assert "right is b" not in hidden and "an answer was given, A shows it" in hidden
    ui.answers_shown = True
    assert "answered who: a, right is b" in text(draw_screen(200, 50, ui))


def test_the_row_below_the_pointer_is_marked_across_its_pane_and_no_other() -> None:
    ui = presenting()
    ui.pointer = (60, 30)
    plain = draw_screen(120, 40, presenting())
    canvas = draw_screen(120, 40, ui)
    marked = {
        (x, y)
        for y in range(40)
        for x in range(120)
        if (ground := canvas.styles[y][x].bgcolor) is not None and ground.name == POINTED
    }
    pane = next(spot for spot in canvas.spots if spot.kind == "pane" and spot.holds(60, 30))
    assert marked and {y for _, y in marked} == {30}
    assert all(pane.x <= x < pane.x + pane.width for x, _ in marked)
    assert canvas.text_rows() == plain.text_rows()


def test_without_colour_the_pointed_row_is_reversed() -> None:
    ui = presenting()
    ui.pointer, ui.glyphs = (60, 30), "mono"
    canvas = draw_screen(120, 40, ui)
    assert any(look.reverse for look in canvas.styles[30])


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_dark_screen_shows_nothing_but_how_to_end_it(size: tuple[int, int]) -> None:
    ui = presenting()
    ui.mode = Blank(Watching())
    assert text(draw_screen(*size, ui)).split() == ["any", "key", "shows", "the", "screen", "again"]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_room_sees_wider_cells(size: tuple[int, int]) -> None:
    ui = presenting()
    ui.zoom = "logs"
    ui.log_index = 0

    def ruler() -> int:
        rows = draw_screen(*size, ui).text_rows()
        (row,) = [row for row in rows if " 0 " in row and " 5 " in row and not row.count("e")]
        return row.index(" 5 ") - row.index(" 0 ")

    before_a_room = ruler()
    ui.presenting = False
    assert before_a_room > ruler()


def test_before_a_room_an_open_question_is_answered_by_its_letters_as_elsewhere() -> None:
    ui = presenting()
    ui.lesson, ui.zoom = True, "lesson"
    ui.page = LessonPage(
        title="Elections", question="Who leads?", choices=("one", "two"), asks=True, button="choose: a b"
    )
    assert "choose: a b" in text(draw_screen(120, 40, ui))


def test_the_banner_says_no_sentence_twice() -> None:
    for moment in presenting().recording.story.moments:
        rows = draw_screen(120, 40, presenting(moment.place + 1)).text_rows()
        head = presenting().recording.story.incidents[moment.incident].head.at(moment.place + 1)
        told = head.text.rstrip(".") if head is not None else "?"
        assert not (told in rows[2] and told in rows[3]), rows[2:4]
