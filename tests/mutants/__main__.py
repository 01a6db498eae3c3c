"""`python -m tests.mutants`: plant every small mistake in every rule and every machine, and count who sees it."""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from tests.mutants.crowds import EVENT, SAME, UNMET, Fate, crowds, first_difference, of_crowd
from tests.mutants.forks import Work, in_forks
from tests.mutants.known import Known, read_known
from tests.mutants.plant import Probes
from tests.mutants.pytest_judge import judged_by_tests
from tests.mutants.results import SCRIPTS, SWARM, UNIT, Results
from tests.mutants.rooms import CARRIERS, PARTS, RULES, chosen, files, of_file, unit_tests
from tests.mutants.rooms import SCRIPTS as SCRIPT_TESTS
from tests.mutants.sites import Mutant
from tests.mutants.swarm_judge import TROUBLE_S, Death, Sound, sound
from tests.mutants.table import print_table

FEW = 8
"""Seeds of a child that looks for what they meet."""
ALONE = 3
"""Seeds that every mutant is tried with by itself."""
QUIET, LOUD = 48, 8
"""Mutants in a crowd: of those whose runs have all been the same so far, and of others."""
CPU_S_MAX = 3_600


def main(arguments: Sequence[str]) -> int:
    """0 when enough mutants are seen, 1 when not, 2 for bad usage."""
    options = _options().parse_args(arguments)
    known, everything = read_known(), chosen(options.only, options.part)
    wanted = [mutant for mutant in everything if mutant.name not in known.equivalent]
    if not wanted:
        sys.stderr.write("no mutant is called so; --only takes a room, a file, or a part of a name\n")
        return 2
    if options.sample:
        wanted = random.Random(options.seed).sample(wanted, min(options.sample, len(wanted)))
    results = Results(options.results, TROUBLE_S)
    gc.collect()
    gc.freeze()  # children share what is there by now
    if SWARM in options.judges:
        _by_swarm(wanted, results, options.seeds, options.jobs)
    for judge in (UNIT, SCRIPTS):
        if judge in options.judges:
            asked = wanted if options.full else [item for item in wanted if not results.is_dead(item.name)]
            _by_tests(asked, results, judge, options.jobs)
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
    add("--seed", type=int, default=1, help="what the sample is drawn by (default 1)")
    add("--seeds", type=int, default=200, help="seeds of the swarm that a mutant must survive (default 200)")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    add("--judges", nargs="+", choices=(SWARM, UNIT, SCRIPTS), default=[SWARM, UNIT, SCRIPTS])
    add("--full", action="store_true", help="ask every judge about every mutant; by default the first that sees it")
    default = Path(tempfile.gettempdir()) / "kraft-workbench-mutants.jsonl"
    add("--results", type=Path, default=default, help=f"goes on from this file (default {default})")
    return parser


def _equivalent(some: Sequence[Mutant], known: Known) -> list[Mutant]:
    return [mutant for mutant in some if mutant.name in known.equivalent]


def _by_swarm(wanted: Sequence[Mutant], results: Results, seeds: int, jobs: int) -> None:
    """Each alone with a few seeds first; those that live go on in crowds, the ones whose runs differ by themselves."""
    _know_seeds(range(1, seeds + 1), results, jobs)
    left = [mutant for mutant in wanted if not results.is_judged(mutant.name, SWARM, seeds)]
    order = results.order(seeds)
    met = {mutant.name: [sound for sound in order if mutant.name in sound.hits] for mutant in left}
    for mutant in left:
        if not met[mutant.name]:
            results.add(mutant.name, SWARM, None, seeds, UNMET)
    alone = [([mutant], met[mutant.name][:ALONE]) for mutant in left if met[mutant.name]]
    lives = _play(alone, results, jobs, "alone", until_they_differ=False)
    met = {fate.mutant.name: met[fate.mutant.name][ALONE:] for fate in lives}
    differ = [fate.mutant for fate in lives if fate.differs]
    same = [fate.mutant for fate in lives if not fate.differs]
    for fate in _play(_crowds(same, QUIET, met, order), results, jobs, "in crowds", until_they_differ=True):
        if fate.differs:
            differ.append(fate.mutant)
        else:
            results.add(fate.mutant.name, SWARM, None, seeds, SAME)
    lives = _play(_crowds(differ, LOUD, met, order), results, jobs, "in small crowds", until_they_differ=False)
    works = (
        (mutant, partial(first_difference, mutant, [sound for sound in order if mutant.name in sound.hits]))
        for mutant in (fate.mutant for fate in lives)
    )
    for mutant, why in in_forks(works, jobs, CPU_S_MAX):
        results.add(mutant.name, SWARM, None, seeds, why or EVENT)


