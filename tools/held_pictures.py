"""Draws moments at which a lesson holds the view, from a simulated play of it: each seed gives the same picture.

A part of `make pictures`. The screen is the one of a learner who has come so far; what comes later is left out.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.event_pattern import EventBook
from workbench.course.asked_events import asked_events
from workbench.course.content import Lesson, Prose, Step
from workbench.course.library import find_lesson
from workbench.course.trial import Trial
from workbench.runs.launch import simulated_launcher
from workbench.session.lesson.holds import Held, HoldWatch, Seen
from workbench.session.lesson.markdown import flowed
from workbench.session.lesson.page import LessonPage, Piece
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.svg import canvas_svg
from workbench.tui.ui_state import UiState

LESSON, SEED = "04", 1


class HeldMoment(NamedTuple):
    """What one picture shows."""

    name: str
    number: int
    """Which hold of the first step, from 1. What it says names no value of the run."""
    columns: int
    rows: int
    theme: str


MOMENTS = (
    HeldMoment("11-a-lesson-is-held", 3, 160, 45, "dark"),
    HeldMoment("12-the-same-in-a-bright-room-at-120x40", 2, 120, 40, "light"),
    HeldMoment("13-the-same-at-80x24", 1, 80, 24, "dark"),
)


def draw_held(folder: Path) -> list[Path]:
    """Play the lesson once, in virtual time, and write its moments."""
    lesson = find_lesson(LESSON)
    step = lesson.steps[0]
    entries = _played(lesson)
    holds = _holds(lesson, step, entries)
    made: list[Path] = []
    for moment in MOMENTS:
        index, held = holds[moment.number - 1]
        ui = _screen(lesson, step, entries[: index + 1], held)
        path = folder / f"{moment.name}.svg"
        path.write_text(canvas_svg(draw_screen(moment.columns, moment.rows, ui), ui.title, moment.theme), "utf-8")
        made.append(path)
    return made


def _played(lesson: Lesson) -> list[Entry]:
    """All that its clusters tell, in order."""
    entries: list[Entry] = []
    with tempfile.TemporaryDirectory() as home:
        trial = Trial(lesson, simulated_launcher(Path(home), SEED), lambda _report: None)
        trial.on_entry = lambda _section, entry: entries.append(entry)
        asyncio.run(trial.run())
    return entries


def _holds(lesson: Lesson, step: Step, entries: list[Entry]) -> list[tuple[int, Held]]:
    """(index of the entry, what is to be seen) of each hold of the step, in order."""
    assert step.do is not None
    seen = Seen(ClusterState(), {}, EventBook(asked_events(lesson)))
    watch = HoldWatch(step.do.holds)
    found: list[tuple[int, Held]] = []
    for index, entry in enumerate(entries):
        seen.state.apply(entry)
        seen.book.note(entry)
        before = len(watch.reached)
        watch.look(entry, entry.id, seen)
        found += [(index, held) for _, held in watch.reached[before:]]
    return found


def _screen(lesson: Lesson, step: Step, entries: list[Entry], held: Held) -> UiState:
    recording = Recording()
    recording.extend(entries)
    ui = UiState(recording, title=lesson.title, lesson=True, focus="lesson", held_nodes=held.nodes)
    ui.replay, ui.main = True, "lesson"
    logs = ui.view.shown_logs()
    if held.log is not None and held.log in logs:
        ui.log_index = logs.index(held.log)
    ui.page = LessonPage(
        title=lesson.title,
        step=1,
        steps=len(lesson.steps) + 1,
        heading=step.heading,
        before=tuple(Piece("prose", flowed(block.text)) for block in step.before if isinstance(block, Prose)),
        button=ui.keyboard.said("{enter}: go on"),
        look=flowed(held.look),
        look_at=held.pane,
        held=f"{held.number} of {held.out_of}",
    )
    return ui
