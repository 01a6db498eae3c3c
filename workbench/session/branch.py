"""Simulated runs at a learner's pace: begin one, or branch off another at any of its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cluster.cluster_spec import ClusterSpec
from cluster.lab import Lab
from cluster.runtime.run.facts import version_of
from cluster.runtime.run.folder import RunError, read_facts, update_facts
from cluster.scenario.prepare import told_of_network
from cluster.scenario.runner import Launch
from cluster.scenario.script import ClusterPlan, Script
from cluster.simulation.lab.journal import FILE, JournalError, Outside, read_journal
from cluster.simulation.world.cluster import WORLD
from workbench.runs.launch import launch_simulation
from workbench.session.beside import BesideWorld
from workbench.session.changes import Changes
from workbench.session.pace import Pace
from workbench.session.paced_lab import PacedLab

OBSERVES_FROM = 1, 2
"""First version of the run folder whose events tell of messages and timers."""


class BranchError(Exception):
    """A run that cannot be branched. The message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What a branch needs of its parent."""

    run: str
    """Id of the parent."""
    spec: ClusterSpec
    journal: Sequence[Outside]
    """What came from outside, in order."""
    version: str = ""
    """Of the form of its folder."""

    @property
    def observes(self) -> bool:
        """Whether its events tell of messages and timers. Events are counted, so a branch has to tell as much."""
        return version_of(self.version) >= OBSERVES_FROM

    @property
    def end(self) -> int | None:
        """Events told when the run was ended; None when it never was, or is not yet."""
        return next((item.events for item in self.journal if item.is_end), None)


def begin_run(
    home: Path, spec: ClusterSpec, pace: Pace, *, observes: bool = True, beside: Changes | None = None
) -> PacedLab:
    """A new simulated run below home, at this pace. OSError when the disk refuses."""
    lab = PacedLab(launch_simulation(home, spec, observes=observes), pace)
    if beside is not None:
        lab.beside = BesideWorld(launch_simulation(home, beside.cluster(spec)), beside)
    return lab


def paced_launcher(home: Path, seed: int, pace: Pace, script: Script, slow: float = 1.0) -> Launch:
    """A launcher for the clusters of a script, all at this pace. The first has this seed, the second the next: also
    when one is launched again, or those before it are not."""
    plans = [section.plan for section in script.sections if section.plan is not None]

    async def launch(plan: ClusterPlan, title: str) -> Lab:
        place = next(place for place, each in enumerate(plans) if each is plan)
        spec = plan.spec(title, seed=seed + place, slow=slow)
        lab = begin_run(home, spec, pace)
        lab.has_script = True
        for event in told_of_network(spec):
            lab.note(event, "script")
        return lab

    return launch


def past_of(lab: PacedLab) -> Past:
    """Of a run that is watched now."""
    journal = tuple(lab.stepper.journal.entries)
    return Past(run=lab.facts.id, spec=lab.spec, journal=journal, version=lab.facts.version)


def past_of_recording(folder: Path) -> Past:
    """Of a recorded run. BranchError when it is not simulated, or has no journal."""
    try:
        facts = read_facts(folder)
        if facts.world != WORLD or facts.seed is None:
            raise BranchError("only a simulated run can be branched: real processes never do the same twice")
        journal = tuple(read_journal(folder / FILE))
        return Past(run=facts.id, spec=facts.spec, journal=journal, version=facts.version)
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
    lab = begin_run(home, past.spec, pace, observes=past.observes)
    branched = {"parent": past.run, "branch_events": shared, "branch_s": round(seconds, 6)}
    lab.facts = update_facts(lab.run_folder, version=past.version, **branched)
    lab.retrace(past.journal, shared)
    return lab
