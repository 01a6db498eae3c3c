"""A lesson of schema 2 from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import NAME, mistake, steps_lesson
from workbench.cli.play import FAILED, PASSED, play_from_command_line
from workbench.runs.launch import WorldChoice
from workbench.support.refusal import BAD_DATA, Refusal

SIMULATED = WorldChoice(simulated=True, seed=5)


def test_a_lesson_passes_and_its_questions_are_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps_lesson(tmp_path)
    code = play_from_command_line([f"{tmp_path}/{NAME}"], False, 1.0, "", True, str(tmp_path / "home"), SIMULATED)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == PASSED
    right = {line["question"]: line["right_answer"] for line in lines if line.get("kind") == "predict"}
    assert right == {"who": "Broker 2 leads.", "other": "Broker 2 leads."}
    assert lines[-1] == {"passed": 1, "failed": 0}


def test_a_mistake_in_the_file_is_told_with_its_line_and_what_is_allowed_before_anything_starts(tmp_path: Path) -> None:
    (_, told), lesson = mistake(tmp_path, ("look: logs", "look: log")), f"{tmp_path}/{NAME}"
    for worlds in (SIMULATED, WorldChoice(simulated=False)):
        with pytest.raises(Refusal) as refused:
            play_from_command_line([lesson], False, 1.0, "", False, str(tmp_path / "home"), worlds)
        assert refused.value.code == BAD_DATA
        assert str(refused.value) == f"{NAME}/lesson.md:23: {told}" and "allowed: lesson, map" in told
    assert not list((tmp_path / "home").glob("runs/*"))


def test_what_the_text_says_wrongly_fails_with_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps_lesson(tmp_path, ("when: leader orders-0 = 2", "when: leader orders-0 = 3"))
    code = play_from_command_line([f"{tmp_path}/{NAME}"], False, 1.0, "", False, str(tmp_path / "home"), SIMULATED)
    told = capsys.readouterr().out.splitlines()
    assert code == FAILED
    says = f"{NAME}/lesson.md:41: who: no option holds; of the one without a misconception: leader orders-0 was 2"
    assert says in told
    assert told[-2:] == [f"{NAME}: FAILED", "0 lessons passed, 1 failed"]


def test_a_promise_that_is_not_kept_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps_lesson(tmp_path, ("faults = 1", "faults = 9"))
    code = play_from_command_line([f"{tmp_path}/{NAME}"], False, 1.0, "", False, str(tmp_path / "home"), SIMULATED)
    assert code == FAILED
    assert "1 run in which too little happened (T8)" in capsys.readouterr().out


def test_a_lesson_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    steps_lesson(tmp_path)
    (tmp_path / NAME / "lesson.md").write_text("Nothing.")
    with pytest.raises(Refusal, match=rf"{NAME}/lesson\.md:1: the front matter") as refused:
        play_from_command_line([f"{tmp_path}/{NAME}"], False, 1.0, "", False, str(tmp_path / "home"), SIMULATED)
    assert refused.value.code == BAD_DATA
