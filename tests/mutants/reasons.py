"""Why the swarm does not see a mutant: by class, and what was measured of it, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from cluster.model.entry import Entry
from tests.mutants.sites import Mutant
from tests.mutants.swarm_judge import Sound, played

UNMET = "unmet"
SAME = "same"
TIME = "time"
NUMBERS = "numbers"
EVENT = "event"
REASONS = {
    UNMET: "no seed comes where it would make a difference",
    SAME: "wherever a seed comes there, the rule decides the same, or the run is the same to the byte",
    TIME: "first differs in when something happens; the rules set deadlines, not times",
    NUMBERS: "decides the same; only the numbers or the reason that a decision tells differ",
}
"""By class. One that leads to another event is no class: it should be seen, or known.txt says why it is free to."""
TOLD_MAX = 120
"""Characters of an event in words."""


class Why(NamedTuple):
    """Why a mutant lives."""

    reason: str
    """The class; empty where a judge has none."""
    told: str
    """What was measured, in words."""


NO_REASON = Why("", "")


def first_difference(mutant: Mutant, sounds: Sequence[Sound]) -> Why:
    """The class of a mutant whose runs are other ones, from where the first of these runs parts from what it was."""
    for sound in sounds:
        ours: list[Entry] = []
        theirs: list[Entry] = []
        played((), sound, ours.extend)
        played((mutant,), sound, theirs.extend)
        pair = next((pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]), None)
        if pair is not None:
            return Why(_difference(ours, theirs, *pair), f"seed {sound.seed}: {_in_words(*pair)}")
        if len(ours) != len(theirs):
            return Why(EVENT, f"seed {sound.seed}: {len(theirs)} events instead of {len(ours)}")
    return Why(SAME, f"{len(sounds)} seeds come there")


def _difference(ours: Sequence[Entry], theirs: Sequence[Entry], one: Entry, other: Entry) -> str:
    if one.id == other.id and one.event == other.event and one.t_ns == other.t_ns:
        return NUMBERS
    later = next((entry for entry in theirs if entry.id == one.id), None)
    sooner = next((entry for entry in ours if entry.id == other.id), None)
    is_moved = later is not None and sooner is not None and (later.event, sooner.event) == (one.event, other.event)
    return TIME if is_moved else EVENT


def _in_words(one: Entry, other: Entry) -> str:
    if type(one.event) is type(other.event) and one.id == other.id:
        fields = [name for name in one.event.__struct_fields__
                  if getattr(one.event, name) != getattr(other.event, name)]  # fmt: skip
        changed = ", ".join(f"{name} {_short(getattr(other.event, name))} instead of {_short(getattr(one.event, name))}"
                            for name in fields)  # fmt: skip
        if not changed and one.decision and other.decision:
            changed = f"{_short(other.decision.reason)} instead of {_short(one.decision.reason)}"
        return f"{one.event.name} of node {one.node}: {changed or 'another time or cause'}"
    return f"{_event(other)} instead of {_event(one)}"


def _event(entry: Entry) -> str:
    fields = ", ".join(f"{name}={getattr(entry.event, name)!r}" for name in entry.event.__struct_fields__)
    return f"{entry.event.name} of node {entry.node} ({_short(fields)})"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= TOLD_MAX else f"{text[: TOLD_MAX - 3]}..."
