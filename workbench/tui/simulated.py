"""Opens the screen on a simulated cluster: the same panes and keys, and time that can be halted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from cluster.simulation.world.cluster import SimulationConfig
from workbench.course.lesson import Lesson
from workbench.runs.find import called
from workbench.runs.wanted import Wanted, config_of, first_commands
from workbench.session.branch import begin_run, paced_launcher
from workbench.session.driver import Driver
from workbench.session.lesson.page import LessonPage
from workbench.session.missions.board import Board
from workbench.session.pace import Pace
from workbench.session.session import Session
from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.app import WorkbenchApp
from workbench.tui.lesson_app import lesson_app
from workbench.tui.modes import Starting
from workbench.tui.settings import Settings
from workbench.tui.terminal import glyphs
from workbench.tui.ui_state import UiState

SIMULATED_LAB = LessonPage(
    title="Simulated lab",
    heading="A cluster in virtual time",
    is_lab=True,
    names_keys=True,
    prose=(
        "The protocol code is the one that real processes run. Network, disks, clocks and chance are simulated: the "
        "same seed and the same commands give the same run, to the byte.\n\n"
        "{time.halt} halts time, the whole cluster stands still; {time.slower} and {time.faster} make it slower or "
        "faster, {time.steady} is as fast as real time. {time.event} goes on to the next event, {time.mark} to the "
        "next mark.\n\n"
        "{view.pause} holds only the view.\n\n"
        "Try this:\n"
        "1  pick the node with the star, {node.kill} kills it\n"
        "2  {scrub.mark.previous} goes back to the moment before\n"
        "3  {branch} branches there: a new run with the same past\n"
        "4  cut a link instead, {time.halt} lets time go\n"
        "5  {compare} shows both runs side by side\n\n"
        "{verdicts} shows the verdict of each rule; {enter} on a broken one shows what broke it."
    ),
)


def open_simulated_lab(wanted: Wanted, settings: Settings) -> tuple[int, Lesson | None]:
    """Begin a simulated cluster with one topic; show it, or say what happens. Exit code, and lesson to open next."""
    seed: int | None = wanted.seed or 0
    lesson = None
    if settings.is_plain:
        from workbench.tui.plain.console import follow_lab

        session, _, connect = _world(wanted)
        code = follow_lab(session, connect, first_commands(wanted))
    else:
        app = simulated_app(wanted, settings)
        app.ui.missions = Board()
        session, code = app.session, app.show() or 0
        seed, lesson = app.ui.seed, app.next_lesson
        if app.failure:
            raise Refusal(ENVIRONMENT, app.failure)
    if session.run_folder.name:
        run = called(session.run_folder)
        print(f"seed {seed}; the run is recorded: workbench replay {run}")
    return code, lesson


def simulated_app(wanted: Wanted, settings: Settings | None = None) -> WorkbenchApp:
    """The app over a cluster that begins with it. Refusal when it cannot work; then nothing was written."""
    session, pace, connect = _world(wanted)
    settings = settings or Settings()
    ui = UiState(session.recording, page=SIMULATED_LAB, title=safe_text(wanted.title, 120))
    ui.glyphs = glyphs(settings.glyphs)
    ui.mode, ui.seed, ui.pace = Starting(), wanted.seed or 0, pace
    return WorkbenchApp(session, ui, connect=connect, first_commands=first_commands(wanted), settings=settings)


def _world(wanted: Wanted) -> tuple[Session, Pace, Callable[..., Awaitable[Any]]]:
    """A session, how fast its time goes, and what begins its run."""
    asked = config_of(wanted)
    config = SimulationConfig(
        seed=wanted.seed or 0,
        controllers=asked.controllers,
        brokers=asked.brokers,
        combined=asked.combined,
        settings=asked.settings,
        title=asked.title,
    )
    session, pace = Session(Path(), None), Pace()
    session.driver = Driver(session.recording, pace)

    async def connect(seed: int = config.seed) -> Any:
        return begin_run(asked.home, replace(config, seed=seed), pace)

    return session, pace, connect


def simulated_lesson_app(
    lesson: Lesson, home: Path, seed: int, *, slow: float = 1.0, progress_folder: Path | None = None,
    settings: Settings | None = None,
) -> WorkbenchApp:  # fmt: skip
    """The app that plays a lesson in virtual time; its clusters have this seed and those after it."""
    pace = Pace()
    launch = paced_launcher(home, seed, pace, slow)
    app = lesson_app(lesson, launch, slow=slow, progress_folder=progress_folder, settings=settings)
    app.session.driver = Driver(app.session.recording, pace)
    app.ui.seed, app.ui.pace = seed, pace
    if app.player is not None:
        app.player.is_simulated = True
        app.ui.page = app.player.page()
    return app
