from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest
from textual.events import MouseScrollDown

from cluster.runtime.run.folder import create_run, take_lock, update_facts
from tests.support.worlds.lesson_world import write_lesson
from workbench.course.progress import PROGRESS, finished_missions, record_finished, record_mission
from workbench.support.state_files import state_folder
from workbench.tui.screens.home import Choice, HomeApp, all_choices, began_said, draw_home, lesson_choices, run_choices


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


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 45)])
async def test_what_is_selected_is_told_beside_the_list_where_there_is_room(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    made_run(tmp_path, "gone", "ended")
    app = HomeApp(tmp_path)
    async with app.run_test(size=size) as pilot:
        await pilot.press("down")
        rows = app.text_rows()
        assert any("Missions: break it on purpose" in row and "0 of 8 done" in row for row in rows)
        await pilot.press("end")
        while app.choices[-1].name not in app.previews:
            await pilot.pause()
        text = "\n".join(app.text_rows())
    assert "gone" in text and "today" in text
    assert ("its trace holds no events" in text) is (size[0] >= 100)


async def test_missions_are_listed_with_how_they_were_done(tmp_path: Path) -> None:
    record_mission("kill-leader", "0.58 s")
    app = HomeApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        app.selected = next(place for place, choice in enumerate(app.choices) if choice.name == "missions")
        await pilot.press("down", "up")
        text = "\n".join(app.text_rows())
    assert "\u2713 Kill the leader of the quorum" in text and "0.58 s" in text and "1 of 8 done" in text


def test_progress_that_is_damaged_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    path = state_folder() / PROGRESS
    path.parent.mkdir(parents=True)
    path.write_text("{ no json")
    app = HomeApp(tmp_path)
    assert f"{path}: is damaged" in app.notice and len(app.choices) > 5
    path.write_text('{"finished": 3, "missions": [1]}')
    assert HomeApp(tmp_path).notice == "" and finished_missions() == {}


def test_a_date_is_said_as_one_would() -> None:
    now = datetime(2026, 11, 22, 10, 0)
    assert began_said("2026-11-22T09:41:00", now) == "today 09:41"
    assert began_said("2026-11-21T23:59:00+01:00", now) == "yesterday"
    assert began_said("2026-11-03T09:41:00", now) == "3 Nov"
    assert began_said("soon", now) == ""
