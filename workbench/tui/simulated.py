"""Opens the screen on a simulated cluster: the same panes and keys, and time that can be halted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from cluster.scenario.script import Do, Script, settings_of
from cluster.simulation.world.cluster import SimulationConfig
from workbench.course.content import Lesson
from workbench.runs.find import called
from workbench.runs.launch import options_of
from workbench.runs.sealed import is_sealed
from workbench.runs.wanted import Wanted, config_of, first_commands
from workbench.session.beside import BesideWorld
from workbench.session.branch import begin_run, begun, paced_launcher
from workbench.session.changes import Changes, WhatIfError, changes_of
from workbench.session.driver import Driver
from workbench.session.lesson.page import LessonPage
from workbench.session.missions.board import Board
from workbench.session.pace import Pace
from workbench.session.session import Session
from workbench.session.whatif import changed
from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.app import WorkbenchApp
from workbench.tui.lesson_app import lesson_app
from workbench.tui.modes import Starting
from workbench.tui.settings import Settings
from workbench.tui.terminal import glyphs
from workbench.tui.toured import wants_tour
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
        app.ui.missions, app.ui.wants_tour = Board(), wants_tour(settings)
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
    return _world_of(config, asked.home, beside=changes_wanted(wanted.beside))


def changes_wanted(text: str) -> Changes | None:
    """What --beside names. Refusal when it cannot be."""
    try:
        return changes_of(text) if text else None
    except WhatIfError as error:
        raise Refusal(USAGE, safe_text(f"--beside: {error}", 400)) from error


def _world_of(
    config: SimulationConfig, home: Path, given: tuple[str, ...] = (), *, beside: Changes | None = None
) -> tuple[Session, Pace, Callable[..., Awaitable[Any]]]:
    session, pace = Session(Path(), None), Pace()
    session.driver = Driver(session.recording, pace)

    async def connect(seed: int = config.seed) -> Any:
        lab = begin_run(home, replace(config, seed=seed), pace, given)
        if beside is not None:
            lab.beside = BesideWorld(begun(home, changed(lab.config, beside), given), beside)
        return lab

    return session, pace, connect


HUNT_PAGE = LessonPage(
    title="Bug hunt",
    heading="One rule is wrong",
    is_lab=True,
    names_keys=True,
    prose=(
        "This cluster has one bug: one of its rules, or what carries it out, is not the real one. Which rule of the "
        "checker does it break?\n\n"
        "The checker says nothing here. Break the cluster and look at what the nodes do: votes, epochs, logs, high "
        "watermarks, the ISR, what clients are told. {enter} on an event tells why it happened.\n\n"
        "{time.halt} halts time, {time.event} goes on to the next event, {branch} branches at the event in view. "
        "{cmd} takes any command, {fault.console} lists all faults.\n\n"
        "What shows the bug has at most eight commands. Write them into a file and hand it in, with the rule:\n"
        "workbench hunt NAME RULE SCRIPT.txt"
    ),
)


def open_field(
    field: Script, title: str, seed: int, home: Path, settings: Settings, board: Board | None = None
) -> Path:
    """Begin the cluster of a script and show it once its commands are sent. The folder of its run."""
    if settings.is_plain:
        from workbench.tui.plain.console import follow_lab

        session, _, connect = _world_of(*_config_of(field, title, seed, home))
        follow_lab(session, connect, commands_of(field))
        return session.run_folder
    app = field_app(field, title, seed, home, settings, board)
    app.show()
    if app.failure:
        raise Refusal(ENVIRONMENT, app.failure)
    return app.session.run_folder


def field_app(
    field: Script, title: str, seed: int, home: Path, settings: Settings, board: Board | None = None
) -> WorkbenchApp:
    """The app over the cluster that a script begins with."""
    session, pace, connect = _world_of(*_config_of(field, title, seed, home))
    page = HUNT_PAGE if is_sealed(title) else SIMULATED_LAB
    ui = UiState(session.recording, page=page, title=safe_text(title, 120))
    ui.glyphs, ui.mode, ui.seed, ui.pace, ui.missions = glyphs(settings.glyphs), Starting(), seed, pace, board
    return WorkbenchApp(session, ui, connect=connect, first_commands=commands_of(field), settings=settings)


def commands_of(field: Script) -> tuple[str, ...]:
    """What is sent first."""
    return tuple(step.text for step in field.sections[0].steps if isinstance(step, Do))


def _config_of(field: Script, title: str, seed: int, home: Path) -> tuple[SimulationConfig, Path, tuple[str, ...]]:
    plan = field.sections[0].plan
    assert plan is not None
    config = SimulationConfig(
        seed=seed,
        controllers=plan.controllers,
        brokers=plan.brokers,
        combined=plan.combined,
        settings=settings_of(plan),
        title=title,
        options=options_of(plan),
    )
    return config, home, plan.given_lines


def simulated_lesson_app(
    lesson: Lesson, home: Path, seed: int, *, slow: float = 1.0, progress_folder: Path | None = None,
    settings: Settings | None = None, learner: int = 0,
) -> WorkbenchApp:  # fmt: skip
    """The app that plays a lesson in virtual time; its clusters have this seed and those after it. learner: the seed
    for the order of options."""
    pace = Pace()
    launch = paced_launcher(home, seed, pace, lesson.script, slow)
    app = lesson_app(
        lesson, launch, slow=slow, seed=learner, progress_folder=progress_folder, settings=settings, pace=pace
    )
    app.ui.seed = seed
    return app
