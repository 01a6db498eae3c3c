"""Simulated runs at a learner's pace: begin one, or branch off another at any of its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.lab import Lab
from cluster.model.settings import Settings
from cluster.runtime.run.facts import version_of
from cluster.runtime.run.folder import RunError, read_facts, update_facts
from cluster.scenario.given import parse_given
from cluster.scenario.runner import Launch
from cluster.scenario.script import ClusterPlan, Script, settings_of
from cluster.simulation.lab.journal import FILE, JournalError, Outside, read_journal
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.world.cluster import WORLD, SimulationConfig
from cluster.simulation.world.options import Options
from workbench.runs.launch import launch_simulation, lay_down, prepared_simulation, told_of_network
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
    config: SimulationConfig
    journal: Sequence[Outside]
    """What came from outside, in order."""
    given: tuple[str, ...] = ()
    """What its script laid down before it began, as written."""
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
    home: Path, config: SimulationConfig, pace: Pace, given: tuple[str, ...] = (), *, observes: bool = True
) -> PacedLab:
    """A new simulated run below home, at this pace. OSError when the disk refuses."""
    lab = begun(home, config, given, observes=observes)
    return PacedLab(config, lab, read_facts(lab.run_folder), pace)


def begun(home: Path, config: SimulationConfig, given: tuple[str, ...], *, observes: bool = True) -> SimulatedLab:
    """The same, its time in the hands of the caller."""
    lab = launch_simulation(home, config, given, observes=observes)
    if given:
        plan = ClusterPlan(
            controllers=config.controllers,
            brokers=config.brokers,
            timing="classroom",
            given=tuple(parse_given(line.split()) for line in given),
        )
        lay_down(lab, plan)
    return lab


def paced_launcher(home: Path, seed: int, pace: Pace, script: Script, slow: float = 1.0) -> Launch:
    """A launcher for the clusters of a script, all at this pace. The first has this seed, the second the next: also
    when one is launched again, or those before it are not."""
    plans = [section.plan for section in script.sections if section.plan is not None]

    async def launch(plan: ClusterPlan, title: str) -> Lab:
        place = next(place for place, known in enumerate(plans) if known is plan)
        inner, config = prepared_simulation(home, seed + place, plan, settings_of(plan, slow), title)
        lab = PacedLab(config, inner, read_facts(inner.run_folder), pace)
        lab.has_script = True
        for event in told_of_network(plan, config):
            lab.note(event, "script")
        return lab

    return launch


def past_of(lab: PacedLab) -> Past:
    """Of a run that is watched now."""
    journal = tuple(lab.stepper.journal.entries)
    return Past(run=lab.facts.id, config=lab.config, journal=journal, given=lab.facts.given, version=lab.facts.version)


def past_of_recording(folder: Path) -> Past:
    """Of a recorded run. BranchError when it is not simulated, or has no journal."""
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
            options=_options(facts.options),
        )
        journal = tuple(read_journal(folder / FILE))
        return Past(run=facts.id, config=config, journal=journal, given=facts.given, version=facts.version)
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
    lab = begin_run(home, past.config, pace, past.given, observes=past.observes)
    told = {"branch_events": shared, "branch_s": round(seconds, 6), "version": past.version}
    lab.facts = update_facts(lab.run_folder, parent=past.run, **told)
    lab.retrace(past.journal, shared)
    return lab


def _options(plain: dict[str, Any]) -> Options:
    """As recorded. TypeError when they are none."""
    given: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in plain.items()}
    return Options(**given)
