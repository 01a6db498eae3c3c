"""What a pass came to: a line for each room, for the rules proper and for the machines; the survivors; the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from tests.mutants.known import Known
from tests.mutants.listing import HEADINGS, reason_of
from tests.mutants.results import JUDGES, SWARM, Results
from tests.mutants.rooms import PARTS, part
from tests.mutants.sites import Mutant
from workbench.analysis.campaign.intervals import wilson

SWARM_MIN, ALL_MIN = 0.90, 0.98
"""Shares of the mutants that are not equivalent; for the swarm those that it has a reason not to see count as seen."""
WIDTHS = (12, 8, 11, 14, 8, *(9 for _ in HEADINGS), 16, 16, 16)


def print_table(wanted: Sequence[Mutant], results: Results, known: Known, *, is_sample: bool = False) -> bool:
    """Print it, for a sample with how sure the shares are; whether both parts keep both thresholds."""
    _print_row(("room", "mutants", "equivalent", "swarm", "seeds*", *HEADINGS, "unit", "scripts", "all"))
    rooms = list(dict.fromkeys(mutant.room for mutant in wanted))
    for room in rooms:
        _row(room, [mutant for mutant in wanted if mutant.room == room], results, known)
    parts = {name: [mutant for mutant in wanted if part(mutant.file) == name] for name in PARTS}
    parts = {name: some for name, some in parts.items() if some}
    for name, some in parts.items():
        _row(name, some, results, known)
    _row("all", wanted, results, known)
    print("* median of the seeds that it took, the most telling first; a judge's share is of those it was asked about")
    for name, meaning in PARTS.items():
        print(f"{name}: {meaning}")
    for name, reason in HEADINGS.items():
        print(f"{name}: lives through the swarm, because {reason}")
    left = [mutant for mutant in wanted if mutant.name not in known.equivalent]
    _print_survivors("seen by nothing", [mutant for mutant in left if not results.is_dead(mutant.name)])
    _print_survivors("not seen by the swarm, and no reason", _unseen(left, results, known))
    print()
    sure = _interval if is_sample else _nothing
    verdicts = [_is_enough(name, some, results, known, sure) for name, some in parts.items()]
    return all(verdicts)


def _is_enough(
    name: str, wanted: Sequence[Mutant], results: Results, known: Known, sure: Callable[[int, int], str]
) -> bool:
    left = [mutant for mutant in wanted if mutant.name not in known.equivalent]
    asked = [mutant for mutant in left if results.is_judged(mutant.name, SWARM)]
    died = [mutant for mutant in asked if (mutant.name, SWARM) in results.deaths]
    dead = [mutant for mutant in left if results.is_dead(mutant.name)]
    explained = len(asked) - len(_unseen(left, results, known))
    by_swarm, by_all = explained / len(asked) if asked else 1.0, _share(dead, left)
    told = f"swarm {_share(died, asked):.1%}{sure(len(died), len(asked))}"
    told = f"{told}, with those that it has a reason not to see {by_swarm:.1%}{sure(explained, len(asked))}"
    told = f"{told} (at least {SWARM_MIN:.0%})" if asked else "swarm not asked"
    print(f"{name}: {told}, all together {by_all:.1%}{sure(len(dead), len(left))} (at least {ALL_MIN:.0%})")
    return by_swarm >= SWARM_MIN and by_all >= ALL_MIN


def _interval(some: int, of: int) -> str:
    low, high = wilson(some, of)
    return f" [{low:.1%} to {high:.1%}]"


def _nothing(_some: int, _of: int) -> str:
    return ""


def _unseen(left: Sequence[Mutant], results: Results, known: Known) -> list[Mutant]:
    """Those that live through the swarm without a reason."""
    lives = [one for one in left if results.is_judged(one.name, SWARM) and (one.name, SWARM) not in results.deaths]
    return [mutant for mutant in lives if not reason_of(mutant, results, known)]


def _row(room: str, wanted: Sequence[Mutant], results: Results, known: Known) -> None:
    left = [mutant for mutant in wanted if mutant.name not in known.equivalent]
    cells = {}
    for judge in JUDGES:
        asked = [mutant for mutant in left if results.is_judged(mutant.name, judge)]
        cells[judge] = _cell([mutant for mutant in asked if (mutant.name, judge) in results.deaths], asked)
    swarm, *others = (cells[judge] for judge in JUDGES)
    tried = [results.deaths[mutant.name, SWARM].tried for mutant in left if (mutant.name, SWARM) in results.deaths]
    reasons = [reason_of(mutant, results, known) for mutant in left]
    _print_row(
        (
            room,
            str(len(wanted)),
            str(len(wanted) - len(left)),
            swarm,
            f"{median(tried):g}" if tried else "-",
            *(str(reasons.count(name)) for name in HEADINGS),
            *others,
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
    return len(some) / len(of) if of else 0.0


def _print_survivors(what: str, mutants: Sequence[Mutant]) -> None:
    if mutants:
        print(f"\n{what}: {len(mutants)}")
    for mutant in mutants:
        print(f"  {mutant.name}  (line {mutant.line})")
