"""How many seeds of the swarm it takes to catch each planted bug of tests/swarm."""

from __future__ import annotations

import statistics
from itertools import count, islice

SEEDS_MAX = 200


def run() -> None:
    """Hunt each bug from seed 1 on and print the seed that caught it."""
    from tests.support.bugs.all_bugs import BUGS
    from tests.support.bugs.planted import hunt

    caught = []
    for bug in BUGS:
        seed, seen = hunt(bug, islice(count(1), SEEDS_MAX))
        rules = ", ".join(sorted(seen & bug.breaks))
        told = "not caught" if seed is None else seed
        print(f"  {bug.part:12}{bug.name:28}{told:>10}  {rules}", flush=True)
        caught += [] if seed is None else [seed]
    median = statistics.median(caught)
    print(f"  {len(caught)} of {len(BUGS)} caught within {SEEDS_MAX} seeds, median seed {median:g}")
