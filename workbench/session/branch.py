"""Simulated runs at a learner's pace: begin one, or branch off another at any of its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cluster.lab import Lab
from cluster.model.settings import Settings
from cluster.runtime.run_folder import RunError, read_facts, update_facts
from cluster.scenario.runner import Launch
from cluster.scenario.script import ClusterPlan, settings_of
from cluster.simulation.cluster import WORLD, SimulationConfig
from cluster.simulation.journal import FILE, JournalError, Outside, read_journal
from workbench.course.launch import launch_simulation
from workbench.session.pace import Pace
from workbench.session.paced_lab import PacedLab


class BranchError(Exception):
    """A run that cannot be branched. The message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What a branch needs of its parent."""

    run: str
    """Id of the parent."""
    config: SimulationConfig
    """What was simulated."""
    journal: Sequence[Outside]
    """What came from outside, in order."""

    @property
    def end(self) -> int | None:
        """Events told when the run was ended; None when it never was, or is not yet."""
        return next((item.events for item in self.journal if item.is_end), None)


def begin_run(home: Path, config: SimulationConfig, pace: Pace) -> PacedLab:
    """A new simulated run below home, at this pace. OSError when the disk refuses."""
    lab = launch_simulation(home, config)
    return PacedLab(config, lab, read_facts(lab.run_folder), pace)


def paced_launcher(home: Path, seed: int, pace: Pace, slow: float = 1.0) -> Launch:
    """A launcher for a lesson's clusters, all at this pace; each has the next seed."""
    seeds = iter(range(seed, 1 << 63))

    async def launch(plan: ClusterPlan, title: str) -> Lab:
        settings = settings_of(plan, slow)
        config = SimulationConfig(
            seed=next(seeds), controllers=plan.controllers, brokers=plan.brokers, settings=settings, title=title
        )
        lab = begin_run(home, config, pace)
        lab.has_script = True
        return lab

    return launch


def past_of(lab: PacedLab) -> Past:
    """Of a run that is watched now."""
    return Past(run=lab.facts.id, config=lab.config, journal=tuple(lab.stepper.journal.entries))


def past_of_recording(folder: Path) -> Past:
    """Of a recorded run. BranchError when it is not simulated, or was not played on the screen."""
    try:
        facts = read_facts(folder)
        if facts.world != WORLD or facts.seed is None:
            raise BranchError("only a simulated run can be branched: real processes never do the same twice")
        config = SimulationConfig(
            seed=facts.seed,
            controllers=len(facts.controllers),
            brokers=len(facts.brokers),
            combined=bool(set(facts.controllers) & set(facts.brokers)),
            settings=Settings(**facts.settings),
            title=facts.title,
        )
        return Past(run=facts.id, config=config, journal=tuple(read_journal(folder / FILE)))
    except (RunError, JournalError, TypeError, ValueError) as error:
        raise BranchError(f"it cannot be branched: {error}") from error


def branch_off(home: Path, past: Past, events: int, seconds: float, pace: Pace) -> PacedLab:
    """A new run with the first events of another: the same seed, the same commands at the same moments.

    Args:
        events: how many, at least; the move that told the last of them is made to its end.
        seconds: when that was, since the beginning.

    It is run anew by whoever lets its time pass; then it goes its own way. OSError when the disk refuses.
    """
    shared = events if past.end is None else min(events, past.end)
    lab = begin_run(home, past.config, pace)
    lab.facts = update_facts(lab.run_folder, parent=past.run, branch_events=shared, branch_s=round(seconds, 6))
    lab.retrace(past.journal, shared)
    return lab
