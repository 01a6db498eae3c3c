"""The README says what there is, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

from cluster.faults.commands import known_commands
from workbench.cli.app import app
from workbench.course.library import lesson_names
from workbench.tui.input.keys import TABLE

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def test_every_key_of_the_screen_stands_in_the_readme() -> None:
    missing = [key.shown for key in TABLE if key.shown and not all(f"`{part}`" in README for part in key.shown.split())]
    assert missing == []


def test_every_command_in_the_readme_exists() -> None:
    names = {command.callback.__name__ for command in app.registered_commands if command.callback}
    used = set(re.findall(r"^workbench ([a-z]+)", README, re.M))
    assert used <= names


def test_every_verb_of_the_grammar_stands_in_the_readme() -> None:
    block = README.split("```text")[1].split("```")[0]
    assert [item.verb for item in known_commands() if not re.search(rf"\b{item.verb}\b", block)] == []


def test_every_lesson_stands_in_the_readme() -> None:
    for name in lesson_names():
        assert f"| {name.partition('_')[0].lstrip('0')} " in README


def test_every_folder_of_the_map_exists() -> None:
    root = Path(__file__).parents[2]
    rows = README.split("## Map of the folders")[1].split("##")[0]
    for row in re.findall(r"^\| (`.*?`) \|", rows, re.M):
        names = re.findall(r"`([^`]+)`", row)
        for name in names:
            place = root / name if "/" in name or (root / name).is_dir() else (root / names[0]).parent / name
            assert place.is_dir(), name
