"""How many seeds of the swarm it takes to catch each planted bug of tests/swarm."""

from __future__ import annotations

import statistics
import sys
from itertools import count, islice
from pathlib import Path

SEEDS_MAX = 200


def run() -> None:
    """Hunt each bug from seed 1 on and print the seed that caught it."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "swarm"))
    from all_bugs import BUGS
    from planted import hunt

    caught = []
    for bug in BUGS:
        seed, seen = hunt(bug, islice(count(1), SEEDS_MAX))
        rules = ", ".join(sorted(seen & bug.breaks))
        told = "not caught" if seed is None else seed
        print(f"  {bug.part:12}{bug.name:28}{told:>10}  {rules}", flush=True)
        caught += [] if seed is None else [seed]
    median = statistics.median(caught)
    print(f"  {len(caught)} of {len(BUGS)} caught within {SEEDS_MAX} seeds, median seed {median:g}")
