"""A campaign as data: what is varied, what stays, and what one cell of the grid asks of one seed."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from itertools import product

from cluster.cluster_spec import ClusterSpec, Options
from cluster.model.settings import Settings

TOPIC = "orders"
WATCHED = ("partition", "quorum")
PLACE = re.compile(r"\$([1-9])")
"""A node by its place in the watched log: $1 leads when the steps begin, $2 and so on follow by number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of a fault."""

    at_ms: int
    """After the first step is due."""
    command: str
    """In the grammar of commands; $1 to $9 stand for nodes of the watched log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A fault: commands at their times. Whatever is left of it is mended before the run is judged."""

    name: str
    """As on the axis."""
    text: str
    """What happens, in one sentence."""
    steps: tuple[Step, ...]
    """In order of time; none for a run without a fault."""

    def places(self) -> int:
        """The largest $n in its steps."""
        return max((int(place) for step in self.steps for place in PLACE.findall(step.command)), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What producers ask for, all the time until the fault is mended."""

    acks: str = "all"
    """all, 1 or 0."""
    every_ms: int = 20
    """A produce is begun so often."""
    records: int = 1
    waiting_max: int = 20
    """No further one is begun while so many wait for their answer; 0 produces nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPlan:
    """All that one run needs but its seed. Equal plans and equal seeds give equal runs."""

    controllers: int
    """Voters of the quorum."""
    brokers: int
    settings: Settings
    options: Options
    """The network and the machines."""
    replicas: int
    """Of orders-0."""
    min_isr: int
    """min.insync.replicas of orders-0."""
    watched: str
    """Which log $1 to $9 and the commit measures are about: partition (orders-0) or quorum."""
    load: Load
    trouble: Trouble
    warm_up_ms: int
    """From the start until the steps may begin."""
    shift_ms: int
    """Each seed begins its steps up to so much later: a fault has no appointment with a timer."""
    trouble_ms: int
    """From the first step until everything is mended and producers stop."""
    calm_ms: int
    """Longest wait after that for everything to be in order."""

    @property
    def members(self) -> int:
        """How many nodes keep the watched log."""
        return self.controllers if self.watched == "quorum" else self.replicas

    def config(self, seed: int, title: str) -> ClusterSpec:
        """The cluster of one seed."""
        return ClusterSpec(
            seed=seed,
            controllers=self.controllers,
            brokers=self.brokers,
            settings=self.settings,
            title=title,
            options=self.options,
        )

    def key(self, engine: str) -> str:
        """Names the plan and the code that runs it: outcomes of the same key and seed are the same.

        What a fault is called changes no run.
        """
        plain = asdict(self) | {"trouble": [asdict(step) for step in self.trouble.steps]}
        return hashlib.sha256(json.dumps([engine, plain], sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What is varied."""

    name: str
    """As in the file."""
    label: str
    levels: tuple[str, ...]
    """Names of the values, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One place of the grid."""

    number: int
    """From 1, row by row."""
    levels: tuple[tuple[str, str], ...]
    """(axis, level), rows' axes first."""
    plan: CellPlan

    @property
    def title(self) -> str:
        """The levels in words."""
        return ", ".join(f"{axis} {level}" for axis, level in self.levels)

    def level(self, axis: str) -> str:
        """Where it is on an axis."""
        return dict(self.levels)[axis]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A rule of the checker that settings of this campaign take the ground from."""

    rule: str
    why: str
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(axis, levels): the cells that this is about; all cells when empty."""

    def covers(self, cell: Cell) -> bool:
        """Whether the rule may be broken in this cell."""
        return all(cell.level(axis) in levels for axis, levels in self.where)


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """A whole file."""

    name: str
    """Of the file, without its ending."""
    title: str
    question: str
    not_shown: tuple[str, ...]
    """What its numbers do not say, a sentence each."""
    measures: tuple[str, ...]
    """Names, in the order of the report."""
    expected: tuple[Expected, ...]
    """Rules that may be broken, and where."""
    rows: tuple[Axis, ...]
    """Axes that go down, the outer one first."""
    columns: tuple[Axis, ...]
    """Axes that go across, the outer one first."""
    faults: tuple[Trouble, ...]
    """All that are used."""
    cells: tuple[Cell, ...]
    """Combinations that can be had, in order."""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Rows' axes first."""
        return (*self.rows, *self.columns)

    def expects(self, rule: str, cell: Cell) -> bool:
        """Whether a rule may be broken in a cell."""
        return any(item.rule == rule and item.covers(cell) for item in self.expected)

    def cell(self, number: int) -> Cell | None:
        """The cell of that number."""
        return self.cells[number - 1] if 1 <= number <= len(self.cells) else None

    @property
    def across(self) -> list[tuple[str, ...]]:
        """Levels of the columns' axes, from left to right."""
        return list(product(*(axis.levels for axis in self.columns)))

    @property
    def grid(self) -> list[tuple[tuple[str, ...], list[Cell | None]]]:
        """(levels of the rows' axes, its cells from left to right) of each line; None where the grid has a hole."""
        by_levels = {tuple(level for _, level in cell.levels): cell for cell in self.cells}
        down = product(*(axis.levels for axis in self.rows))
        return [(row, [by_levels.get((*row, *column)) for column in self.across]) for row in down]
