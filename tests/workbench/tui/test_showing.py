"""The screen on a simulated cluster, driven by keys."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from cluster.runtime.run.folder import is_alive, read_facts
from tests.support.screens.screen_app import rows, shows, until
from tests.support.worlds.small_lesson import letter_of, write_lesson
from workbench.runs.wanted import Wanted
from workbench.session.beginning import begin_lab
from workbench.session.lesson.page import SIMULATED_LAB
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.lesson_app import simulated_lesson_app
from workbench.tui.settings import Settings
from workbench.tui.showing import app_of
from workbench.tui.ui_state import UiState


async def command(pilot: Pilot[int], app: WorkbenchApp, text: str) -> None:
    await pilot.press("colon")
    app.ui.line.insert(text)
    await pilot.press("enter")


async def test_a_run_is_halted_stepped_rewound_branched_and_compared(tmp_path: Path) -> None:
    app = app_of(begin_lab(Wanted(simulated=True, seed=7, data_dir=str(tmp_path))), SIMULATED_LAB, Settings())
    recording = app.session.recording
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "simulated, seed 7", "x1", "orders-0")
        await pilot.press("plus")
        await shows(pilot, app, " x2 ")
        await pilot.press("g")
        await shows(pilot, app, "HALTED")
        told = len(recording.entries)
        await pilot.press("e")
        await until(pilot, lambda: len(recording.entries) > told)
        assert told < len(recording.entries) < told + 50 and app.ui.pace is not None and app.ui.pace.is_halted
        before_the_kill = len(recording.entries)
        await command(pilot, app, "kill controller")
        await shows(pilot, app, "5 of 6 nodes up")
        await pilot.press("E")
        await shows(pilot, app, "asks for votes", "HALTED")
        await pilot.press("B")
        await shows(pilot, app, "a branch begins in the past")
        parent = app.session.run_folder
        recording.seek(before_the_kill)
        app.commands.run("branch")
        app.commands.run("branch")
        await shows(pilot, app, f"a branch of {parent.name}", "HALTED", "6 of 6 nodes up", "simulated, seed 7")
        assert len(recording.entries) == before_the_kill
        child = app.session.run_folder
        assert {folder.name for folder in (tmp_path / "runs").iterdir()} == {parent.name, child.name}
        facts = read_facts(child)
        assert (facts.parent, facts.branch_events) == (parent.name, before_the_kill)
        assert read_facts(parent).state == "ended" and not is_alive(parent)
        await command(pilot, app, "cut 101-102")
        await pilot.press("0", "g", "C")
        shown = await shows(pilot, app, "Two worlds", "A  as it was", "B  the branch", "You cut n101 from n102")
        assert "First difference" in shown and "kill" in shown
        await pilot.press("escape", "q")
    assert read_facts(child).state == "ended" and not is_alive(child)


async def test_words_do_what_the_keys_do(tmp_path: Path) -> None:
    app = app_of(begin_lab(Wanted(simulated=True, seed=1, data_dir=str(tmp_path))), SIMULATED_LAB, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "LEADER")
        await command(pilot, app, "speed 0.05")
        await shows(pilot, app, " x0.05 ")
        await command(pilot, app, "slower")
        await shows(pilot, app, " x0.02 ")
        await command(pilot, app, "speed 99")
        await shows(pilot, app, "from 0.01 to 50, or max")
        await command(pilot, app, "halt")
        await shows(pilot, app, "HALTED")
        await command(pilot, app, "go now")
        await shows(pilot, app, "go stands alone", "HALTED")
        await command(pilot, app, "go")
        assert "HALTED" not in rows(app)
        await pilot.press("colon", *"verd", "enter")
        await shows(pilot, app, "Verdicts", "promise")
        await pilot.press("q")


async def test_a_command_sent_in_halted_time_says_what_it_waits_for(tmp_path: Path) -> None:
    app = app_of(begin_lab(Wanted(simulated=True, seed=1, data_dir=str(tmp_path))), SIMULATED_LAB, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "orders-0")
        await pilot.press("g", "w")
        await shows(pilot, app, "time is halted: g lets it go")
        await pilot.press("g")
        await shows(pilot, app, "produce orders-0 1 acks=all \u2192 1 of 1 record acknowledged")
        await pilot.press("q")


async def test_a_step_beyond_the_newest_event_of_halted_time_is_the_simulations_next(tmp_path: Path) -> None:
    app = app_of(begin_lab(Wanted(simulated=True, seed=1, data_dir=str(tmp_path))), SIMULATED_LAB, Settings())
    recording = app.session.recording
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "orders-0")
        await pilot.press("g")
        await pilot.pause(0.05)
        told = len(recording.entries)
        await pilot.press("comma", "full_stop")
        await pilot.pause(0.05)
        assert len(recording.entries) == told and recording.cursor == told
        await pilot.press("full_stop")
        await until(pilot, lambda: len(recording.entries) > told)
        assert recording.cursor == len(recording.entries) > told
        await pilot.press("q")


async def test_a_recorded_simulation_is_branched_and_lives_again(tmp_path: Path) -> None:
    app = app_of(begin_lab(Wanted(simulated=True, seed=5, data_dir=str(tmp_path))), SIMULATED_LAB, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "orders-0")
        await pilot.press("q")
    recorded = app.session.run_folder
    session = Session(recorded, None)
    session.load()
    ui = UiState(session.recording, replay=True, title="Free lab", seed=5)
    session.recording.go_live()
    again = WorkbenchApp(session, ui)
    async with again.run_test(size=(120, 40)) as pilot:
        await shows(pilot, again, "simulated, seed 5", "REPLAY")
        await pilot.press("g")
        await shows(pilot, again, "a recording has no time to halt")
        session.recording.seek(100)
        await pilot.press("B")
        await shows(pilot, again, f"a branch of {recorded.name}", "HALTED")
        await pilot.press("g")
        await command(pilot, again, "topic other")
        await shows(pilot, again, ": topic other \u2192 topic other is created")
        child = session.run_folder
        await pilot.press("q")
    assert read_facts(child).parent == recorded.name and not is_alive(child)
    replayed = Session(child, None)
    replayed.load()
    last = WorkbenchApp(replayed, UiState(replayed.recording, replay=True, seed=5))
    async with last.run_test(size=(120, 40)) as pilot:
        await pilot.press("C")
        await shows(pilot, last, "Two worlds", "B  the branch")
        await pilot.press("q")


async def test_processes_are_neither_halted_nor_branched(tmp_path: Path) -> None:
    session = Session(tmp_path, None)
    app = WorkbenchApp(session, UiState(session.recording))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("g")
        await shows(pilot, app, "real processes keep their own time")
        await pilot.press("B")
        await shows(pilot, app, "real processes never do the same twice")
        await pilot.press("V")
        await shows(pilot, app, "no promise checked yet")
        await pilot.press("escape", "q")


async def test_a_lesson_is_played_in_virtual_time_and_left_by_a_branch(tmp_path: Path) -> None:
    lesson = write_lesson(tmp_path)
    app = simulated_lesson_app(lesson, tmp_path / "home", 3, progress_folder=tmp_path / "state")

    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "simulated, seed 3", "step 1/3")
        assert app.ui.pace is not None and app.ui.pace.set("5")
        await pilot.press("enter")
        await shows(pilot, app, "enter: next step")
        await pilot.press("n", letter_of(lesson), "enter")
        await shows(pilot, app, "is right.", "3 of 4 nodes up")
        lived = app.session.run_folder
        app.session.recording.seek(110)
        await pilot.press("B")
        shown = await shows(pilot, app, f"a branch of {lived.name}", "1 Branch", "4 of 4 nodes up")
        assert "step 2/3" not in shown and read_facts(lived).state == "ended"
        await pilot.press("g")
        await command(pilot, app, "kill controller")
        await shows(pilot, app, "3 of 4 nodes up", "LIVE")
        await pilot.press("q")
    assert not is_alive(app.session.run_folder) and read_facts(app.session.run_folder).parent == lived.name
