"""The `run` command: a script of commands and expectations, in processes or simulated, and what the checker says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from cluster.invariants.checker import Checker
from cluster.scenario.main import Printing
from cluster.scenario.main import run_script as run_script_on
from cluster.scenario.output import seed_of
from workbench.runs.judgement import judge_all
from workbench.runs.launch import PROCESSES, WorldChoice
from workbench.support.refusal import USAGE, Refusal
from workbench.telling.tell import printed_line


def run_script(
    path: Path,
    *,
    as_json: bool,
    home: Path,
    slow: float = 1.0,
    world: WorldChoice = PROCESSES,
    rewrites: bool = False,
    promised: Sequence[Iterable[str]] = (),
    recorded: list[Path] | None = None,
) -> int:
    """Run one script and judge what it recorded; its exit code. Refusal for --rewrite on real processes.

    Args:
        promised: for each cluster of it, in order, the rules that must be broken there.
        recorded: gets the folders of its runs.
    """
    if rewrites and not world.simulated:
        raise Refusal(USAGE, "--rewrite is for --simulated; what real processes print differs in each run")

    def judged(folders: Sequence[Path]) -> bool:
        if recorded is not None:
            recorded.extend(folders)
        verdicts = judge_all(folders, dict(zip(folders, promised, strict=False)), checkers=checkers)
        print(json.dumps(verdicts.as_plain()) if as_json else verdicts.line, flush=True)
        return verdicts.is_good

    printing = None
    if world.simulated:
        seed = world.seed if world.seed is not None else seed_of(path) or 0
        world, printing = replace(world, seed=seed), Printing(printed_line, seed, rewrites)
    checkers: dict[Path, Checker] = {}
    launch = world.launcher(home, slow, checkers)
    return run_script_on(path, as_json=as_json, launch=launch, slow=slow, after=judged, printing=printing)
