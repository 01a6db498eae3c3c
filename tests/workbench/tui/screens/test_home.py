from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.events import MouseScrollDown

from cluster.runtime.run.folder import create_run, take_lock, update_facts
from tests.support.worlds.lesson_world import write_lesson
from workbench.course.progress import record_finished
from workbench.tui.screens.home import Choice, HomeApp, all_choices, draw_home, lesson_choices, run_choices


def made_run(home: Path, title: str, state: str) -> Path:
    folder, lock = create_run(home, title, 3, 3, {}, combined=False)
    os.close(lock)
    update_facts(folder, state=state)
    return folder


def test_finished_lessons_are_marked(tmp_path: Path) -> None:
    write_lesson(tmp_path / "lessons", title="Who leads?")
    (before,) = lesson_choices(tmp_path / "lessons", tmp_path)
    record_finished("01_small", tmp_path)
    (after,) = lesson_choices(tmp_path / "lessons", tmp_path)
    assert (before.note, after.note) == ("5 min", "\u2713 finished") and "Who leads?" in after.text


def test_a_lesson_that_cannot_be_read_is_listed_with_its_mistake(tmp_path: Path) -> None:
    (tmp_path / "02_broken").mkdir()
    (tmp_path / "02_broken" / "lesson.md").write_text("no front matter \x1b[2J")
    (choice,) = lesson_choices(tmp_path, tmp_path)
    assert choice.note == "cannot be read" and choice.text.isprintable()


def test_runs_say_whether_they_are_up_ended_or_ended_abruptly(tmp_path: Path) -> None:
    made_run(tmp_path, "first", "ended")
    made_run(tmp_path, "killed \x1b[31m", "running")
    alive = made_run(tmp_path, "alive", "running")
    lock = take_lock(alive)
    assert lock is not None
    found = {choice.text.partition("  ")[2]: (choice.verb, choice.kind) for choice in run_choices(tmp_path)}
    assert found == {"first": ("replay", ""), "killed \u241b[31m": ("replay", "abrupt"), "alive": ("attach", "up")}
    assert all_choices(tmp_path)[-1].group == "Recorded runs"


@pytest.mark.parametrize("size", ((200, 50), (80, 24), (40, 10), (20, 5), (1, 1)))
@pytest.mark.parametrize("glyphs", ("full", "ascii"))
def test_the_list_fits_every_size_and_shows_what_is_selected(size: tuple[int, int], glyphs: str) -> None:
    choices = [Choice("Lessons", "lesson", str(number), f"lesson {number}") for number in range(40)]
    rows = draw_home(*size, choices, 39, "notice", glyphs).text_rows()
    assert len(rows) == size[1] and all(len(row) == size[0] for row in rows)
    assert size[0] < 40 or any("lesson 39" in row for row in rows)


async def test_arrows_and_enter_choose(tmp_path: Path) -> None:
    made_run(tmp_path, "gone", "starting")

    app = HomeApp(tmp_path)
    assert "ended abruptly" in app.notice
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("end", "enter")
    assert app.return_value is not None and app.return_value.verb == "replay"


async def test_a_click_chooses_a_second_one_opens_and_the_wheel_goes_through_the_list(tmp_path: Path) -> None:
    made_run(tmp_path, "gone", "ended")

    app = HomeApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot._post_mouse_events([MouseScrollDown], None, offset=(60, 10))
        await pilot.pause()
        assert app.selected == 1
        canvas = app._grid._shown
        assert canvas is not None
        last = max((spot for spot in canvas.spots if spot.kind == "row"), key=lambda spot: spot.y)
        await pilot.click(None, offset=(last.x + 4, last.y))
        assert app.choices[app.selected].verb == "replay"
        await pilot.click(None, offset=(last.x + 4, last.y))
    assert app.return_value == app.choices[-1]


async def test_a_recorded_run_is_deleted_by_d_twice_and_kept_by_any_other_key(tmp_path: Path) -> None:
    folder = made_run(tmp_path, "gone", "starting")

    app = HomeApp(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("end", "d")
        assert "d again" in app.notice
        await pilot.press("up", "end", "d")
        assert folder.is_dir()
        await pilot.click(None, offset=(20, 2))
        await pilot.press("end", "d")
        assert folder.is_dir(), "a click is another key too"
        await pilot.press("d")
        assert not folder.exists() and "deleted" in app.notice
        assert all(choice.verb != "replay" for choice in app.choices)


async def test_r_resumes_a_recorded_run_and_nothing_else(tmp_path: Path) -> None:
    made_run(tmp_path, "gone", "starting")

    app = HomeApp(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("r")
        assert app.is_running and app.return_value is None
        await pilot.press("end", "r")
    assert app.return_value is not None and app.return_value.verb == "resume"
