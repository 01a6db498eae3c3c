"""Text from outside in every pane, overlay and list: shown, never obeyed."""

from __future__ import annotations

import pytest

from tests.support.screens.hostile import PAYLOADS
from tests.support.traces import story
from workbench.session.explanation import explanation
from workbench.session.lesson.markdown import plain_prose
from workbench.session.lesson.page import LessonPage
from workbench.session.recording import Recording
from workbench.support.safe_text import safe_text
from workbench.tui.answer import bad
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas, ascii_text
from workbench.tui.drawing.layout import PANES
from workbench.tui.modes import Help, Starting, Typing, Watching, Why
from workbench.tui.screens.home import draw_home
from workbench.tui.screens.home_choices import Choice
from workbench.tui.ui_state import UiState

SIZE = (110, 34)


def check(canvas: Canvas) -> str:
    """Every row is exactly as wide as the screen and has nothing in it that a terminal would obey."""
    for y, row in enumerate(canvas.text_rows()):
        assert len(row) == canvas.width and row.isprintable(), repr(row)
        assert canvas.strip(y).cell_length == canvas.width, "wide characters would push the frame apart"
        assert not any("\u0300" <= char <= "\u036f" or "\u202a" <= char <= "\u202e" for char in row)
    return "\n".join(canvas.text_rows())


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_every_pane_shows_it_as_text(payload: str) -> None:
    recording = Recording()
    recording.extend(story.hostile_story(payload))
    ui = UiState(recording, title=safe_text(payload), answer=bad(safe_text(payload)))
    ui.page = LessonPage(
        safe_text(payload), 1, 2, safe_text(payload), plain_prose(payload), question=plain_prose(payload),
        choices=(safe_text(payload),) * 4, script=(("failed", safe_text(payload)),), status=safe_text(payload),
    )  # fmt: skip
    for zoom in ("", *PANES):
        ui.zoom = zoom
        check(draw_screen(*SIZE, ui))
    ui.line.insert(payload)
    for mode in (
        Why(explanation(recording, len(recording.entries) - 1), is_open=True), Help(), Typing(wrong=payload),
        Typing((payload,)), Starting(), Watching(),
    ):  # fmt: skip
        ui.mode = mode
        check(draw_screen(*SIZE, ui))
    ui.glyphs = "ascii"
    assert check(draw_screen(*SIZE, ui)).isascii()


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_the_first_screen_and_plain_lines_show_it_as_text(payload: str) -> None:
    text = safe_text(payload, 80)
    check(draw_home(100, 30, [Choice(text, "replay", "x", text, text, "abrupt")], 0, text, "full"))
    assert ascii_text(safe_text(payload)).isascii() and ascii_text(safe_text(payload)).isprintable()


def test_escapes_stay_visible() -> None:
    recording = Recording()
    recording.extend(story.hostile_story("\x1b[2J\u202eevil"))
    ui = UiState(recording, title="x", zoom="events")
    assert "\u241b[2J<U+202E>evil" in check(draw_screen(*SIZE, ui))
