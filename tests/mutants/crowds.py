"""Many mistakes in one run: where nothing is wrong with it, nothing is wrong with any of them.

Most mutants live, so a run for each of them and each seed is what a pass takes its days for. A death is always seen
once more with that mistake alone. One that another of its crowd hides counts as a survivor: the share that is told is
rather too small than too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cluster.model.entry import Entry
from tests.mutants.sites import Mutant
from tests.mutants.swarm_judge import Death, Sound, played, trial

UNMET = "unmet"
SAME = "same"
TIME = "time"
NUMBERS = "numbers"
EVENT = "event"
REASONS = {
    UNMET: "no seed comes where it would make a difference",
    SAME: "every seed that comes there is the same run, to the byte",
    TIME: "first differs in when something happens; the rules set deadlines, not times",
    NUMBERS: "first differs in the numbers or the reason that a decision tells",
}
"""Why the swarm cannot see a mutant, by class. One that leads to another event is no class: it should be seen."""


class Fate(NamedTuple):
    """What became of a mutant so far."""

    mutant: Mutant
    death: Death | None
    differs: bool
    """Whether some run with it was another run than without."""
    tried: int
    """Seeds that it is through with, of those it was given."""


def of_crowd(crowd: Sequence[Mutant], sounds: Sequence[Sound], *, until_they_differ: bool) -> list[Fate]:
    """Play one seed after the other with all that live.

    Args:
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
        some = [mutant for mutant in left.values() if mutant.name in sound.hits]
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


def first_difference(mutant: Mutant, sounds: Sequence[Sound]) -> str:
    """The class of a mutant whose runs are other ones, from where the first of these runs parts from what it was."""
    for sound in sounds:
        ours: list[Entry] = []
        theirs: list[Entry] = []
        played((), sound, ours.extend)
        played((mutant,), sound, theirs.extend)
        pair = next((pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]), None)
        if pair is not None:
            return _difference(ours, theirs, *pair)
        if len(ours) != len(theirs):
            return EVENT
    return SAME


def _difference(ours: Sequence[Entry], theirs: Sequence[Entry], one: Entry, other: Entry) -> str:
    if one.id == other.id and one.event == other.event and one.t_ns == other.t_ns:
        return NUMBERS
    later = next((entry for entry in theirs if entry.id == one.id), None)
    sooner = next((entry for entry in ours if entry.id == other.id), None)
    is_moved = later is not None and sooner is not None and (later.event, sooner.event) == (one.event, other.event)
    return TIME if is_moved else EVENT
