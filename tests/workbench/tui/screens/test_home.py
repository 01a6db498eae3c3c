from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest
from textual.events import MouseScrollDown

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run, update_facts
from tests.support.traces.files import write_trace
from tests.support.traces.story import full_story
from workbench.course.progress import PROGRESS, finished_missions, record_mission
from workbench.support.state_files import state_folder
from workbench.tui.screens.home import HomeApp, draw_home
from workbench.tui.screens.home_choices import (
    Choice,
)


def made_run(home: Path, title: str, state: str) -> Path:
    folder, lock = create_run(home, ClusterSpec(title=title, controllers=3, brokers=3))
    os.close(lock)
    update_facts(folder, state=state)
    return folder


@pytest.mark.parametrize("size", ((200, 50), (80, 24), (40, 10), (20, 5), (1, 1)))
@pytest.mark.parametrize("glyphs", ("full", "ascii"))
def test_the_list_fits_every_size_and_shows_what_is_selected(size: tuple[int, int], glyphs: str) -> None:
    choices = [Choice("Lessons", "lesson", str(number), f"lesson {number}") for number in range(40)]
    rows = draw_home(*size, choices, 39, "notice", glyphs).text_rows()
    assert len(rows) == size[1] and all(len(row) == size[0] for row in rows)
    assert size[0] < 40 or any("lesson 39" in row for row in rows)


async def test_at_80x24_labs_stand_above_the_lessons_and_below_it_is_told_what_else_there_is(tmp_path: Path) -> None:
    made_run(tmp_path, "gone", "ended")
    app = HomeApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "up")
        rows = app.text_rows()
        shown = [next(y for y, row in enumerate(rows) if word in row) for word in ("Missions", "Lessons", "01  ")]
        assert shown == sorted(shown)
        assert "\u2193 Challenges, Quiz, Incidents, Recorded runs" in rows[-2]
        parts = []
        for _ in range(6):
            await pilot.press("tab")
            parts.append(app.choices[app.selected].group)
        assert parts == ["Lessons", "Challenges", "Quiz", "Incidents", "Recorded runs", "Free lab"]
        await pilot.press("shift+tab")
        assert app.choices[app.selected].verb == "replay" and "\u2193" not in app.text_rows()[-2]


async def test_escape_closes_what_is_open_and_leaves_nothing(tmp_path: Path) -> None:
    made_run(tmp_path, "gone", "ended")
    app = HomeApp(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("escape")
        assert app.notice == "q quits" and app.is_running
        await pilot.press("end", "d", "escape")
        assert app.notice == "nothing deleted" and len(list((tmp_path / "runs").iterdir())) == 1
        await pilot.press("q")
    assert app.return_code == 0


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
    async with app.run_test(size=(120, 60)) as pilot:
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
        for _ in range(30):  # they may be below what a small screen shows at first
            if any("Missions: break it on purpose" in row for row in app.text_rows()):
                break
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


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_what_is_to_be_said_is_said_whole(size: tuple[int, int]) -> None:
    choices = [Choice("Runs", "replay", f"run-{number}", "Free lab") for number in range(60)]
    notice = "d again deletes 20261128-063122-97984, 12.4 MB, for good; any other key keeps it"
    rows = draw_home(*size, choices, 59, notice, "full").text_rows()
    assert notice in " ".join(row.strip() for row in rows[-3:-1]) and "choose" in rows[-1]
    assert "\u25b8" in "".join(rows[:-3]), "what is selected is in sight"
    assert "short" in draw_home(*size, choices, 59, "short", "full").text_rows()[0]


def test_progress_that_is_damaged_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    path = state_folder() / PROGRESS
    path.parent.mkdir(parents=True)
    path.write_text("{ no json")
    app = HomeApp(tmp_path)
    assert f"{path}: is damaged" in app.notice and len(app.choices) > 5
    path.write_text('{"finished": 3, "missions": [1]}')
    assert HomeApp(tmp_path).notice == "" and finished_missions() == {}


async def test_a_recorded_run_is_exported_into_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made_run(tmp_path, "mine", "ended")
    (run / "trace").mkdir(exist_ok=True)
    write_trace(run, full_story())
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    app = HomeApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("end", "e")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "holds the run" in app.notice
        await pilot.press("q")
    (made,) = (tmp_path / "here").iterdir()
    with tarfile.open(made) as packed:
        assert f"{run.name}/run.json" in packed.getnames()


async def test_c_on_one_run_and_then_on_another_compares_them(tmp_path: Path) -> None:
    runs = sorted(made_run(tmp_path, name, "ended").name for name in ("one", "two"))
    app = HomeApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("end", "c")
        assert app.notice == f"c on another run compares it with {runs[0]}"
        await pilot.press("up", "c")
    choice = app.return_value
    assert choice is not None and (choice.verb, choice.name, choice.text) == ("compare", runs[1], runs[0])


async def test_a_slash_finds_a_line_by_what_it_says(tmp_path: Path) -> None:
    made_run(tmp_path, "needle in the hay", "ended")
    app = HomeApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("slash", *"needle")
        assert "needle" in app.choices[app.selected].text and app.notice == "/needle"
        await pilot.press("z")
        assert "nothing here says it" in app.notice and "needle" in app.choices[app.selected].text
        await pilot.press("backspace", "enter", "q")
    assert app.return_value is None, "enter ended the search and opened nothing"


@pytest.mark.parametrize("size", ((120, 40), (80, 24)))
async def test_a_question_mark_tells_the_keys(tmp_path: Path, size: tuple[int, int]) -> None:
    app = HomeApp(tmp_path)
    async with app.run_test(size=size) as pilot:
        await pilot.press("question_mark")
        assert "pack it into one file" in " ".join(" ".join(app.text_rows()).split())
        await pilot.press("escape")
        assert "pack it into one file" not in " ".join(" ".join(app.text_rows()).split())
        await pilot.press("q")


def test_the_bar_of_what_is_selected_has_no_hole() -> None:
    canvas = draw_home(80, 24, [Choice("Lessons", "lesson", "1", "one", "10 min")], 0, "", "full")
    y = next(y for y, row in enumerate(canvas.text_rows()) if "10 min" in row)
    styles = canvas.styles[y][2:-2]
    assert len(set(styles)) == 1, "from the mark to the note"
