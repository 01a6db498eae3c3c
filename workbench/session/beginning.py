"""From a cluster that is wanted, and the world it is to be in, to a run that a viewer can begin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from cluster.cluster_spec import ClusterSpec
from cluster.scenario.script import Do, Script
from workbench.runs.wanted import Wanted, cluster_of, first_commands
from workbench.session.changes import Changes, WhatIfError, changes_of
from workbench.session.driver import Driver
from workbench.session.pace import Pace
from workbench.session.session import Session
from workbench.support.refusal import USAGE, Refusal
from workbench.support.safe_text import safe_text

Connect: TypeAlias = Callable[..., Awaitable[Any]]
"""Starts or reaches the lab. That of a simulation takes another seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Processes:
    """Real processes on loopback."""

    base_port: int | None = None
    """First port; None lets the lab choose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """One heap and one virtual clock; the seed is that of the cluster."""

    beside: Changes | None = None
    """What is another in a second cluster that gets the same commands; None for no second one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run to be shown. Nothing of it is there before somebody connects."""

    connect: Connect
    title: str
    first_commands: tuple[str, ...] = ()
    """What it is told at once."""
    session: Session = field(default_factory=lambda: Session(Path(), None))
    seed: int | None = None
    """Of a simulation; None for processes."""
    pace: Pace | None = None
    """How fast virtual time goes; None for processes."""
    comes_again: bool = True
    """Whether connecting once more gives another run like it."""


def begin(spec: ClusterSpec, world: Processes | Simulated, home: Path, first_commands: tuple[str, ...] = ()) -> Run:
    """A run of this cluster below home, to be begun by whoever shows it."""
    if isinstance(world, Processes):

        async def launch() -> Any:
            from workbench.runs.launch import launch_processes

            return await launch_processes(home, spec, base_port=world.base_port)

        return Run(connect=launch, title=spec.title, first_commands=first_commands)
    session, pace = Session(Path(), None), Pace()
    session.driver = Driver(session.recording, pace)

    async def simulate(seed: int = spec.seed) -> Any:
        from workbench.session.branch import begin_run

        return begin_run(home, replace(spec, seed=seed), pace, beside=world.beside)

    return Run(
        connect=simulate, title=spec.title, first_commands=first_commands, session=session, seed=spec.seed, pace=pace
    )


def begin_lab(options: Wanted) -> Run:
    """A free lab. Refusal when it cannot work; then nothing was written."""
    home, spec = cluster_of(options)
    try:
        beside = changes_of(options.beside) if options.beside else None
    except WhatIfError as error:
        raise Refusal(USAGE, safe_text(f"--beside: {error}", 400)) from error
    world = Simulated(beside=beside) if options.simulated else Processes(base_port=options.base_port)
    return begin(spec, world, home, first_commands(options))


def begin_field(field: Script, title: str, seed: int, world: Processes | Simulated, home: Path) -> Run:
    """The cluster that a script begins with, and the commands of its first section."""
    section = field.sections[0]
    assert section.plan is not None
    commands = tuple(step.text for step in section.steps if isinstance(step, Do))
    return begin(section.plan.spec(title, seed=seed), world, home, commands)
