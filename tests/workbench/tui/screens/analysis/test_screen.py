"""The analysis screen over a run: opened by its key, fed by a real process, left again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cluster.model import events as ev
from tests.support.traces import story
from tests.support.traces.made_events import RUN, write_run
from workbench.analysis.java import find_java
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.analysis.job import Analyst
from workbench.tui.screens.analysis.screen import AnalysisScreen
from workbench.tui.screens.workbench import WorkbenchScreen
from workbench.tui.ui_state import UiState

START = ev.RunStarted(config="{}", world="processes", title="A lesson")
STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(1, 5)]


def _app(folder: Path) -> WorkbenchApp:
    session = Session(folder, None)
    session.recording.extend(story.full_story())
    return WorkbenchApp(session, UiState(session.recording, replay=True, title="Elections"))


async def _shows(pilot: Pilot[int], app: WorkbenchApp, wanted: str, polls: int) -> str:
    for _ in range(polls):
        if isinstance(app.screen, AnalysisScreen):
            app.screen.tick()
            shown = "\n".join(app.screen.text_rows())
            if wanted in shown:
                return shown
        await pilot.pause(0.05)
    raise AssertionError(f"{wanted} did not appear")


async def _leaves(pilot: Pilot[int], app: WorkbenchApp) -> None:
    """Escape, without waiting for the widgets that go with it."""
    app.simulate_key("escape")
    for _ in range(600):
        if isinstance(app.screen, WorkbenchScreen):
            return
        await pilot.pause(0.05)
    raise AssertionError("the analysis screen stays")


async def test_a_run_that_cannot_be_analysed_says_why_and_the_run_is_still_there(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / RUN
    (folder / "trace").mkdir(parents=True)
    app = _app(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("D")
        shown = await _shows(pilot, app, "No analysis", 600)
        assert "make install-analysis" in shown or "its trace holds no events" in shown
        await _leaves(pilot, app)


async def test_an_analysis_that_is_left_while_it_works_leaves_the_run_on_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = [sys.executable, "-c", "import signal; signal.pause()"]
    monkeypatch.setattr(Analyst, "command", lambda _self: endless)
    folder = tmp_path / "runs" / RUN
    (folder / "trace").mkdir(parents=True)
    app = _app(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("D")
        await _shows(pilot, app, "esc back", 600)
        assert isinstance(app.screen, AnalysisScreen) and app.screen.job.is_working
        await _leaves(pilot, app)
        await pilot.press("F", "escape")
        assert app.is_running and isinstance(app.screen, WorkbenchScreen)


async def test_before_there_is_a_run_there_is_nothing_to_analyse(tmp_path: Path) -> None:
    app = _app(Path())
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("D")
        assert isinstance(app.screen, WorkbenchScreen)
        assert app.screen.ui.answer[0] == "there is no run to analyse yet"


@pytest.mark.spark
async def test_the_key_makes_the_tables_and_shows_them(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    java = find_java()
    if java is None or not java.serves:
        pytest.skip("no Java 17 or newer")
    folder = write_run(tmp_path / "runs" / RUN, {"0-0": [START], "9001-0": STEPS})
    app = _app(folder)
    async with app.run_test(size=(200, 40)) as pilot:
        await pilot.press("D")
        await _shows(pilot, app, "Spark reads the events", 1200)
        shown = await _shows(pilot, app, "as a page: ", 6000)
        assert "A lesson" in shown and str(tmp_path / "analysis" / f"run-{RUN}.html") in shown
        await pilot.press("right")
        await _shows(pilot, app, "digit and colour: epoch", 600)
        await _leaves(pilot, app)
    assert (tmp_path / "analysis" / f"run-{RUN}.html").is_file()
