"""Starts the cluster that a script or a lesson asks for, as real processes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from cluster.lab import Lab
from cluster.runtime.lab_client import LabConfig, launch_lab
from cluster.scenario.main import run_script as run_script_on
from cluster.scenario.runner import Launch
from cluster.scenario.script import ClusterPlan, settings_of
from workbench.commands.check_run import judge_all


def process_launcher(home: Path, slow: float = 1.0) -> Launch:
    """A launcher that keeps its runs below home; slow stretches every timer."""

    async def launch(plan: ClusterPlan, title: str) -> Lab:
        settings = settings_of(plan, slow)
        config = LabConfig(
            home=home, controllers=plan.controllers, brokers=plan.brokers, settings=settings, title=title
        )
        return await launch_lab(config, detached=False)

    return launch


def run_script(path: Path, *, as_json: bool, home: Path, slow: float = 1.0) -> int:
    """Run one script on real processes and judge what it recorded; its exit code."""

    def judged(folders: Sequence[Path]) -> bool:
        verdicts = judge_all(folders)
        print(json.dumps(verdicts.as_plain()) if as_json else verdicts.line, flush=True)
        return verdicts.is_good

    return run_script_on(path, as_json=as_json, launch=process_launcher(home, slow), slow=slow, after=judged)
