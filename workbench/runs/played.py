"""Plays a script in simulation without a word, for whoever wants its recordings."""

from __future__ import annotations

from pathlib import Path

from cluster.lab import Lab
from cluster.scenario.main import read_script
from cluster.scenario.runner import NotStarted, ScriptRunner, StepReport
from cluster.scenario.script import ClusterPlan
from workbench.runs.launch import simulated_launcher
from workbench.support.platform import run_to_end
from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text


def played(path: Path, home: Path, title: str, seed: int = 0) -> list[Path]:
    """The run of each section that begins a cluster, in order; their titles name it. ScriptError for a bad script.

    Refusal when the cluster cannot start.
    """
    script, start = read_script(path), simulated_launcher(home, seed)
    sections = iter([section.name for section in script.sections if section.plan is not None])

    async def launch(plan: ClusterPlan, began: str) -> Lab:
        name = next(sections)
        return await start(plan, f"{began}, {name}" if name else began)

    runner = ScriptRunner(script, launch, say_nothing, title=title)
    try:
        run_to_end(runner.run())
    except NotStarted as error:
        raise Refusal(ENVIRONMENT, f"the cluster cannot start: {safe_text(str(error), 300)}") from error
    return runner.run_folders


def say_nothing(_step: StepReport) -> None:
    """What hears of each step of a script of which only the recording is wanted."""
