"""What followers give to consumers: committed records only, and those that the leader has. Source: KIP-392."""

from __future__ import annotations

from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.log import agree
from cluster.invariants.group import Handlers
from cluster.invariants.replication.committed import LOSS
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition


class FollowerReadInvariants:
    """P36."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("P36", "what a follower gives a consumer is committed", "KIP-392, Partition.fetchRecords", LOSS),
    )

    __slots__ = ("_ghost", "_report")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report

    def before(self) -> Handlers:
        """Nothing needs the state before."""
        return {}

    def after(self) -> Handlers:
        """Each answer that brought a consumer records."""
        return {ev.FollowerRead: self._read}

    def finish(self) -> None:
        """Each was judged when it came."""

    def _read(self, entry: Entry, event: ev.FollowerRead) -> None:
        self._report.checked("P36")
        where = TopicPartition(event.topic, event.partition)
        wrong = self._why_not(entry, event)
        if wrong:
            self._report.violated(
                "P36",
                f"node {entry.node} gives a consumer {where} from {event.fetch_offset} to {event.end_offset}; {wrong}",
                (entry.id,),
                record=f"{where} offset {event.end_offset - 1}",
                scope=where,
            )

    def _why_not(self, entry: Entry, event: ev.FollowerRead) -> str:
        """Below its own high watermark, below that of a leader, and the same records as were committed there."""
        ghost = self._ghost.partition(event.topic, event.partition)
        own = ghost.log(entry.node)
        if event.end_offset > own.high_watermark:
            return f"its high watermark is {own.high_watermark}"
        if event.end_offset > ghost.true_high_watermark:
            return f"no leader's high watermark passed {ghost.true_high_watermark}"
        if event.end_offset > ghost.deleted_to and agree(own, ghost.committed, event.end_offset) is False:
            return "other records were committed there"
        return ""
