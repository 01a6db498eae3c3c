"""Plays lessons without a screen: their scripts run, their predictions are computed, each step is printed."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import platformdirs

from cluster.scenario.main import printable, step_line
from cluster.scenario.runner import Launch, ScriptRunner, StepReport
from cluster.scenario.script import Script, Section
from workbench.course.launch import process_launcher
from workbench.course.lesson import Lesson, LessonError
from workbench.course.library import LESSONS, UnknownLesson, find_lesson, lesson_names

PASSED, FAILED, BAD_ENVIRONMENT, BAD_DATA, INTERRUPTED = 0, 1, 3, 4, 130
LauncherOf = Callable[[Path, float], Launch]


def play(
    names: Sequence[str],
    *,
    as_json: bool = False,
    timing: str | None = None,
    slow: float = 1.0,
    home: Path | None = None,
    folder: Path = LESSONS,
    launcher: LauncherOf | None = None,
) -> int:
    """Play lessons by name, all when no name is given. 0 all passed, 1 not, 3 no cluster, 4 or 5 a bad lesson."""
    try:
        lessons = [find_lesson(name, folder) for name in names or lesson_names(folder)]
    except (LessonError, UnknownLesson) as error:
        print(f"workbench: {printable(str(error))}", file=sys.stderr)
        return getattr(error, "code", BAD_DATA)
    launch = (launcher or process_launcher)(home or _home(), slow)
    results = []
    for lesson in lessons:
        try:
            passed = asyncio.run(play_lesson(lesson, launch, as_json=as_json, timing=timing, slow=slow))
        except KeyboardInterrupt:
            return INTERRUPTED
        except OSError as error:
            print(f"workbench: the cluster cannot start: {printable(str(error))}", file=sys.stderr)
            return BAD_ENVIRONMENT
        results.append(passed)
    good = sum(results)
    summary = {"passed": good, "failed": len(results) - good}
    line = f"{good} {'lesson' if good == 1 else 'lessons'} passed, {len(results) - good} failed"
    print(json.dumps(summary) if as_json else line)
    return PASSED if all(results) else FAILED


def _home() -> Path:
    named = os.environ.get("WORKBENCH_HOME")
    return Path(named) if named else platformdirs.user_data_path("kraft-workbench")


async def play_lesson(lesson: Lesson, launch: Launch, *, as_json: bool, timing: str | None, slow: float) -> bool:
    """Whether every step held and every prediction had exactly one right answer."""

    def tell(fields: dict[str, object], line: str) -> None:
        print(json.dumps({"lesson": lesson.name, **fields}) if as_json else printable(line), flush=True)

    def report(step: StepReport) -> None:
        tell(asdict(step), step_line(step))

    predictions = {step.do: step.prediction for step in lesson.steps if step.prediction is not None}
    unclear: list[str] = []
    runner = ScriptRunner(_timed(lesson.script, timing), launch, report, title=lesson.title, slow=slow)

    def predicted(section: Section) -> None:
        prediction = predictions.get(section.name)
        if prediction is None:
            return
        right = prediction.right_answer(runner.state, runner.memory)
        text = next((option.text for option in prediction.options if option.letter == right), "")
        tell(
            {"kind": "predict", "question": prediction.id, "right_answer": right},
            f"           ? {prediction.question} {right}) {text}" if right else f"NO right answer to {prediction.id}",
        )
        if not right:
            unclear.append(prediction.id)

    runner.on_section = predicted
    tell({"kind": "lesson", "title": lesson.title}, f"{lesson.name}: {lesson.title}")
    held = await runner.run()
    passed = held and not unclear
    tell({"kind": "result", "passed": passed}, f"{lesson.name}: {'passed' if passed else 'FAILED'}")
    return passed


def _timed(script: Script, timing: str | None) -> Script:
    """The script with another timing profile on each of its clusters."""
    if timing is None:
        return script
    sections = [
        section if section.plan is None else replace(section, plan=replace(section.plan, timing=timing))
        for section in script.sections
    ]
    return Script(tuple(sections))
