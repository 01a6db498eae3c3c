"""The other world of each wrong option: what the comments `would QUESTION LETTER` of a script say is played.

A change replaces a command, leaves one out, or sets keys of the `cluster` or `topic` line. In another world an
expectation only waits, and a command that is refused is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.scenario.parse import parse_script
from cluster.scenario.runner import ScriptRunner
from cluster.scenario.script import Script
from workbench.course.lesson import read_lesson
from workbench.course.library import LESSONS, lesson_names
from workbench.runs.launch import simulated_launcher

_WOULD = re.compile(r"# would (\S+) ([a-d]): (.+)")
_OPTION = re.compile(r"^([a-d])\. .+? :: (.+)$", re.M)


def sections_of(name: str) -> dict[str, list[str]]:
    """Lines of each section of a lesson's script, without comments."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (LESSONS / name / "scenario.txt").read_text().splitlines():
        if line.startswith("["):
            lines = found[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def changed(lines: list[str], change: str) -> list[str]:
    """The lines with one change."""
    verb, _, rest = change.partition(" ")
    if verb in ("cluster", "topic"):
        keys = {pair.partition("=")[0] for pair in rest.split()}
        assert any(line.startswith(f"{verb} ") for line in lines), change
        return [
            " ".join([word for word in line.split() if word.partition("=")[0] not in keys] + rest.split())
            if line.startswith(f"{verb} ")
            else line
            for line in lines
        ]
    command, _, instead = (rest, "", "") if verb == "without" else change.partition(" -> ")
    assert command in lines, f"no such command: {command}"
    new = instead.split(" + ") if instead else []
    return [word for line in lines for word in (new if line == command else [line])]


def worlds() -> Iterator[tuple[str, str]]:
    """Question with letter, and the script of that world: its last line expects what makes the option right."""
    for name in lesson_names():
        sections, lesson = sections_of(name), (LESSONS / name / "lesson.md").read_text()
        asked = {step.prediction.id: step for step in read_lesson(LESSONS / name).steps if step.prediction}
        told = _WOULD.findall((LESSONS / name / "scenario.txt").read_text())
        for question, letter, changes in told:
            order = list(sections)
            end = order.index(asked[question].do) + 1
            begun = max(at for at in range(end) if any(line.startswith("cluster ") for line in sections[order[at]]))
            lines = [line for at in range(begun, end) for line in sections[order[at]]]
            for change in changes.split(" ; "):
                lines = changed(lines, change)
            block = re.search(rf"```predict {question}\n(.*?)```", lesson, re.S)
            assert block is not None
            yield (
                f"{question}/{letter}",
                "\n".join([*lines, f"expect {dict(_OPTION.findall(block[1]))[letter]} within 20s"]),
            )


async def holds(script: Script, home: Path) -> bool:
    """Whether the last step holds, whatever became of those before."""
    runner = ScriptRunner(script, simulated_launcher(home, 1), lambda _step: None, title="another world")
    (section,) = script.sections
    try:
        place = 0
        while place < len(section.steps):
            reached = await runner.play(section, place)
            if reached == len(section.steps):
                return True
            place = reached + 1
        return False
    finally:
        await runner.close()


def test_every_option_but_one_has_a_world() -> None:
    told = {name for name, _ in worlds()}
    for name in lesson_names():
        for asked in (step.prediction for step in read_lesson(LESSONS / name).steps if step.prediction is not None):
            without = [option.letter for option in asked.options if f"{asked.id}/{option.letter}" not in told]
            assert len(without) == 1, (asked.id, without)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [pytest.param(*world, id=world[0]) for world in worlds()])
async def test_a_wrong_option_is_right_in_its_world(tmp_path: Path, name: str, text: str) -> None:
    assert await holds(parse_script(text), tmp_path), name
