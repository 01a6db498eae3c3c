"""The assumptions on which the promises rest, and the event that broke each."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.invariants.verdicts.verdict import Broken
from cluster.model.entry import EventId
from cluster.model.identifiers import METADATA, Offset, TopicPartition

ASSUMPTIONS: dict[str, str] = {
    "A1": "no voter came back with less than its disk had claimed durable",
    "A2": "fewer than min.insync.replicas lost a committed record at once, and never the last in-sync replica",
    "A3": "no replica that lacks committed records is elected uncleanly",
    "A4": "followers truncate by leader epoch",
    "A5": "acks=all, and min.insync.replicas of at least 2",
    "A6": "producers are idempotent",
    "A7": "consumers commit after processing",
    "A8": "a frame is on its way for less than half an election timeout",
    "A9": "members that lead a group divide all partitions, each to one",
    "A10": "voters change only after their leader has committed in its own epoch",
    "A11": "no disk is replaced that alone knows the newest epoch, or that a leader makes a voter meanwhile",
    "A12": "a leader asks the coordinator before a transaction begins in its partition",
    "A13": "no administrator ends a transaction past its coordinator",
    "A14": "two lives of a broker are told apart",
    "A15": "nobody but the lab ends a process",
}
LOSS = ("A1", "A2", "A3", "A4")
"""Records that were committed may be lost once one of these is broken."""
OF_THE_QUORUM, NEWEST_EPOCH = "A1", "A11"
"""Clock skew, delay, loss, cuts, pauses and kill -9 excuse nothing, so they are not here.

A8 is the exception, and it excuses liveness only: who asks for votes gives up before the answers can be there.
Source: Raft paper 5.6, broadcast time << election timeout. A11 excuses liveness only, too: a broker that has heard of
an epoch passes over leaders of older ones, until the quorum gets that far.
"""


class Ledger:
    """Keeps the first event that broke each assumption in each scope, and later ones that concern further records."""

    def __init__(self) -> None:
        self._broken: dict[tuple[str, TopicPartition | None], list[Broken]] = {}
        self._all: list[Broken] = []
        self.deleted: set[str] = set()
        """Topics that were deleted: from then on nothing that is found of their partitions is held against the run."""

    def breaks(
        self,
        assumption: str,
        event: EventId,
        why: str,
        scope: TopicPartition | None = None,
        below: Offset | None = None,
    ) -> None:
        """Note that an assumption does not hold from this event on; scope None means everywhere.

        Args:
            below: records from there on (inclusive) are not concerned; None when all are.
        """
        assert assumption in ASSUMPTIONS, f"no assumption {assumption}"
        broken = self._broken.setdefault((assumption, scope), [])
        if broken and (broken[-1].below is None or (below is not None and below <= broken[-1].below)):
            return
        broken.append(Broken(assumption, event, why, scope, below))
        self._all.append(broken[-1])

    def excuse(
        self, assumptions: Iterable[str], scope: TopicPartition | None, offset: Offset | None = None
    ) -> Broken | None:
        """The first of these assumptions that is broken for the scope; None when all hold there.

        What the quorum forgets concerns every partition.

        Args:
            offset: of the record that was lost; None when it is not about one.
        """
        if not self._broken:
            return None
        for assumption in assumptions:
            broken = self._first(assumption, scope, offset) or self._first(assumption, None, offset)
            if broken is None and assumption in (OF_THE_QUORUM, NEWEST_EPOCH):
                broken = self._first(assumption, METADATA, offset)
            if broken is not None:
                return broken
        return None

    def _first(self, assumption: str, scope: TopicPartition | None, offset: Offset | None) -> Broken | None:
        for broken in self._broken.get((assumption, scope), ()):
            if offset is None or broken.below is None or offset < broken.below:
                return broken
        return None

    def broken(self) -> tuple[Broken, ...]:
        """All that is broken, in the order in which it broke."""
        return tuple(self._all)
