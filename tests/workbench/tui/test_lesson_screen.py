from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.screens.screen_app import rows, shows
from tests.support.worlds.lesson_world import write_lesson
from tests.support.worlds.paper_lab import Labs
from workbench.session.lesson.page import LessonPage
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.lesson_app import lesson_app
from workbench.tui.ui_state import UiState


async def test_a_lesson_is_played_with_keys(tmp_path: Path) -> None:
    labs = Labs(tmp_path / "runs")
    app = lesson_app(write_lesson(tmp_path), labs, progress_folder=tmp_path / "state")

    async with app.run_test(size=(120, 40)) as pilot:
        assert "step 1/3" in rows(app) and "enter: do it" in rows(app)
        await pilot.press("n")
        assert "do this step first" in rows(app)
        await pilot.press("enter")
        await shows(pilot, app, "enter: next step")
        await pilot.press("enter", "enter")
        assert "predict first: a, b" in rows(app)
        await pilot.press("left")
        assert "step 1/3" in rows(app), "the arrow turns back and is no answer, as b would be"
        await pilot.press("right")
        assert "predict first" in rows(app) and "\u25b6b" not in rows(app)
        await pilot.press("1")
        assert "\u25b6a  The one that was killed" in rows(app)
        await pilot.press("b", "enter")
        await shows(pilot, app, "\u2713b  Another one", "b is right.", "A dead node hears")
        await pilot.press("right")
        assert "step 3/3" in rows(app) and "lesson finished" in rows(app)
        await pilot.press("left", "left")
        assert "step 1/3" in rows(app)
    assert labs.made[0].closed


async def test_keys_of_another_mode_are_not_listed(tmp_path: Path) -> None:
    app = lesson_app(write_lesson(tmp_path), Labs(tmp_path / "runs"))

    async with app.run_test(size=(200, 50)) as pilot:
        assert "n b next, back" in rows(app).splitlines()[-1]
        await pilot.press("k")
        assert "no cluster runs yet" in rows(app) or "kill" in rows(app)
        await pilot.press("escape", "question_mark")
        assert "run the step" in rows(app)
        await pilot.press("pagedown")
        assert "predict, while a question is open" in rows(app)


def test_on_a_small_screen_an_open_question_stays_in_sight_below_long_prose() -> None:
    ui = UiState(Recording(), lesson=True, focus="lesson")
    ui.main = "lesson"
    ui.page = LessonPage("t", step=1, steps=2, heading="h", prose="word " * 400, question="Who leads?", asks=True,
                         choices=("Nobody", "The one that was killed"), button="predict first")  # fmt: skip
    shown = draw_screen(80, 24, ui).text_rows()
    assert sum("word" in row for row in shown) > 4
    for wanted in ("Who leads?", "a  Nobody", "b  The one that was killed", "predict first"):
        assert any(wanted in row for row in shown), wanted
    ui.page = replace(ui.page, asks=False, answered="a", right="b")
    assert not any("Who leads?" in row for row in draw_screen(80, 24, ui).text_rows()), "answered: it scrolls"
