"""`python -m tests.mutants`: plant every small mistake in every rule and every machine, and count who sees it."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from tests.mutants.known import Known, read_known
from tests.mutants.listing import write_list
from tests.mutants.progress import Progress
from tests.mutants.pytest_judge import judged_by_tests
from tests.mutants.results import SCRIPTS, SWARM, UNIT, Results
from tests.mutants.rooms import CARRIERS, PARTS, RULES, chosen, unit_tests
from tests.mutants.rooms import SCRIPTS as SCRIPT_TESTS
from tests.mutants.sites import Mutant
from tests.mutants.swarm_judge import TROUBLE_S
from tests.mutants.swarm_pass import by_swarm
from tests.mutants.table import print_table


def main(arguments: Sequence[str]) -> int:
    """0 when enough mutants are seen, 1 when not, 2 for bad usage."""
    options = _options().parse_args(arguments)
    known, everything = read_known(), chosen(options.only, options.part)
    wanted = [mutant for mutant in everything if mutant.name not in known.equivalent]
    if not wanted:
        sys.stderr.write("no mutant is called so; --only takes a room, a file, or a part of a name\n")
        return 2
    wanted.sort(key=lambda mutant: _lot(options.seed, mutant))  # so that a pass that is ended is a sample
    wanted = wanted[: options.sample or len(wanted)]
    results = Results(options.results, TROUBLE_S)
    gc.collect()
    gc.freeze()  # children share what is there by now
    if SWARM in options.judges:
        by_swarm(wanted, results, options.seeds, options.jobs)
    for judge in (UNIT, SCRIPTS):
        if judge in options.judges:
            asked = wanted if options.full else [item for item in wanted if not results.is_dead(item.name)]
            _by_tests(asked, results, judge, options.jobs)
    write_list(options.results.with_suffix(".txt"), wanted, results, known)
    told = [*wanted, *_equivalent(everything, known)]
    return 0 if print_table(told, results, known, is_sample=bool(options.sample)) else 1


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    add = parser.add_argument
    add("--only", action="append", default=[], metavar="ROOM", help="a room, a file, or a part of a name; may repeat")
    parts = "; ".join(f"{name}: {told}" for name, told in PARTS.items())
    add("--part", nargs="+", choices=(RULES, CARRIERS), default=[RULES, CARRIERS], help=f"{parts}; both by default")
    add(
        "--sample",
        type=int,
        default=0,
        metavar="N",
        help="so many mutants, drawn at random; shares get a 95 %% interval",
    )
    add("--seed", type=int, default=1, help="what the order, and so the sample, is drawn by (default 1)")
    add("--seeds", type=int, default=200, help="seeds of the swarm that a mutant must survive (default 200)")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    add("--judges", nargs="+", choices=(SWARM, UNIT, SCRIPTS), default=[SWARM, UNIT, SCRIPTS])
    add("--full", action="store_true", help="ask every judge about every mutant; by default the first that sees it")
    default = Path(tempfile.gettempdir()) / "kraft-workbench-mutants.jsonl"
    add(
        "--results",
        type=Path,
        default=default,
        help=f"goes on from this file (default {default}); beside it, .txt lists whom no seed sees",
    )
    return parser


def _lot(seed: int, mutant: Mutant) -> bytes:
    """Its place in the order: as good as drawn, and the same while its function is."""
    return sha256(f"{seed}/{mutant.name}".encode()).digest()


def _equivalent(some: Sequence[Mutant], known: Known) -> list[Mutant]:
    return [mutant for mutant in some if mutant.name in known.equivalent]


def _by_tests(asked: Sequence[Mutant], results: Results, judge: str, jobs: int) -> None:
    left = [mutant for mutant in asked if not results.is_judged(mutant.name, judge)]
    groups = {SCRIPT_TESTS: left} if judge == SCRIPTS else {
        (unit_tests(room),): [mutant for mutant in left if mutant.room == room]
        for room in dict.fromkeys(mutant.room for mutant in left)
    }  # fmt: skip
    progress = Progress(judge, len(left))
    for paths, some in groups.items():
        of_files = sorted({mutant.file for mutant in some})
        for name, death in judged_by_tests(paths, of_files, some, jobs) if some else ():
            results.add(name, judge, death)
            progress.note(death)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
