"""From outcomes to numbers: one estimate for each cell and measure, verdicts, and which runs are worth a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workbench.analysis.campaign.intervals import mean_interval, rank, wilson
from workbench.analysis.campaign.measures import MEASURES, Kind, Measure
from workbench.analysis.campaign.plan import Campaign, Cell

Row = dict[str, Any]
RUNS_PER_RULE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One measure in one cell."""

    cell: Cell
    measure: Measure
    runs: int
    """That said something about it."""
    value: float
    """The share (0 to 1) or the mean."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    least: float
    """The smallest of a run."""
    p25: float
    """A quarter of the runs does not exceed it."""
    median: float
    p75: float
    p99: float
    """99 of 100 runs do not exceed it."""
    most: float
    """The largest of a run."""
    happened: int
    """Runs with a value above 0."""
    seed: int | None
    """The run that shows it best: the one with the fewest events of those with the largest value; None at 0."""

    @property
    def has_interval(self) -> bool:
        """Whether the runs tell how far the number would move: a mean of one run does not."""
        return self.measure.kind is Kind.SHARE or self.runs > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule that runs of one cell broke."""

    rule: str
    """Its id, or what crashed."""
    cell: Cell
    runs: int
    seeds: tuple[int, ...]
    """The smallest of them, by events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All that the report tells."""

    campaign: Campaign
    rows: int
    seeds: tuple[int, int]
    """First and last, both inclusive; every cell has them all."""
    events: int
    simulated_s: float
    """Virtual time of all runs."""
    digest: str
    estimates: tuple[Estimate, ...]
    """Measure by measure, each cell by cell; a cell whose runs say nothing about a measure has none."""
    violated: tuple[Finding, ...]
    """Rules that were broken and should not have been."""
    expected: tuple[Finding, ...]
    """Rules that the campaign says its settings take the ground from."""
    excused: tuple[tuple[str, int], ...]
    """(rule, runs): broken after an assumption was."""

    def of(self, measure: str) -> list[Estimate]:
        """The estimates of one measure."""
        return [item for item in self.estimates if item.measure.name == measure]

    def at(self, measure: str, cell: Cell) -> Estimate | None:
        """One estimate."""
        return next((item for item in self.estimates if item.measure.name == measure and item.cell is cell), None)


def summarise(campaign: Campaign, rows: list[Row], keys: dict[str, Cell], digest: str) -> Summary:
    """All numbers of a campaign. `keys` says which cell a row belongs to."""
    by_cell: dict[int, list[Row]] = {cell.number: [] for cell in campaign.cells}
    for row in sorted(rows, key=lambda row: row["seed"]):
        by_cell[keys[row["cell"]].number].append(row)
    estimates = [
        estimate(MEASURES[name], cell, by_cell[cell.number]) for name in campaign.measures for cell in campaign.cells
    ]
    findings = [finding for cell in campaign.cells for finding in _findings(cell, by_cell[cell.number])]
    excused = Counter(rule for row in rows for rule in row["excused"])
    seeds = [row["seed"] for row in rows]
    return Summary(
        campaign=campaign,
        rows=len(rows),
        seeds=(min(seeds), max(seeds)),
        events=sum(row["events"] for row in rows),
        simulated_s=sum(row["simulated_us"] for row in rows) / 1e6,
        digest=digest,
        estimates=tuple(item for item in estimates if item is not None),
        violated=tuple(item for item in findings if not campaign.expects(item.rule, item.cell)),
        expected=tuple(item for item in findings if campaign.expects(item.rule, item.cell)),
        excused=tuple(sorted(excused.items())),
    )


def estimate(measure: Measure, cell: Cell, rows: list[Row]) -> Estimate | None:
    """One measure of the runs of one cell; None when no run says anything about it."""
    measured = [(value, row) for row in rows if (value := measure.value(row)) is not None]
    if not measured:
        return None
    values = sorted(value for value, _ in measured)
    happened = sum(value > 0 for value in values)
    if measure.kind is Kind.SHARE:
        low, high = wilson(happened, len(values))
        mean = happened / len(values)
    else:
        mean, low, high = mean_interval(values)
        low = max(0.0, low)
    best = min(measured, key=lambda item: (-item[0], item[1]["events"], item[1]["seed"]))
    return Estimate(
        cell=cell,
        measure=measure,
        runs=len(values),
        value=mean,
        low=low,
        high=high,
        least=values[0],
        p25=rank(values, 0.25),
        median=rank(values, 0.5),
        p75=rank(values, 0.75),
        p99=rank(values, 0.99),
        most=values[-1],
        happened=happened,
        seed=best[1]["seed"] if best[0] > 0 else None,
    )


def _findings(cell: Cell, rows: list[Row]) -> Iterable[Finding]:
    broken: dict[str, list[Row]] = {}
    for row in rows:
        for rule in row["violated"]:
            broken.setdefault(rule, []).append(row)
    for rule, rows_of_rule in sorted(broken.items()):
        smallest = sorted(rows_of_rule, key=lambda row: (row["events"], row["seed"]))[:RUNS_PER_RULE]
        yield Finding(rule=rule, cell=cell, runs=len(rows_of_rule), seeds=tuple(row["seed"] for row in smallest))


def telling(summary: Summary, most: int) -> list[tuple[Cell, int, str]]:
    """(cell, seed, why) of the runs to record: what was broken first, then what shows each measure best."""
    wanted: dict[tuple[int, int], tuple[Cell, int, str]] = {}
    for finding in summary.violated:
        for seed in finding.seeds[:1]:
            wanted.setdefault((finding.cell.number, seed), (finding.cell, seed, f"breaks {finding.rule}"))
    for name in summary.campaign.measures:
        shown = [item for item in summary.of(name) if item.seed is not None]
        if shown:
            best = max(shown, key=lambda item: (item.value, -item.cell.number))
            assert best.seed is not None
            why = f"{best.measure.title}: the most of any cell"
            wanted.setdefault((best.cell.number, best.seed), (best.cell, best.seed, why))
    return list(wanted.values())[:most]