def _crowds(
    mutants: Sequence[Mutant], size: int, met: Mapping[str, Sequence[Sound]], order: Sequence[Sound]
) -> list[tuple[list[Mutant], list[Sound]]]:
    made = []
    for crowd in crowds(mutants, size):
        seeds = {sound.seed for mutant in crowd for sound in met[mutant.name]}
        made.append((crowd, [sound for sound in order if sound.seed in seeds]))
    return made


def _play(
    parts: Sequence[tuple[list[Mutant], list[Sound]]],
    results: Results,
    jobs: int,
    what: str,
    *,
    until_they_differ: bool,
) -> list[Fate]:
    """Those that live; deaths are noted."""
    progress = _Progress(f"swarm, {what}", sum(len(crowd) for crowd, _ in parts))
    works = ((crowd, partial(of_crowd, crowd, sounds, until_they_differ=until_they_differ)) for crowd, sounds in parts)
    lives = []
    for crowd, fates in in_forks(works, jobs, CPU_S_MAX):
        for fate in fates or [Fate(mutant, Death("a seed", "crash", 0), differs=True, tried=0) for mutant in crowd[:1]]:
            progress.note(fate.death)
            if fate.death:
                results.add(fate.mutant.name, SWARM, fate.death)
            else:
                lives.append(fate)
    return lives


def _know_seeds(seeds: range, results: Results, jobs: int) -> None:
    """Play each seed without a mistake once, to see which mutants it meets."""
    missing = [seed for seed in seeds if seed not in results.sounds]
    parts = [missing[first : first + FEW] for first in range(0, len(missing), FEW)]

    def works() -> Iterator[tuple[int, Work]]:
        for place, part in enumerate(parts):
            yield place, partial(_sounds, part)

    for _, found in in_forks(works(), jobs, CPU_S_MAX):
        assert found is not None, "a seed without a mistake ends in a crash"
        for item in found:
            if item.unexpected:
                sys.stderr.write(f"seed {item.seed} surprises without any mistake: {item.unexpected[0]}\n")
            results.add_sound(item._replace(hits=frozenset() if item.unexpected else item.hits))


def _sounds(seeds: list[int]) -> list[Sound]:
    probes = Probes()
    for file in files():
        probes.plant(file, of_file(file))
    return [sound(seed, probes) for seed in seeds]


def _by_tests(asked: Sequence[Mutant], results: Results, judge: str, jobs: int) -> None:
    left = [mutant for mutant in asked if not results.is_judged(mutant.name, judge)]
    groups = {SCRIPT_TESTS: left} if judge == SCRIPTS else {
        (unit_tests(room),): [mutant for mutant in left if mutant.room == room]
        for room in dict.fromkeys(mutant.room for mutant in left)
    }  # fmt: skip
    progress = _Progress(judge, len(left))
    for paths, some in groups.items():
        of_files = sorted({mutant.file for mutant in some})
        for name, death in judged_by_tests(paths, of_files, some, jobs) if some else ():
            results.add(name, judge, death)
            progress.note(death)


class _Progress:
    """A line now and then: how many, how many are seen, how long still."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self._done = self._dead = 0
        self._began = self._told = time.monotonic()

    def note(self, death: Death | None) -> None:
        """One more is judged."""
        self._done += 1
        self._dead += death is not None
        now = time.monotonic()
        if now - self._told > 10 or self._done == self._total:
            self._told = now
            left_s = (now - self._began) / self._done * (self._total - self._done)
            told = f"{self._what}: {self._done}/{self._total}, {self._dead} seen, {left_s:.0f} s left\n"
            sys.stderr.write(told)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
