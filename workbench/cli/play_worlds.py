"""Plays the other world of each wrong option: in it exactly this option must hold."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from cluster.scenario.main import printable
from cluster.scenario.runner import NotStarted
from workbench.course.content import Lesson, Option, OtherWorld
from workbench.course.other_world import PlayedWorld, clusters_before, play_other_world
from workbench.runs.launch import simulated_launcher
from workbench.support.refusal import ENVIRONMENT, INTERRUPTED


def play_worlds(lessons: Sequence[Lesson], home: Path, seed: int, *, timing: str, slow: float, as_json: bool) -> int:
    """Play them all, always simulated. 0 in each its option alone holds, 1 not, 3 a cluster cannot start, 130."""
    results: list[bool] = []
    for lesson in lessons:
        for step, option, world in lesson.worlds:
            launch = simulated_launcher(home, seed + clusters_before(lesson, step), slow)
            try:
                played = asyncio.run(play_other_world(lesson, step, option, world, launch, timing=timing, slow=slow))
            except KeyboardInterrupt:
                return INTERRUPTED
            except NotStarted as error:
                print(f"workbench: the cluster cannot start: {printable(str(error))}", file=sys.stderr)
                return ENVIRONMENT
            results.append(played.held == (option,))
            _tell(f"{lesson.name}/lesson.md:{world.line}", option, world, played, as_json=as_json)
    good = sum(results)
    line = f"{good} of {len(results)} other worlds make their option right, and no other"
    print(json.dumps({"good": good, "failed": len(results) - good}) if as_json else line)
    return 0 if all(results) else 1


def _tell(place: str, option: Option, world: OtherWorld, played: PlayedWorld, *, as_json: bool) -> None:
    others = ", ".join(f"'{one.text}'" for one in played.held if one != option)
    if option in played.held:
        became = f"held, but so did {others}" if others else "held"
    else:
        became = f"not held; {others or 'no option'} held"
    if as_json:
        outcome = {"at": place, "world": world.text, "option": option.text, "became": became}
        print(json.dumps({**outcome, "run": str(played.run_folder)}), flush=True)
    else:
        see = "" if became == "held" else f"; see {played.run_folder}"
        print(printable(f"{place}: {world.text}: '{option.text}': {became}{see}"), flush=True)
