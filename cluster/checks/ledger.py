"""The assumptions on which the promises rest, and the event that broke each."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.checks.verdict import Broken
from cluster.model.entry import EventId
from cluster.model.identifiers import METADATA, TopicPartition

ASSUMPTIONS: dict[str, str] = {
    "A1": "no voter came back with less than its disk had claimed durable",
    "A2": "fewer than min.insync.replicas lost a committed record at once, and never the last in-sync replica",
    "A3": "no replica that lacks committed records is elected uncleanly",
    "A4": "followers truncate by leader epoch",
    "A5": "acks=all, and min.insync.replicas of at least 2",
    "A6": "producers are idempotent",
    "A7": "consumers commit after processing",
}
OF_THE_QUORUM = "A1"
"""Clock skew, delay, loss, cuts, pauses and kill -9 excuse nothing, so they are not here."""


class Ledger:
    """Keeps the first event that broke each assumption in each scope."""

    __slots__ = ("_broken", "deleted")

    def __init__(self) -> None:
        self._broken: dict[tuple[str, TopicPartition | None], Broken] = {}
        self.deleted: set[str] = set()
        """Topics that were deleted: from then on nothing that is found of their partitions is held against the run."""

    def breaks(self, assumption: str, event: EventId, why: str, scope: TopicPartition | None = None) -> None:
        """Note that an assumption does not hold from this event on; scope None means everywhere."""
        assert assumption in ASSUMPTIONS, f"no assumption {assumption}"
        self._broken.setdefault((assumption, scope), Broken(assumption, event, why, scope))

    def excuse(self, assumptions: Iterable[str], scope: TopicPartition | None) -> Broken | None:
        """The first of these assumptions that is broken for the scope; None when all hold there.

        What the quorum forgets concerns every partition.
        """
        if not self._broken:
            return None
        for assumption in assumptions:
            found = self._broken.get((assumption, scope)) or self._broken.get((assumption, None))
            if found is None and assumption == OF_THE_QUORUM:
                found = self._broken.get((assumption, METADATA))
            if found is not None:
                return found
        return None

    def broken(self) -> tuple[Broken, ...]:
        """All that is broken, in the order in which it broke."""
        return tuple(self._broken.values())
