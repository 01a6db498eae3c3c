"""What a pass came to: a line for each room, the survivors by name, and whether that is enough."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tests.mutants.known import Known
from tests.mutants.results import JUDGES, SCRIPTS, SWARM, UNIT, Results
from tests.mutants.sites import Mutant

SWARM_MIN, ALL_MIN = 0.90, 0.98
"""Shares of the mutants that are not equivalent, and for the swarm not listed as unseen."""
WIDTHS = (12, 8, 11, 7, 14, 8, 14, 14, 14)


def print_table(wanted: Sequence[Mutant], results: Results, known: Known) -> bool:
    """Print it; whether both thresholds are kept."""
    _print_row(("room", "mutants", "equivalent", "unseen", "swarm", "seeds*", "unit", "scripts", "all"))
    rooms = list(dict.fromkeys(mutant.room for mutant in wanted))
    for room in rooms:
        _row(room, [mutant for mutant in wanted if mutant.room == room], results, known)
    _row("all", wanted, results, known)
    print("* median of the seeds that it took, the most telling first; a judge's share is of those it was asked about")
    left = [mutant for mutant in wanted if mutant.name not in known.equivalent]
    _print_survivors("seen by nothing", [mutant for mutant in left if not results.is_dead(mutant.name)])
    seeable = [mutant for mutant in left if mutant.name not in known.unseen]
    others = [item for item in seeable if results.is_dead(item.name) and (item.name, SWARM) not in results.deaths]
    _print_survivors("not seen by the swarm", others)
    by_swarm = _share([mutant for mutant in seeable if (mutant.name, SWARM) in results.deaths], seeable)
    by_all = _share([mutant for mutant in left if results.is_dead(mutant.name)], left)
    print(f"\nswarm {by_swarm:.1%} (at least {SWARM_MIN:.0%}), all together {by_all:.1%} (at least {ALL_MIN:.0%})")
    return by_swarm >= SWARM_MIN and by_all >= ALL_MIN


def _row(room: str, wanted: Sequence[Mutant], results: Results, known: Known) -> None:
    left = [mutant for mutant in wanted if mutant.name not in known.equivalent]
    unseen = [mutant for mutant in left if mutant.name in known.unseen]
    cells = {}
    for judge in JUDGES:
        asked = [mutant for mutant in left if results.is_judged(mutant.name, judge)]
        if judge == SWARM:
            asked = [mutant for mutant in asked if mutant.name not in known.unseen]
        cells[judge] = _cell([mutant for mutant in asked if (mutant.name, judge) in results.deaths], asked)
    tried = [results.deaths[mutant.name, SWARM].tried for mutant in left if (mutant.name, SWARM) in results.deaths]
    _print_row(
        (
            room,
            str(len(wanted)),
            str(len(wanted) - len(left)),
            str(len(unseen)),
            cells[SWARM],
            f"{median(tried):g}" if tried else "-",
            cells[UNIT],
            cells[SCRIPTS],
            _cell([mutant for mutant in left if results.is_dead(mutant.name)], left),
        )
    )


def _print_row(cells: Sequence[str]) -> None:
    first, *rest = (cell.ljust(width) if not place else cell.rjust(width)
                    for place, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True)))  # fmt: skip
    print(first + "".join(rest))


def _cell(some: Sequence[Mutant], of: Sequence[Mutant]) -> str:
    return f"{len(some)}/{len(of)} {_share(some, of):4.0%}" if of else "-"


def _share(some: Sequence[Mutant], of: Sequence[Mutant]) -> float:
    return len(some) / len(of) if of else 1.0


def _print_survivors(what: str, mutants: Sequence[Mutant]) -> None:
    if mutants:
        print(f"\n{what}: {len(mutants)}")
    for mutant in mutants:
        print(f"  {mutant.name}  (line {mutant.line})")
