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

from cluster.lab import Lab
from cluster.model.events import Event
from cluster.model.settings import Settings
from cluster.runtime.lab.client import LabConfig, launch_lab
from cluster.runtime.run.file_lock import is_at
from cluster.runtime.run.folder import LOCK, create_run, update_facts
from cluster.scenario.given import GivenFault
from cluster.scenario.prepare import network_of, prepare, told_of, why_only_simulated
from cluster.scenario.runner import Launch
from cluster.scenario.script import ClusterPlan, settings_of
from cluster.simulation.lab.headless import HeadlessLab
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.world.cluster import WORLD, SimulationConfig
from cluster.simulation.world.options import Options
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
        settings = settings_of(plan, slow)
        config = LabConfig(
            home=home,
            controllers=plan.controllers,
            brokers=plan.brokers,
            combined=plan.combined,
            settings=settings,
            title=title,
        )
        return await launch_lab(
            config,
            detached=False,
            prepare=lambda folder: prepare(plan, lambda node: HostFiles(folder / "data" / str(node))),
        )

    return launch


def simulated_launcher(home: Path, seed: int, slow: float = 1.0, checkers: dict[Path, Checker] | None = None) -> Launch:
    """A launcher of simulated clusters that leave recordings below home like any other; each has the next seed.

    With `checkers` each run is judged as it goes; whose judgement that is stands there by the run's folder.
    """
    seeds = count(seed)

    async def launch(plan: ClusterPlan, title: str) -> Lab:
        inner, config = prepared_simulation(home, next(seeds), plan, settings_of(plan, slow), title)
        if checkers is not None:
            from cluster.invariants.checker import Checker

            checker = checkers[inner.run_folder] = Checker()
            inner.attend(checker.feed_all)
        lab = HeadlessLab(inner)
        for event in told_of_network(plan, config):
            lab.note(event, "script")
        return lab

    return launch


def prepared_simulation(
    home: Path, seed: int, plan: ClusterPlan, settings: Settings, title: str
) -> tuple[SimulatedLab, SimulationConfig]:
    """What a plan asks for, with all that is given laid down. OSError when the disk refuses."""
    config = SimulationConfig(
        seed=seed,
        controllers=plan.controllers,
        brokers=plan.brokers,
        combined=plan.combined,
        settings=settings,
        title=title,
        options=options_of(plan),
    )
    lab = launch_simulation(home, config, plan.given_lines)
    lay_down(lab, plan)
    return lab, config


def lay_down(lab: SimulatedLab, plan: ClusterPlan) -> None:
    """All that its cluster is given; no time has passed yet."""
    prepare(plan, lambda node: lab.cluster.files[node])
    for given in plan.given:
        if isinstance(given, GivenFault):
            lab.begin_with(given.command)


def options_of(plan: ClusterPlan) -> Options:
    """The network that a plan asks for."""
    network = network_of(plan)
    if network is None:
        return Options()
    shares = {name: getattr(network, name) / 100 for name in ("loss", "duplicate", "reorder")}
    return Options(**shares, latency_us=network.latency_us or Options().latency_us)


def told_of_network(plan: ClusterPlan, config: SimulationConfig) -> tuple[Event, ...]:
    """What a run tells of a network that is unkind from its beginning on."""
    network = network_of(plan)
    return told_of(network) if network is not None and config.options.is_unkind else ()


def launch_simulation(
    home: Path, config: SimulationConfig, given: tuple[str, ...] = (), *, observes: bool = True
) -> SimulatedLab:
    """A simulated lab with a run folder below home. OSError when the disk refuses; then the folder is gone again.

    `given` is what its script lays down before it starts, as written: whoever has the run again needs to know.
    """
    folder, ended = _open_recording(home, config, given)
    try:
        return SimulatedLab(config, folder, ended, observes=observes)
    except OSError:
        ended()
        shutil.rmtree(folder, ignore_errors=True)
        raise


@contextmanager
def recorded(home: Path, config: SimulationConfig) -> Iterator[Path]:
    """A run folder below home for a simulation whose trace somebody else writes."""
    folder, ended = _open_recording(home, config, ())
    try:
        yield folder
    finally:
        ended()


def _open_recording(home: Path, config: SimulationConfig, given: tuple[str, ...]) -> tuple[Path, Callable[[], None]]:
    plain = asdict(config.settings)
    folder, lock = create_run(home, config.title, config.controllers, config.brokers, plain, combined=config.combined)

    def ended() -> None:
        if is_at(folder / LOCK, lock):  # else it was moved or deleted, and another run may stand in its place
            update_facts(folder, state="ended")
        os.close(lock)

    try:
        options = asdict(config.options)
        update_facts(folder, world=WORLD, seed=config.seed, options=options, given=given, state="running")
    except OSError:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder, ended
