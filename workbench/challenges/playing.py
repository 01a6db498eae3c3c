"""Plays a script without a screen and lets somebody look on, event by event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cluster.model.entry import Entry
from cluster.scenario.runner import NotStarted, ScriptRunner, StepReport
from cluster.scenario.script import Script
from workbench.runs.launch import WorldChoice
from workbench.support.platform import run_to_end
from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text


@dataclass(frozen=True, slots=True)
class Played:
    """What became of a script."""

    held: bool
    """Whether every step of it did."""
    failure: str
    """The step that did not, and what was seen; empty when all held."""
    folders: tuple[Path, ...]
    """Of its runs."""


def play_script(
    script: Script, title: str, home: Path, world: WorldChoice, look: Callable[[Entry], None] = lambda _entry: None
) -> Played:
    """Play it to its end or to the first step that does not hold. Refusal when its cluster cannot start."""
    reports: list[StepReport] = []
    runner = ScriptRunner(script, world.launcher(home, 1.0), reports.append, title=title)
    runner.on_entry = look
    try:
        held = run_to_end(runner.run())
    except NotStarted as error:
        raise Refusal(ENVIRONMENT, f"the cluster cannot start: {safe_text(str(error), 400)}") from error
    failed = next((step for step in reports if not step.held), None)
    failure = "" if failed is None else f"line {failed.line}: {failed.text}: {failed.seen}"
    return Played(held, safe_text(failure, 400), tuple(runner.run_folders))
