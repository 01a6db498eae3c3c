"""The `play` command: lessons without a screen. Scripts run, predictions are computed, each step is printed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from cluster.scenario.main import printable, step_line
from cluster.scenario.runner import Launch, NotStarted, ScriptRunner, StepReport
from cluster.scenario.script import Section
from workbench.course.lesson import Lesson, LessonError
from workbench.course.library import LESSONS, UnknownLesson, find_lesson, lesson_names
from workbench.course.promises import minimums, promises
from workbench.course.timing import with_timing
from workbench.runs.judgement import judge_all
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
) -> int:
    """Check the words, then play. Refusal when nothing is named or a lesson is bad."""
    if not names and not every:
        raise Refusal(USAGE, f"name a lesson, or --all; there are {', '.join(lesson_names())}")
    if names and every:
        raise Refusal(USAGE, "name lessons, or say --all for every one; not both")
    check_timing(timing, slow)
    lessons = lessons_named(names if not every else ())
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


def lessons_named(names: Sequence[str], folder: Path = LESSONS) -> list[Lesson]:
    """The lessons of these names, all when there is no name. Refusal 4 or 5 for one that is bad or unknown."""
    try:
        return [find_lesson(name, folder) for name in names or lesson_names(folder)]
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
            passed = asyncio.run(play_lesson(lesson, launch, as_json=as_json, timing=timing, slow=slow))
        except KeyboardInterrupt:
            return INTERRUPTED
        except NotStarted as error:
            print(f"workbench: the cluster cannot start: {printable(str(error))}", file=sys.stderr)
            return ENVIRONMENT
        results.append(passed)
    good = sum(results)
    summary = {"passed": good, "failed": len(results) - good}
    line = f"{good} {'lesson' if good == 1 else 'lessons'} passed, {len(results) - good} failed"
    print(json.dumps(summary) if as_json else line)
    return PASSED if all(results) else FAILED


async def play_lesson(lesson: Lesson, launch: Launch, *, as_json: bool, timing: str, slow: float) -> bool:
    """Whether every step held, every prediction had one right answer, and the rules were broken as promised only."""

    def tell(fields: dict[str, object], line: str) -> None:
        print(json.dumps({"lesson": lesson.name, **fields}) if as_json else printable(line), flush=True)

    def report(step: StepReport) -> None:
        tell(asdict(step), step_line(step))

    predictions = {step.do: step.prediction for step in lesson.steps if step.prediction is not None}
    unclear: list[str] = []
    script = with_timing(lesson, timing).script
    runner = ScriptRunner(script, launch, report, title=lesson.title, slow=slow)

    def predicted(section: Section) -> None:
        prediction = predictions.get(section.name)
        if prediction is None:
            return
        right = prediction.right_answer(runner.state, runner.memory)
        text = next((option.text for option in prediction.options if option.letter == right), "")
        tell(
            {"kind": "predict", "question": prediction.id, "right_answer": right},
            f"           ? {' '.join(prediction.question.split())} {right}) {text}"
            if right
            else f"NO right answer to {prediction.id}",
        )
        if not right:
            unclear.append(prediction.id)

    runner.on_section = predicted
    tell({"kind": "lesson", "title": lesson.title}, f"{lesson.name}: {lesson.title}")
    held = await runner.run()
    folders = runner.run_folders
    verdicts = judge_all(folders, promises(lesson, folders), minimums(lesson, folders))
    tell({"kind": "verdicts", **verdicts.as_plain()}, verdicts.line)
    passed = held and not unclear and verdicts.is_good
    tell({"kind": "result", "passed": passed}, f"{lesson.name}: {'passed' if passed else 'FAILED'}")
    return passed
