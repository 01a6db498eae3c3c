"""Opens the screen: on a new cluster, a running one, a lesson, a recorded run, or the list of what there is."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.trace.reader import TraceError
from workbench.course.content import Lesson
from workbench.course.progress import learner_seed
from workbench.course.timing import with_timing
from workbench.runs.find import called, refuse_newer
from workbench.runs.wanted import Wanted
from workbench.session.beginning import Run, begin_lab
from workbench.session.lesson.on_screen import OnScreen
from workbench.session.lesson.page import FREE_LAB, SIMULATED_LAB, WATCHING
from workbench.session.missions.board import Board
from workbench.session.session import Session
from workbench.support.places import home_of, usable_home
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.waiting import WAITING
from workbench.tui.answer import info
from workbench.tui.app import WorkbenchApp
from workbench.tui.lesson_app import lesson_app, simulated_lesson_app
from workbench.tui.modes import Loading
from workbench.tui.seek import is_time
from workbench.tui.settings import Settings, read_settings
from workbench.tui.showing import run_app, say_nodes, say_where, show
from workbench.tui.terminal import glyphs, need_terminal
from workbench.tui.ui_state import UiState

if TYPE_CHECKING:
    from workbench.runs.launch import WorldChoice


def open_free_lab(wanted: Wanted) -> int:
    """Start a cluster with one topic and show it; the nodes end with the screen. Returns the exit code."""
    settings = screen_settings()
    run, page = begin_lab(replace(wanted, load=wanted.load or settings.load)), FREE_LAB
    world = None
    if wanted.simulated:
        from workbench.runs.launch import WorldChoice

        page, world = SIMULATED_LAB, WorldChoice(simulated=True, seed=wanted.seed)
    code, lesson = show(run, page, settings, Board(), tours=True)
    return _then(lesson, usable_home(wanted.data_dir), code, slow=wanted.slow, world=world)


def open_running(run_folder: Path, *, watch: bool = False) -> int:
    """Show a run that is up; leaving the screen leaves it up. Returns the exit code. Refusal when its lab is gone.

    Args:
        watch: it is only looked at, and no key does anything to it.
    """
    from cluster.runtime.run.folder import is_alive
    from workbench.runs.orphans import refuse_orphans

    refuse_orphans(run_folder)
    settings = screen_settings()

    async def connect() -> Any:
        from cluster.runtime.lab.client import connect as connect_to

        return await connect_to(run_folder)

    title = f"{'watching ' if watch else ''}{run_folder.name}"
    shown = Run(connect=connect, title=title, comes_again=False)
    shown.session.owns_lab, shown.session.watches = False, watch
    code, lesson = show(shown, WATCHING if watch else FREE_LAB, settings, Board())
    name, run = safe_text(run_folder.name, 80), called(run_folder)
    if is_alive(run_folder):
        print(f"{name} goes on: workbench down {run} ends it")
    else:
        print(f"{name} has ended: workbench replay {run}")
    return _then(lesson, home_of(run_folder), code)


def open_notes(run: str, home: Path) -> int:
    """Show the speaker's notes of the lesson that another screen shows. Returns the exit code."""
    from workbench.tui.screens.notes import NotesApp, print_notes

    settings = _settings()
    if settings.is_plain or not sys.stdout.isatty():
        return print_notes(home, run)
    need_terminal()
    return NotesApp(home, run, glyphs(settings.glyphs), settings).show() or 0


def open_resumed(run_folder: Path, title: str) -> int:
    """Go on with a run that was over and show it; it ends with the screen. Returns the exit code."""
    from workbench.runs.ended import resumer

    run = Run(connect=resumer(run_folder), title=title, comes_again=False)
    code, lesson = show(run, FREE_LAB, screen_settings(), Board(), tours=True)
    return _then(lesson, home_of(run_folder), code)


def open_lesson(
    lesson: Lesson, home: Path, *, slow: float = 1.0, progress_folder: Path | None = None,
    world: WorldChoice | None = None, timing: str = "",
) -> int:  # fmt: skip
    """Play a lesson beside the cluster that it asks for, in processes or simulated. Returns the exit code."""
    settings, learner = screen_settings(), _learner(world, progress_folder)
    lesson = with_timing(lesson, timing)
    if settings.is_plain:
        return _say_lesson(lesson, home, slow, progress_folder, world, learner)
    if world is not None and world.simulated:
        app = simulated_lesson_app(
            lesson, home, world.seed or 0, slow=slow, progress_folder=progress_folder, settings=settings,
            learner=learner,
        )  # fmt: skip
    else:
        from workbench.runs.launch import process_launcher

        launch = process_launcher(home, slow)
        app = lesson_app(lesson, launch, slow=slow, seed=learner, progress_folder=progress_folder, settings=settings)
    if app.player is not None:
        app.player.timing = timing
        app.player.on_screen = OnScreen(home, lesson.folder, timing, slow, learner)
    code = run_app(app)
    say_nodes(app.session)
    say_where(app.session)
    after = app.next_lesson
    if app.next_challenge and not code:
        _open_challenge(app.next_challenge, home, settings)
        return 0
    return _then(after, home, code, slow=slow, progress_folder=progress_folder, world=world, timing=timing)


