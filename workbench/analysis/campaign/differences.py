"""How each cell differs from one that it is held against, seed by seed: equal seeds share their luck.

The difference of two runs of one seed says more than two numbers that each have an interval of their own. Many cells
are many chances to be fooled, so each p is corrected by Holm's way over all cells and measures that are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import stdev
from typing import TypeAlias

from workbench.analysis.campaign.intervals import holm, mean_interval, sign_test, two_sided
from workbench.analysis.campaign.measures import MEASURES, Kind, Measure
from workbench.analysis.campaign.plan import Campaign, Cell
from workbench.analysis.campaign.summary import Row
from workbench.analysis.campaign.words import number

Pairs: TypeAlias = Mapping[int, list[tuple[Row, Row]]]
"""Number of a cell to (row held against, row of the cell), of one seed each."""
PAIRED = (
    "Seed by seed, so that what both share falls out. p says how likely chance alone brings so much; it is corrected "
    "by Holm's way for how many differences are told."
)
SURE = 0.05
"""A corrected p up to here is told as a difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure of one cell, less that of what it is held against."""

    cell: Cell
    measure: Measure
    pairs: int
    """Seeds of which both runs say something about it."""
    value: float
    """Mean of the differences; of a share, in parts of one."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""
    p: float
    """Two-sided: paired t test of a mean, sign test of a share."""
    corrected: float
    """The same by Holm's way."""

    @property
    def is_sure(self) -> bool:
        """Whether chance hardly explains it."""
        return self.corrected <= SURE


def differences(campaign: Campaign, pairs: Pairs) -> list[Difference]:
    """Of each measure and cell that has two pairs or more."""
    compared = []
    for name in campaign.measures:
        for cell in campaign.cells:
            values = _values(MEASURES[name], pairs.get(cell.number, ()))
            if len(values) > 1:
                compared.append((cell, MEASURES[name], values, _p(MEASURES[name], values)))
    corrected = holm([p for *_, p in compared])
    return [
        Difference(
            cell=cell,
            measure=measure,
            pairs=len(values),
            **dict(zip(("value", "low", "high"), mean_interval(values), strict=True)),
            p=p,
            corrected=sure,
        )
        for (cell, measure, values, p), sure in zip(compared, corrected, strict=True)
    ]


def pairs_of(rows: list[Row], keys: Mapping[str, Cell], against: Cell) -> Pairs:
    """Each cell's runs beside those of one cell of the same campaign."""
    of_cell = {(keys[row["cell"]].number, row["seed"]): row for row in rows}
    return _paired(of_cell, {key: (against.number, key[1]) for key in of_cell if key[0] != against.number}, of_cell)


def pairs_of_code(rows: list[Row], keys: Mapping[str, Cell], before: list[Row], old: Mapping[str, Cell]) -> Pairs:
    """Each cell's runs beside those that other code made of the same plan and seed."""
    of_cell = {(keys[row["cell"]].number, row["seed"]): row for row in rows}
    other = {(old[row["cell"]].number, row["seed"]): row for row in before}
    return _paired(of_cell, {key: key for key in of_cell}, other)


Place: TypeAlias = tuple[int, int]
"""(number of a cell, seed)."""


def _paired(rows: Mapping[Place, Row], partners: Mapping[Place, Place], other: Mapping[Place, Row]) -> Pairs:
    pairs: dict[int, list[tuple[Row, Row]]] = {}
    for place, beside in sorted(partners.items()):
        if beside in other:
            pairs.setdefault(place[0], []).append((other[beside], rows[place]))
    return pairs


def _values(measure: Measure, pairs: Iterable[tuple[Row, Row]]) -> list[float]:
    both = ((measure.value(before), measure.value(after)) for before, after in pairs)
    return [after - before for before, after in both if before is not None and after is not None]


def _p(measure: Measure, values: list[float]) -> float:
    spread = stdev(values)
    if measure.kind is Kind.SHARE or spread == 0:
        return sign_test(sum(value > 0 for value in values), sum(value < 0 for value in values))
    return two_sided(sum(values) / len(values) / (spread / len(values) ** 0.5), len(values) - 1)


def sentence(item: Difference) -> str:
    """In one line, with its interval."""
    low, value, high = (_signed(item.measure, each) for each in (item.low, item.value, item.high))
    sure = "" if item.is_sure else "; chance explains it"
    return f"{item.cell.title}: {value} (95 % interval {low} to {high}), p {_p_told(item.corrected)}{sure}"


def _signed(measure: Measure, value: float) -> str:
    return f"{'-' if value < 0 else '+' if value > 0 else ''}{number(measure, abs(value))}"


def _p_told(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"{p:.3f}"
