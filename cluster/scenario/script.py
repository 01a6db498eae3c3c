"""A parsed script as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from cluster.cluster_spec import ClusterSpec, Options
from cluster.model.settings import Settings, classroom_timing, kafka_timing
from cluster.scenario.conditions import AnyCondition
from cluster.scenario.event_pattern import EventCount, EventPattern
from cluster.scenario.given import Given, network_in
from cluster.scenario.output import Output
from cluster.scenario.terms import Term


class ScriptError(Exception):
    """A script that cannot be run. str() names line, what is wrong and what is allowed."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line
        """From 1."""
        self.what = what


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """What a cluster line says, and the lines below it that give it something, before a title or a pace is known."""

    controllers: int
    """Numbered from 101."""
    brokers: int
    """Numbered from 1."""
    timing: str
    """classroom or kafka."""
    overrides: tuple[tuple[str, int | bool | str], ...] = ()
    """Settings by name; milliseconds are final, not scaled by the timing."""
    given: tuple[Given, ...] = ()
    """What it finds when it starts."""
    given_lines: tuple[str, ...] = ()
    """The same as written."""
    given_at: tuple[int, ...] = ()
    """Their lines in the script."""
    combined: bool = False
    """Controllers and brokers share processes; then controllers are numbered from 1 too."""

    def spec(self, title: str, *, seed: int = 0, slow: float = 1.0) -> ClusterSpec:
        """The cluster itself; slow stretches every timer, also those given by hand."""
        network = network_in(self.given)
        return ClusterSpec(
            controllers=self.controllers, brokers=self.brokers, combined=self.combined, title=title, seed=seed,
            settings=settings_of(self, slow), given=self.given_lines, options=network.options if network else Options(),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Do:
    """Send a command to the lab."""

    line: int
    text: str
    """The command; $name stands for a remembered value."""
    may_fail: bool = False
    """Written behind `try`: a refusal is an outcome like any other."""


@dataclass(frozen=True, slots=True)
class Expect:
    """A condition must hold before its deadline."""

    line: int
    text: str
    condition: AnyCondition
    within_ms: int | None
    """None for the default."""
    wait_only: bool
    """Written as `wait`: not counted as an expectation."""


@dataclass(frozen=True, slots=True)
class Keep:
    """A condition must hold all the time."""

    line: int
    text: str
    condition: AnyCondition
    for_ms: int


@dataclass(frozen=True, slots=True)
class Remember:
    """Give the present value of a term a name."""

    line: int
    text: str
    name: str
    term: Term | EventCount


@dataclass(frozen=True, slots=True)
class When:
    """Send a command to the lab as soon as an event comes, once."""

    line: int
    text: str
    pattern: EventPattern
    command: str
    """As written; $name stands for a remembered value."""


@dataclass(frozen=True, slots=True)
class At:
    """Send a command to the lab at a time; a refusal is an outcome. Of itself the script then writes no event."""

    line: int
    text: str
    at_ns: int
    """Since the cluster began; at once when that is over."""
    command: str
    """As written; $name stands for a remembered value."""


@dataclass(frozen=True, slots=True)
class Say:
    """Print a sentence."""

    line: int
    text: str


Step: TypeAlias = Do | At | Expect | Keep | Remember | When | Say


@dataclass(frozen=True, slots=True)
class Section:
    """The steps below one [name]; a script without headings has one section without a name."""

    name: str
    line: int
    plan: ClusterPlan | None
    """A new cluster starts here; None goes on with the one of the section before."""
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A whole script."""

    sections: tuple[Section, ...]
    output: Output | None = None
    """What a simulation prints, when the file says so."""

    def section(self, name: str) -> Section | None:
        """The section of that name."""
        return next((item for item in self.sections if item.name == name), None)


def settings_of(plan: ClusterPlan, slow: float = 1.0) -> Settings:
    """The settings a plan asks for; slow stretches every timer, also those given by hand."""
    base = classroom_timing() if plan.timing == "classroom" else kafka_timing()
    return replace(base, **dict(plan.overrides)).scaled(slow)  # type: ignore[arg-type]  # names and types are checked
