"""The other worlds of a lesson from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import NAME, steps_lesson
from workbench.cli.play import play_from_command_line


def worlds_of(folder: Path, *, as_json: bool = False) -> int:
    path = f"{folder}/{NAME}"
    return play_from_command_line([path], False, 1.0, "", as_json, str(folder / "home"), worlds=True)


def test_each_world_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps_lesson(tmp_path)
    assert worlds_of(tmp_path) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{NAME}/lesson.md:46: without kill 1: 'Broker 1 leads.': held"
    assert told[-1] == "3 of 3 other worlds make their option right, and no other"


def test_a_world_in_which_its_option_does_not_hold_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps_lesson(tmp_path, ("without kill 1", "cluster elr=off"))
    assert worlds_of(tmp_path) == 1
    told = capsys.readouterr().out.splitlines()
    assert f"{NAME}/lesson.md:46: cluster elr=off: 'Broker 1 leads.': not held; 'Broker 2 leads.' held; see " in told[0]
    assert told[-1] == "2 of 3 other worlds make their option right, and no other"


def test_a_world_in_which_another_option_holds_too_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps_lesson(tmp_path, ("when: leader orders-0 = 2", "when: idle"))
    assert worlds_of(tmp_path, as_json=True) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told[0]["became"] == "held, but so did 'Broker 2 leads.'"
    assert told[-1] == {"good": 1, "failed": 2}
