"""The first screen: lessons, the free lab, recorded runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import platformdirs
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from workbench.session.safe_text import safe_text

RUNS_MAX = 30


def workbench_home() -> Path:
    """Where runs are kept: WORKBENCH_HOME or the user's data folder."""
    named = os.environ.get("WORKBENCH_HOME")
    return Path(named) if named else platformdirs.user_data_path("kraft-workbench")


def recorded_runs(home: Path) -> list[tuple[str, str]]:
    """(run id, line) of runs with a readable run.json, newest first."""
    found = []
    for folder in sorted((home / "runs").glob("*"), reverse=True)[:RUNS_MAX]:
        try:
            facts = json.loads((folder / "run.json").read_text())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(facts, dict):
            title, state = str(facts.get("title", "")), str(facts.get("state", ""))
            found.append((folder.name, safe_text(f"{folder.name}  {title}  {state}", 100)))
    return found


def lesson_lines() -> list[tuple[str, str]]:
    """(lesson name, line) of the lessons that come with the tool."""
    folder = Path(__file__).parents[2] / "lessons"
    return [(item.stem, safe_text(item.stem.replace("_", " "), 80)) for item in sorted(folder.glob("*.*"))]


class HomeApp(App[tuple[str, str]]):
    """Choose one line; the app ends with (verb, argument)."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: #0f141c; align: center middle; }
    Static { width: 76; color: #56b4e9; text-style: bold; padding: 0 1 1 1; }
    OptionList { width: 76; height: auto; max-height: 80%; background: #0f141c; border: round #3b4a5c; }
    """
    BINDINGS = [("q,escape", "quit", "Quit")]

    def compose(self) -> ComposeResult:
        """A title and the list."""
        yield Static(Content("KRaft Workbench    arrows and enter choose, q leaves"))
        options: list[Option | None] = [Option(Content("Free lab: a living cluster, break it yourself"), id="lab:")]
        lessons = lesson_lines()
        if lessons:
            options += [None, *(Option(Content(f"Lesson  {line}"), id=f"lesson:{name}") for name, line in lessons)]
        runs = recorded_runs(workbench_home())
        if runs:
            options += [None, *(Option(Content(f"Replay  {line}"), id=f"replay:{name}") for name, line in runs)]
        yield OptionList(*options)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """That one."""
        verb, _, argument = (event.option_id or "").partition(":")
        self.exit((verb, argument))


def carry_out(choice: tuple[str, str]) -> int:
    """Run the command that the choice stands for. Returns its exit code."""
    verb, argument = choice
    command = [sys.executable, "-m", "workbench", verb, *([argument] if argument else [])]
    return subprocess.call(command)
