"""Lessons in virtual time from the command line, and what makes one fail."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.cli.play import FAILED, PASSED, play, play_from_command_line
from workbench.course.library import LESSONS, find_lesson
from workbench.runs.launch import WorldChoice, simulated_launcher
from workbench.support.refusal import Refusal

SIMULATED = WorldChoice(simulated=True, seed=5)


def test_a_simulated_lesson_passes_and_its_predictions_have_their_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = play_from_command_line(["2"], False, 1.0, "", True, str(tmp_path), SIMULATED)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert lines[-1] == {"passed": 1, "failed": 0}
    right = {line["question"]: line["right_answer"] for line in lines if line.get("kind") == "predict"}
    assert right == {"silent": "c", "visible": "b", "awake": "a", "quiet": "c", "fetching": "a"}


def test_a_lesson_in_which_too_little_happens_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = find_lesson("2", LESSONS)
    asking = replace(lesson, minimum={lesson.script.sections[0].name: {"elections": 99}})
    assert play([asking], simulated_launcher(tmp_path, 1)) == FAILED
    assert "1 run in which too little happened (T8)" in capsys.readouterr().out


def test_a_promise_that_is_not_kept_fails_the_lesson(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = find_lesson("2", LESSONS)
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
