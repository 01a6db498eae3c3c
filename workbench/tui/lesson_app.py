"""The app that plays a lesson, whatever its clusters are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.course.content import Lesson
from workbench.session.driver import Driver
from workbench.session.lesson.pages import page_of
from workbench.session.lesson.player import LessonPlayer
from workbench.session.lesson.resuming import take_up
from workbench.session.pace import Pace
from workbench.session.session import Session
from workbench.support.safe_text import safe_text
from workbench.tui.app import WorkbenchApp
from workbench.tui.settings import Settings
from workbench.tui.terminal import glyphs
from workbench.tui.ui_state import UiState


def lesson_app(
    lesson: Lesson, launch: Any, *, slow: float = 1.0, seed: int = 0, progress_folder: Path | None = None,
    settings: Settings | None = None, pace: Pace | None = None,
) -> WorkbenchApp:  # fmt: skip
    """The app that plays a lesson, from where it was left; launch starts the clusters, at a pace in virtual time.

    seed: of the learner, for the order of options.
    """
    session, settings = Session(Path(), None), settings or Settings()
    ui = UiState(session.recording, title=safe_text(lesson.title, 120), lesson=True, focus="lesson")
    ui.glyphs = glyphs(settings.glyphs)
    ui.main = "lesson"

    def take_lab(lab: Any) -> None:
        session.attach(lab, lab.run_folder)
        ui.seed = getattr(getattr(lab, "facts", None), "seed", None)
        app.watch_lab(lab)

    player = LessonPlayer(lesson, launch, take_lab, slow=slow, seed=seed, progress_folder=progress_folder, pace=pace)
    take_up(player, progress_folder)
    ui.page = page_of(player)
    if pace is not None:
        session.driver = Driver(session.recording, pace)
        ui.pace = pace
    app = WorkbenchApp(session, ui, player=player, settings=settings)
    return app


def simulated_lesson_app(
    lesson: Lesson, home: Path, seed: int, *, slow: float = 1.0, progress_folder: Path | None = None,
    settings: Settings | None = None, learner: int = 0,
) -> WorkbenchApp:  # fmt: skip
    """The app that plays a lesson in virtual time; its clusters have this seed and those after it. learner: the seed
    for the order of options."""
    from workbench.session.branch import paced_launcher

    pace = Pace()
    launch = paced_launcher(home, seed, pace, lesson.script, slow)
    app = lesson_app(
        lesson, launch, slow=slow, seed=learner, progress_folder=progress_folder, settings=settings, pace=pace
    )
    app.ui.seed = seed
    return app
