"""Which events decide something, and in a few letters what: the words of a step."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import quorum, replica
from cluster.model.identifiers import INTERNAL_TOPICS
from cluster.picture.cluster_state import ClusterState
from workbench.telling.tell import TELLINGS, telling_of, who
from workbench.telling.template import fill

DECIDING = frozenset(kind for kind, telling in TELLINGS.items() if telling.cell is not None)
"""Kinds of events that may decide something."""
CUTS = (quorum.MetadataTruncated, replica.ReplicaTruncated)


class Decided(NamedTuple):
    """What one event decided."""

    phase: str
    text: str
    """For a narrow cell: who and what."""
    about: tuple[object, ...] = ()
    """What else tells it from another of the same text."""


def decided(entry: Entry, before: ClusterState) -> Decided | None:
    """What the entry decided; None for most. before: the cluster with it, in which nothing uncommitted counts."""
    cell, event = telling_of(entry).cell, entry.event
    if cell is None or getattr(event, "topic", "") in INTERNAL_TOPICS:
        return None
    if isinstance(event, CUTS) and event.end_offset >= event.old_end_offset:
        return None
    words, name = cell.text, who(entry)
    text = fill(words, event, {"who": name}) if isinstance(words, str) else words(event, name, before)
    return Decided(cell.phase, text, tuple(getattr(event, field) for field in cell.about.split())) if text else None
