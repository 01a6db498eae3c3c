"""Beginning anew from the command bar: the same lab, a lesson from its first step, another lesson."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from cluster.runtime.run.folder import read_facts
from tests.support.screens.screen_app import LIMIT_S, made, rows, shows
from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.small_lesson import write_lesson
from workbench.runs.wanted import Wanted
from workbench.session.beginning import begin_lab
from workbench.session.lesson.page import SIMULATED_LAB
from workbench.tui.app import WorkbenchApp
from workbench.tui.lesson_app import lesson_app
from workbench.tui.screens import workbench
from workbench.tui.settings import Settings
from workbench.tui.showing import app_of


async def command(pilot: Pilot[int], app: WorkbenchApp, text: str) -> None:
    await pilot.press("colon")
    app.ui.line.insert(text)
    await pilot.press("enter")


async def test_a_lab_begins_anew_with_its_seed_or_another_and_every_run_before_is_ended_and_kept(
    tmp_path: Path,
) -> None:
    app = app_of(begin_lab(Wanted(simulated=True, seed=3, data_dir=str(tmp_path))), SIMULATED_LAB, Settings())
    folders = []
    async with app.run_test(size=(120, 40)) as pilot:
        for text, seed in (("", 3), ("anew seed 9", 9), ("anew", 9)):
            if text:
                await command(pilot, app, text)
                await shows(pilot, app, "a new run of the same lab")
            shown = await shows(pilot, app, f"simulated, seed {seed}", "orders-0", "LIVE", "6 of 6 nodes up")
            assert "DOWN" not in shown and app.ui.node == 0
            folders.append(app.session.run_folder)
            await pilot.press("down", "k")
            await shows(pilot, app, "DOWN")
            await pilot.press("g")
            await shows(pilot, app, "HALTED")
    assert [(read_facts(folder).seed, read_facts(folder).state) for folder in folders] == [
        (3, "ended"), (9, "ended"), (9, "ended"),
    ]  # fmt: skip


async def test_a_lesson_begins_anew_without_cluster_and_answers(tmp_path: Path) -> None:
    labs = Labs(tmp_path / "runs")
    app = lesson_app(write_lesson(tmp_path), labs, progress_folder=tmp_path / "state")

    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(2):
            await shows(pilot, app, "step 1/3", "enter: do it", "The cluster of this step is not there yet.")
            await pilot.press("enter")
            await shows(pilot, app, "enter: next step", "n101")
            await pilot.press("enter")
            await shows(pilot, app, "choose: a b c")
            await pilot.press("1", "enter")
            await shows(pilot, app, "Another one", "checked 2")
            await command(pilot, app, "anew")
            await shows(pilot, app, "the lesson from its first step", "NOTHING YET")
        await command(pilot, app, "anew seed 3")
        assert "a lesson goes by its own seeds" in rows(app)
    assert [lab.closed for lab in labs.made] == [True, True]


@pytest.mark.parametrize("is_live", [True, False])
async def test_only_what_this_screen_started_begins_anew(tmp_path: Path, is_live: bool) -> None:
    app, lab = made(tmp_path, live=is_live)

    async with app.run_test(size=(120, 40)) as pilot:
        await command(pilot, app, "anew")
        assert "only a lab that began on this screen" in rows(app)
        await command(pilot, app, "anew now")
        assert "anew stands alone" in rows(app)
        await command(pilot, app, "lesson 0")
        assert "is no lesson" in rows(app) and app.next_lesson is None
    assert not lab.left and lab.commands == []


async def test_another_lesson_is_opened_once_the_cluster_has_ended_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = write_lesson(tmp_path / "lessons")
    monkeypatch.setattr("workbench.course.library.find_lesson", lambda name: wanted if name == "2" else None)
    app, lab = made(tmp_path, live=True)

    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("colon", "colon", *"lesson", "space", "2", "enter")
        await pilot.pause()
    assert app.next_lesson is wanted
    assert (app.return_code, lab.left, lab.commands) == (0, True, [])


async def test_a_start_is_left_for_what_the_view_was_to_hold_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbench, "expires_s", lambda _answer: LIMIT_S)  # a busy machine looks seldom
    app = app_of(begin_lab(Wanted(simulated=True, seed=3, data_dir=str(tmp_path))), SIMULATED_LAB, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "orders-0", "LIVE")
        await command(pilot, app, "break vote")
        await command(pilot, app, "anew")
        await shows(pilot, app, "held at:", "asks for votes", "the cluster waits with you")