def _open_challenge(number: int, home: Path, settings: Settings) -> None:
    """On the screen, or how to take it where it is none for a screen."""
    from workbench.challenges.catalogue import CHALLENGES, HUNT
    from workbench.tui.challenge_lab import open_listed

    listed = next(listed for listed in CHALLENGES if listed.number == number)
    if listed is HUNT or listed.on_screen is not None:
        open_listed(listed, home, settings)
    else:
        print(f"challenge {number}, {listed.title}: workbench challenge {number}")


def _learner(world: WorldChoice | None, progress_folder: Path | None) -> int:
    """The seed by which options are shuffled: the one that was asked for, else the learner's own."""
    asked = world.seed if world is not None else None
    return learner_seed(progress_folder) if asked is None else asked


def _then(
    lesson: Lesson | None, home: Path, code: int, *, slow: float = 1.0, progress_folder: Path | None = None,
    world: WorldChoice | None = None, timing: str = "",
) -> int:  # fmt: skip
    """The lesson that was asked for on the screen that is left, if any. Returns the exit code."""
    if lesson is None or code:
        return code
    return open_lesson(lesson, home, slow=slow, progress_folder=progress_folder, world=world, timing=timing)


def _say_lesson(
    lesson: Lesson, home: Path, slow: float, progress_folder: Path | None, world: WorldChoice | None, learner: int
) -> int:
    """The same line by line."""
    from workbench.runs.launch import process_launcher
    from workbench.session.branch import paced_launcher
    from workbench.session.pace import Pace
    from workbench.tui.plain.lesson import play_lesson

    if world is None or not world.simulated:
        launch = process_launcher(home, slow)
        return play_lesson(lesson, launch, slow=slow, seed=learner, progress_folder=progress_folder)
    pace = Pace()
    launch = paced_launcher(home, world.seed or 0, pace, lesson.script, slow)
    return play_lesson(lesson, launch, slow=slow, seed=learner, progress_folder=progress_folder, pace=pace)


def open_replay(run_folder: Path, at: str = "", says: str = "") -> int:
    """Show a recorded run; nothing can be sent. Returns the exit code. Refusal when it is of a newer form.

    Args:
        at: the moment to open it at, as `seek` has it; empty for the first thing that happened.
        says: a sentence about the run for the answer row.
    """
    if at and not is_time(at):
        raise Refusal(USAGE, f"--at: '{safe_text(at, 60)}' is no time; seconds, or minutes and seconds as 01:23.4")
    refuse_newer(run_folder)
    settings = screen_settings()
    if at and settings.is_plain:
        raise Refusal(USAGE, "--at goes with the screen; `seek` goes there in lines")
    session = Session(run_folder, None)
    if settings.is_plain:
        from workbench.tui.plain.console import print_recording, read_recording

        try:
            session.load()
        except (TraceError, OSError) as error:
            raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}") from error
        asks = settings.plain and sys.stdin.isatty() and sys.stdout.isatty()
        return read_recording(session) if asks else print_recording(session)
    app = replay_app(session, settings, says)
    if at:
        app.once_read = lambda: app.commands.show(app.commands.moments.seek(at))
    code = run_app(app)
    return _then(app.next_lesson, home_of(run_folder), code) if app.next_lesson else code


def replay_app(session: Session, settings: Settings, says: str = "") -> WorkbenchApp:
    """The app over a recording that is still to be read; then it says a sentence, if there is one."""
    title = safe_text(session.run_folder.name, 80)
    ui = UiState(session.recording, replay=True, title=title, mode=Loading("reading ..."))
    ui.glyphs, ui.seed = glyphs(settings.glyphs), seed_of(session.run_folder)
    app = WorkbenchApp(session, ui, settings=settings)
    if says:
        app.once_read = lambda: app.commands.show(info(says))
    return app


def open_comparison(left: Path, right: Path) -> int:
    """Show two recorded runs beside each other. Returns the exit code."""
    from workbench.tui.comparing import comparing_app, print_comparison

    for folder in (left, right):
        refuse_newer(folder)
    settings = _settings()
    if settings.is_plain or not sys.stdout.isatty():
        return print_comparison(left, right)
    need_terminal()
    return run_app(comparing_app(left, right, settings))


def seed_of(run_folder: Path) -> int | None:
    """The seed of a recorded simulation; None when it is of processes, or does not say."""
    from cluster.runtime.run.folder import RunError, read_facts

    try:
        facts = read_facts(run_folder)
    except RunError:
        return None
    return facts.seed if facts.world != "processes" else None


def _settings() -> Settings:
    """What the user set; what the file may not say is told on the error stream, and the rest holds."""
    settings = read_settings()
    for what in settings.refused:
        sys.stderr.write(f"workbench: {what}; the rest holds\n")
    return settings


def screen_settings() -> Settings:
    """What the user set. Refusal when that is wrong, and without a terminal where the screen would need one."""
    settings = _settings()
    if settings.is_plain:
        WAITING.end()
    if not settings.plain:
        need_terminal()
    return settings
