"""A bug to plant. A patch replaces a name where it is used, so that nothing in the cluster knows of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cluster.model.ruling import Ruling

Change = Callable[[Any], Any]
"""From what stands there to what shall stand there."""


@dataclass(frozen=True, slots=True)
class PlantedBug:
    """What is put in the place of a part of the sound code."""

    name: str
    """For example votes-twice."""
    part: str
    """quorum, replication, storage, clients or groups."""
    what: str
    """What the node does wrong, one clause."""
    breaks: frozenset[str]
    """Rules of which at least one must be violated."""
    patches: tuple[tuple[Any, str, Change], ...]
    """(module or class, attribute, change)."""
    seeds: tuple[int, ...] = ()
    """Seeds of the swarm that are known to catch it, tried before all others."""
    trouble_s: float = 10.0
    """Virtual seconds of faults in each seed."""

    @property
    def id(self) -> str:
        """Part and name."""
        return f"{self.part}/{self.name}"


@contextmanager
def planted(bug: PlantedBug) -> Iterator[None]:
    """The bug is in force within the block."""
    before = [(place, name, place.__dict__[name]) for place, name, _ in bug.patches]
    try:
        for place, name, change in bug.patches:
            setattr(place, name, change(place.__dict__[name]))
        yield
    finally:
        for place, name, value in reversed(before):
            setattr(place, name, value)


def answering(sound: Callable[..., Ruling[Any]], value: object, *, granted: bool) -> Callable[..., Ruling[Any]]:
    """A rule that always answers this, with reason and numbers of the sound one: its evidence gives nothing away."""

    def answered(*given: Any, **named: Any) -> Ruling[Any]:
        ruling = sound(*given, **named)
        ruling.value, ruling.granted = value, granted
        return ruling

    return answered
