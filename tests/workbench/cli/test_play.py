"""Lessons in virtual time from the command line, and what makes one fail."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import steps_lesson
from workbench.cli.play import FAILED, PASSED, play, play_from_command_line
from workbench.course.library import LESSONS, find_lesson
from workbench.runs.launch import WorldChoice, simulated_launcher
from workbench.support.refusal import Refusal

SIMULATED = WorldChoice(simulated=True, seed=5)


def test_a_shipped_lesson_passes_by_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = play_from_command_line(["1"], False, 1.0, "", True, str(tmp_path), SIMULATED)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (code, lines[-1]) == (PASSED, {"passed": 1, "failed": 0})
    right = {line["question"]: line["right_answer"] for line in lines if line.get("kind") == "predict"}
    lesson = find_lesson("1", LESSONS)
    asked = [question for _, question in lesson.questions]
    assert right == {one.id: next(opt.text for opt in one.options if not opt.misconception) for one in asked}


def test_a_promise_that_is_not_kept_fails_the_lesson(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = steps_lesson(tmp_path / "lessons")
    promising = replace(lesson, breaks={lesson.script.sections[0].name: ("P1",)})
    launcher = simulated_launcher(tmp_path, 1)
    assert play([lesson], launcher) == PASSED
    assert play([promising], launcher) == FAILED
    told = capsys.readouterr().out.splitlines()
    line = next(line for line in told if line.startswith("rules:") and "UNEXPECTED-PASS" in line)
    assert "1 UNEXPECTED-PASS, held against the promise (P1)" in line
    assert ", seed 3; see workbench check " in line, "the first of two clusters of the second play"
    assert told[-1] == "0 lessons passed, 1 failed"


@pytest.mark.slow
@pytest.mark.parametrize(("timing", "slow"), [("kafka", 1.0), ("", 20.0), ("kafka", 5.0), ("", 0.5)])
def test_every_lesson_holds_in_any_timing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], timing: str, slow: float
) -> None:
    assert play_from_command_line([], True, slow, timing, False, str(tmp_path), SIMULATED) == PASSED
    assert ", 0 failed" in capsys.readouterr().out


def test_timers_that_are_shorter_than_what_a_lesson_stages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"--slow 0\.4: lessons hold from 0\.5 on"):
        play_from_command_line(["5"], False, 0.4, "", False, str(tmp_path), SIMULATED)
