"""The swarm's part of a pass: what the rules would answer first, then few seeds for each, then many for the rest."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from tests.mutants.answers import Answers
from tests.mutants.crowds import DECIDES, TELLS, Fate, Meeting, crowds, of_crowd
from tests.mutants.forks import Work, in_forks
from tests.mutants.plant import Probes
from tests.mutants.progress import Progress
from tests.mutants.reasons import EVENT, NUMBERS, SAME, UNMET, Why, first_difference
from tests.mutants.results import SWARM, Results
from tests.mutants.rooms import RULES, files, of_file, part
from tests.mutants.sites import Mutant
from tests.mutants.swarm_judge import Death, Sound, sound

FEW = 25
"""Seeds of a child that looks for what they meet."""
PORTION = 300
"""Mutants that are done before the next ones are begun: so a pass that is ended is through with some."""
ALONE = 3
"""Seeds that every mutant with which a rule decides something else is tried with by itself."""
AUDITED = 10
"""Seeds for those with which a rule only tells other words: enough to see whether the checker reads them."""
QUIET, LOUD = 48, 12
"""Mutants in a crowd: of those whose runs have all been the same so far, and of others."""
CPU_S_MAX = 3_600


def by_swarm(wanted: Sequence[Mutant], results: Results, seeds: int, jobs: int) -> None:
    """Judge each, in portions."""
    _know_seeds(range(1, seeds + 1), results, jobs)
    for some in (wanted[first : first + PORTION] for first in range(0, len(wanted), PORTION)):
        _Portion(results, seeds, jobs).judge(
            [mutant for mutant in some if not results.is_judged(mutant.name, SWARM, seeds)]
        )


class _Portion:
    """Some mutants, from what the sound seeds say of them to what the last seed does."""

    def __init__(self, results: Results, seeds: int, jobs: int) -> None:
        self._results, self._seeds, self._jobs = results, seeds, jobs
        self._order = results.order(seeds)

    def judge(self, some: Sequence[Mutant]) -> None:
        """Each alone with a few seeds first; those that live go on in crowds, small ones where runs differ."""
        decides = self._in_seeds(some, DECIDES)
        self._judge_the_undecided([mutant for mutant in some if not decides[mutant.name]])
        some = [mutant for mutant in some if decides[mutant.name]]
        lives = self._play([([mutant], decides[mutant.name][:ALONE]) for mutant in some], "alone")
        rest = {name: found[ALONE:] for name, found in decides.items()}
        differ = [fate.mutant for fate in lives if fate.differs]
        same = [fate.mutant for fate in lives if not fate.differs]
        for fate in self._play(self._crowds(same, QUIET, rest), "in crowds", until_they_differ=True):
            if fate.differs:
                differ.append(fate.mutant)
            else:
                self._lives(fate.mutant, Why(SAME, f"{len(decides[fate.mutant.name])} seeds come there"))
        lives = self._play(self._crowds(differ, LOUD, rest), "in small crowds")
        works = ((fate.mutant, partial(first_difference, fate.mutant, decides[fate.mutant.name])) for fate in lives)
        for mutant, why in in_forks(works, self._jobs, CPU_S_MAX):
            self._lives(mutant, why or Why(EVENT, "a run that does not end"))

    def _judge_the_undecided(self, some: Sequence[Mutant]) -> None:
        """Those with which no rule decides anything else in any seed."""
        met, tells = self._in_seeds(some, lambda sound: sound.hits), self._in_seeds(some, TELLS)
        for mutant in some:
            if not met[mutant.name]:
                self._lives(mutant, Why(UNMET, ""))
            elif not tells[mutant.name]:
                self._lives(mutant, Why(SAME, f"{len(met[mutant.name])} seeds come there, the answers are the same"))
        crowded = self._crowds([mutant for mutant in some if tells[mutant.name]], QUIET, tells)
        parts = [(crowd, sounds[:AUDITED]) for crowd, sounds in crowded]
        for fate in self._play(parts, "by what they tell", meeting=TELLS):
            count = len(tells[fate.mutant.name])
            self._lives(fate.mutant, Why(NUMBERS, f"{count} seeds come there, what is decided is the same"))

    def _lives(self, mutant: Mutant, why: Why) -> None:
        self._results.add(mutant.name, SWARM, None, self._seeds, why)

    def _in_seeds(self, some: Sequence[Mutant], meeting: Meeting) -> dict[str, list[Sound]]:
        found = [(sound, meeting(sound)) for sound in self._order]
        return {mutant.name: [sound for sound, names in found if mutant.name in names] for mutant in some}

    def _crowds(
        self, mutants: Sequence[Mutant], size: int, met: Mapping[str, Sequence[Sound]]
    ) -> list[tuple[list[Mutant], list[Sound]]]:
        made = []
        for crowd in crowds(mutants, size):
            seeds = {sound.seed for mutant in crowd for sound in met[mutant.name]}
            made.append((crowd, [sound for sound in self._order if sound.seed in seeds]))
        return made

    def _play(
        self,
        parts: Sequence[tuple[list[Mutant], list[Sound]]],
        what: str,
        *,
        meeting: Meeting = DECIDES,
        until_they_differ: bool = False,
    ) -> list[Fate]:
        """Those that live; deaths are noted."""
        progress = Progress(f"swarm, {what}", sum(len(crowd) for crowd, _ in parts))
        play = partial(of_crowd, meeting=meeting, until_they_differ=until_they_differ)
        works = ((crowd, partial(play, crowd, sounds)) for crowd, sounds in parts)
        lives = []
        for crowd, fates in in_forks(works, self._jobs, CPU_S_MAX):
            crashed = [Fate(mutant, Death("a seed", "crash", 0), differs=True, tried=0) for mutant in crowd[:1]]
            for fate in fates or crashed:
                progress.note(fate.death)
                if fate.death:
                    self._results.add(fate.mutant.name, SWARM, fate.death)
                else:
                    lives.append(fate)
        return lives


def _know_seeds(seeds: range, results: Results, jobs: int) -> None:
    """Play each seed without a mistake once, to see which mutants it meets."""
    missing = [seed for seed in seeds if seed not in results.sounds]
    if not missing:
        return
    answers = Answers(mutant for file in files() if part(file) == RULES for mutant in of_file(file))

    def works() -> Iterator[tuple[int, Work]]:
        for first in range(0, len(missing), FEW):
            yield first, partial(_sounds, missing[first : first + FEW], answers)

    for _, found in in_forks(works(), jobs, CPU_S_MAX):
        assert found is not None, "a seed without a mistake ends in a crash"
        for item in found:
            if item.unexpected:
                sys.stderr.write(f"seed {item.seed} surprises without any mistake: {item.unexpected[0]}\n")
            results.add_sound(item._replace(hits=frozenset() if item.unexpected else item.hits))


def _sounds(seeds: Sequence[int], answers: Answers) -> list[Sound]:
    probes = Probes()
    for file in files():
        probes.plant(file, of_file(file))
    answers.plant(probes)
    return [sound(seed, probes, answers) for seed in seeds]
