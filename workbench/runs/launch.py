"""Starts the cluster that a script or a lesson asks for: real processes, or a simulation."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.cluster_spec import ClusterSpec
from cluster.lab import Lab
from cluster.runtime.lab.client import LabClient, launch_lab
from cluster.runtime.run.file_lock import is_at
from cluster.runtime.run.folder import LOCK, create_run, update_facts
from cluster.scenario.given import GivenFault, given_to
from cluster.scenario.prepare import prepare, told_of_network, why_only_simulated
from cluster.scenario.runner import Launch
from cluster.scenario.script import ClusterPlan
from cluster.simulation.lab.headless import HeadlessLab
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.world.cluster import WORLD
from cluster.storage.host_files import HostFiles
from workbench.runs.wanted import need_files, tell_of_last
from workbench.support.refusal import BAD_DATA, USAGE, Refusal

if TYPE_CHECKING:
    from cluster.invariants.checker import Checker


@dataclass(frozen=True, slots=True)
class WorldChoice:
    """Which world a script is to be played in."""

    simulated: bool = False
    """On one heap and one virtual clock instead of real processes."""
    seed: int | None = None
    """Of the first simulated cluster; the ones after it count on."""

    def launcher(self, home: Path, slow: float, checkers: dict[Path, Checker] | None = None) -> Launch:
        """What starts its clusters; checkers as simulated_launcher. Refusal when real processes are given a seed."""
        if self.simulated:
            return simulated_launcher(home, self.seed or 0, slow, checkers)
        if self.seed is not None:
            raise Refusal(USAGE, "--seed is for --simulated; real processes have none")
        need_files()
        tell_of_last(home)
        return process_launcher(home, slow)


PROCESSES = WorldChoice()
"""Unless something else is asked for."""


def process_launcher(home: Path, slow: float = 1.0) -> Launch:
    """A launcher that keeps its runs below home; slow stretches every timer."""

    async def launch(plan: ClusterPlan, title: str) -> Lab:
        if why := why_only_simulated(plan):
            raise Refusal(BAD_DATA, why)
        return await launch_processes(home, plan.spec(title, slow=slow))

    return launch


async def launch_processes(home: Path, spec: ClusterSpec, *, base_port: int | None = None) -> LabClient:
    """A lab of processes with a run folder below home, and all that it is given. OSError when that fails."""

    def lay_down(folder: Path) -> None:
        prepare(spec, lambda node: HostFiles(folder / "data" / str(node)))

    return await launch_lab(home, spec, prepare=lay_down, base_port=base_port)


def simulated_launcher(home: Path, seed: int, slow: float = 1.0, checkers: dict[Path, Checker] | None = None) -> Launch:
    """A launcher of simulated clusters that leave recordings below home like any other; each has the next seed.

    With `checkers` each run is judged as it goes; whose judgement that is stands there by the run's folder.
    """
    seeds = count(seed)

    async def launch(plan: ClusterPlan, title: str) -> Lab:
        spec = plan.spec(title, seed=next(seeds), slow=slow)
        inner = launch_simulation(home, spec)
        if checkers is not None:
            from cluster.invariants.checker import Checker

            checker = checkers[inner.run_folder] = Checker()
            inner.attend(checker.feed_all)
        lab = HeadlessLab(inner)
        for event in told_of_network(spec):
            lab.note(event, "script")
        return lab

    return launch


def launch_simulation(home: Path, spec: ClusterSpec, *, observes: bool = True) -> SimulatedLab:
    """A simulated lab with a run folder below home, and all that it is given; no time has passed yet.

    OSError when the disk refuses; then the folder is gone again.
    """
    faults = [given.command for given in given_to(spec) if isinstance(given, GivenFault)]
    folder, ended = _open_recording(home, spec)
    try:
        lab = SimulatedLab(spec, folder, ended, observes=observes)
    except OSError:
        ended()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    prepare(spec, lambda node: lab.cluster.files[node])
    for fault in faults:
        lab.begin_with(fault)
    return lab


@contextmanager
def recorded(home: Path, spec: ClusterSpec) -> Iterator[Path]:
    """A run folder below home for a simulation whose trace somebody else writes."""
    folder, ended = _open_recording(home, spec)
    try:
        yield folder
    finally:
        ended()


def _open_recording(home: Path, spec: ClusterSpec) -> tuple[Path, Callable[[], None]]:
    options = asdict(spec.options)
    folder, lock = create_run(
        home, spec, world=WORLD, seed=spec.seed, options=options, given=spec.given, state="running"
    )

    def ended() -> None:
        if is_at(folder / LOCK, lock):  # else it was moved or deleted, and another run may stand in its place
            update_facts(folder, state="ended")
        os.close(lock)

    return folder, ended
