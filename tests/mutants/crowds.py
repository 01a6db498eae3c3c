"""Many mistakes in one run: where nothing is wrong with it, nothing is wrong with any of them.

Most mutants live, so a run for each of them and each seed is what a pass takes its days for. A death is always seen
once more with that mistake alone. One that another of its crowd hides counts as a survivor: the share that is told is
rather too small than too large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from tests.mutants.sites import Mutant
from tests.mutants.swarm_judge import Death, Sound, trial

Meeting: TypeAlias = Callable[[Sound], frozenset[str]]
DECIDES: Meeting = attrgetter("decides")
TELLS: Meeting = attrgetter("tells")


class Fate(NamedTuple):
    """What became of a mutant so far."""

    mutant: Mutant
    death: Death | None
    differs: bool
    """Whether some run with it was another run than without."""
    tried: int
    """Seeds that it is through with, of those it was given."""


def of_crowd(
    crowd: Sequence[Mutant], sounds: Sequence[Sound], *, meeting: Meeting = DECIDES, until_they_differ: bool = False
) -> list[Fate]:
    """Play one seed after the other with all that live.

    Args:
        meeting: which mutants a seed is played with.
        until_they_differ: whether one whose run is another one leaves the crowd, alive.
    """
    left = {mutant.name: mutant for mutant in crowd}
    fates: list[Fate] = []
    differ: set[str] = set()

    def look(some: Sequence[Mutant], place: int) -> None:
        found = trial(some, sounds[place])
        if not found.wrong and (not found.differs or not until_they_differ):
            if found.differs:
                differ.update(mutant.name for mutant in some)
            return
        if len(some) > 1:
            for half in (some[: len(some) // 2], some[len(some) // 2 :]):
                look(half, place)
            return
        (mutant,) = some
        del left[mutant.name]
        death = Death(str(sounds[place].seed), found.wrong, place + 1) if found.wrong else None
        fates.append(Fate(mutant, death, differs=True, tried=place + 1))

    for place, sound in enumerate(sounds):
        some = [mutant for mutant in left.values() if mutant.name in meeting(sound)]
        if some:
            look(some, place)
    return fates + [Fate(mutant, None, mutant.name in differ, len(sounds)) for mutant in left.values()]


def crowds(mutants: Sequence[Mutant], size: int) -> list[list[Mutant]]:
    """Each with mistakes in different functions: one function takes one."""
    made: list[list[Mutant]] = []
    for mutant in mutants:
        for crowd in made:
            if len(crowd) < size and all(one.function != mutant.function for one in crowd):
                crowd.append(mutant)
                break
        else:
            made.append([mutant])
    return made
