"""The `play` command: lessons without a screen. Scripts run, predictions are computed, each step is printed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence

from cluster.scenario.main import printable
from cluster.scenario.runner import Launch, NotStarted
from workbench.cli.play_steps import play_steps
from workbench.cli.play_worlds import play_worlds
from workbench.course.content import Lesson
from workbench.course.lesson_error import LessonError
from workbench.course.library import UnknownLesson, find_lesson, lesson_names
from workbench.runs.launch import PROCESSES, WorldChoice
from workbench.support.places import usable_home
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, INTERRUPTED, USAGE, Refusal

PASSED, FAILED = 0, 1
SLOW_LEAST = 0.5
"""Shorter timers than these are faster than what the lessons stage."""


def play_from_command_line(
    names: Sequence[str],
    every: bool,  # noqa: FBT001
    slow: float,
    timing: str,
    as_json: bool,  # noqa: FBT001
    data_dir: str | None,
    world: WorldChoice = PROCESSES,
    *,
    worlds: bool = False,
) -> int:
    """Check the words, then play; with `worlds` the other worlds. Refusal when nothing is named or a lesson is bad."""
    if not names and not every:
        raise Refusal(USAGE, f"name a lesson, or --all; there are {', '.join(lesson_names())}")
    if names and every:
        raise Refusal(USAGE, "name lessons, or say --all for every one; not both")
    check_timing(timing, slow)
    lessons = lessons_named(names if not every else ())
    if worlds:
        return play_worlds(lessons, usable_home(data_dir), world.seed or 0, timing=timing, slow=slow, as_json=as_json)
    launch = world.launcher(usable_home(data_dir), slow)
    return play(lessons, launch, as_json=as_json, timing=timing, slow=slow)


def check_timing(timing: str, slow: float = 1.0) -> None:
    """Refusal for a timing that is not known, or too fast for a lesson; empty means as the lesson says.

    Delays of faults are not stretched: with timers much shorter than its own, nobody waits for what a lesson delays.
    """
    if timing not in ("", "classroom", "kafka"):
        raise Refusal(USAGE, f"--timing: unknown timing '{printable(timing)[:60]}'; choose classroom or kafka")
    if slow < SLOW_LEAST:
        raise Refusal(USAGE, f"--slow {slow:g}: lessons hold from {SLOW_LEAST:g} on")


def lessons_named(names: Sequence[str]) -> list[Lesson]:
    """The lessons of these names or paths, all when there is none. Refusal 4 or 5 for one that is bad or unknown."""
    try:
        return [find_lesson(name) for name in names or lesson_names()]
    except UnknownLesson as error:
        raise Refusal(BAD_DATA, printable(str(error))) from error
    except LessonError as error:
        raise Refusal(error.code, printable(str(error))) from error


def play(
    lessons: Sequence[Lesson], launch: Launch, *, as_json: bool = False, timing: str = "", slow: float = 1.0
) -> int:
    """Play lessons one after the other. 0 all passed, 1 not, 3 when a cluster cannot start, 130 interrupted."""
    results = []
    for lesson in lessons:
        try:
            results.append(asyncio.run(play_steps(lesson, launch, as_json=as_json, timing=timing, slow=slow)))
        except KeyboardInterrupt:
            return INTERRUPTED
        except NotStarted as error:
            print(f"workbench: the cluster cannot start: {printable(str(error))}", file=sys.stderr)
            return ENVIRONMENT
    good = sum(results)
    summary = {"passed": good, "failed": len(results) - good}
    line = f"{good} {'lesson' if good == 1 else 'lessons'} passed, {len(results) - good} failed"
    print(json.dumps(summary) if as_json else line)
    return PASSED if all(results) else FAILED
