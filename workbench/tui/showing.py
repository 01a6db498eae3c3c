"""Shows a run, on the screen or line by line, and says how it ended."""

from __future__ import annotations

from contextlib import suppress

from cluster.model.exit_codes import aside
from cluster.trace.reader import TraceError
from workbench.course.content import Lesson
from workbench.runs.find import called
from workbench.session.beginning import Run
from workbench.session.lesson.page import LessonPage
from workbench.session.missions.board import Board
from workbench.session.session import Session
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text
from workbench.telling.words import exit_word, node_name
from workbench.tui.app import WorkbenchApp
from workbench.tui.modes import Starting, Watching
from workbench.tui.settings import Settings
from workbench.tui.terminal import glyphs
from workbench.tui.toured import wants_tour
from workbench.tui.ui_state import UiState


def app_of(
    run: Run, page: LessonPage, settings: Settings, board: Board | None = None, *, tours: bool = False
) -> WorkbenchApp:
    """The app over a run. tours: it begins with the tour where the user has not had it."""
    session = run.session
    ui = UiState(session.recording, page=page, title=safe_text(run.title, 120))
    ui.mode = Starting() if session.owns_lab else Watching()
    ui.glyphs, ui.seed, ui.pace, ui.missions = glyphs(settings.glyphs), run.seed, run.pace, board
    ui.wants_tour = tours and session.owns_lab and wants_tour(settings)
    app = WorkbenchApp(session, ui, connect=run.connect, first_commands=run.first_commands, settings=settings)
    app.can_connect_again = run.comes_again
    return app


def show(
    run: Run, page: LessonPage, settings: Settings, board: Board | None = None, *, tours: bool = False
) -> tuple[int, Lesson | None]:
    """Show it until it is left. The exit code, and the lesson to open next."""
    session, owned = run.session, run.session.owns_lab
    if settings.is_plain:
        from workbench.tui.plain.console import follow_lab

        code = follow_lab(session, run.connect, run.first_commands)
        say_where(session, owned=owned, seed=run.seed)
        return code, None
    app = app_of(run, page, settings, board, tours=tours)
    code = run_app(app)
    if owned and session.owns_lab and run.seed is None:
        say_nodes(session)
    say_where(session, owned=owned, seed=app.ui.seed)
    return code, app.next_lesson


def run_app(app: WorkbenchApp) -> int:
    """Show it until it is left; its exit code. Refusal for what it could not do."""
    code = app.show() or 0
    if app.failure:
        raise Refusal(BAD_DATA if code == BAD_DATA else ENVIRONMENT, app.failure)
    return code


def say_nodes(session: Session) -> None:
    """How the nodes ended, those that ended alike in one line, once the screen is gone."""
    if not session.run_folder.name:
        return
    with suppress(TraceError, OSError):
        session.load()
    alike: dict[int, list[str]] = {}
    for node in sorted(session.recording.live.nodes.values(), key=lambda node: node.node_id):
        if node.process == "down":
            alike.setdefault(node.exit_code, []).append(node_name(node.node_id))
    for code, names in sorted(alike.items(), reverse=True):
        print(f"{', '.join(names)} ended{' in order' if code == 0 else f': {exit_word(code)}{aside(code)}'}")


def say_where(session: Session, *, owned: bool = True, seed: int | None = None) -> None:
    """Where the run that was ours is now, living or recorded."""
    if not (owned and session.run_folder.name):
        return
    run = called(session.run_folder)
    if session.owns_lab:
        print(f"{'' if seed is None else f'seed {seed}; '}the run is recorded: workbench replay {run}")
    else:
        print(f"{safe_text(session.run_folder.name, 80)} is up: workbench attach {run}   workbench down {run}")
