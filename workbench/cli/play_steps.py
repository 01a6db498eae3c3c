"""Plays one lesson of schema 2 without a screen, and says of each mistake where it stands."""

from __future__ import annotations

import json
from dataclasses import asdict

from cluster.scenario.main import printable, step_line
from cluster.scenario.runner import Launch, StepReport
from workbench.course.content import Lesson, Option, Question
from workbench.course.promises import minimums, promises
from workbench.course.trial import Trial
from workbench.runs.judgement import judge_all


async def play_steps(lesson: Lesson, launch: Launch, *, as_json: bool, timing: str, slow: float) -> bool:
    """Whether all that the text says of the run is true, and the rules were broken as promised only."""

    def tell(fields: dict[str, object], line: str) -> None:
        print(json.dumps({"lesson": lesson.name, **fields}) if as_json else printable(line), flush=True)

    def report(step: StepReport) -> None:
        tell(asdict(step), step_line(step))

    def answered(question: Question, option: Option) -> None:
        fields: dict[str, object] = {"kind": "predict", "question": question.id, "right_answer": option.text}
        tell(fields, f"           ? {' '.join(question.text.split())} {option.text}")

    tell({"kind": "lesson", "title": lesson.title}, f"{lesson.name}: {lesson.title}")
    trial = Trial(lesson, launch, report, slow=slow, timing=timing)
    trial.on_answer = answered
    held = await trial.run()
    verdicts = judge_all(trial.run_folders, promises(lesson, trial.run_folders), minimums(lesson, trial.run_folders))
    tell({"kind": "verdicts", **verdicts.as_plain()}, verdicts.line)
    for mistake in trial.mistakes:
        tell({"kind": "mistake", "what": mistake}, mistake)
    passed = held and verdicts.is_good
    tell({"kind": "result", "passed": passed}, f"{lesson.name}: {'passed' if passed else 'FAILED'}")
    return passed
