"""What followers give to consumers: committed records only, and those that the leader has. Source: KIP-392."""

from __future__ import annotations

from cluster.invariants.ghost.log import agree
from cluster.invariants.group import LOSS, Group, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition


class FollowerReadInvariants(Group):
    """P36."""

    P36 = invariant("what a follower gives a consumer is committed", "KIP-392, Partition.fetchRecords", *LOSS)

    @after
    def _read(self, entry: Entry, event: ev.FollowerRead) -> None:
        self.P36.checks += 1
        where = TopicPartition(event.topic, event.partition)
        wrong = self._why_not(entry, event)
        if wrong:
            self.P36.violated(
                f"node {entry.node} gives a consumer {where} from {event.fetch_offset} to {event.end_offset}; {wrong}",
                entry,
                at=f"offset {event.end_offset - 1}",
            )

    def _why_not(self, entry: Entry, event: ev.FollowerRead) -> str:
        """Below its own high watermark, below that of a leader, and the same records as were committed there."""
        ghost = self.ghost.here
        own = ghost.logs[entry.node]
        if event.end_offset > own.high_watermark:
            return f"its high watermark is {own.high_watermark}"
        if event.end_offset > ghost.true_high_watermark:
            return f"no leader's high watermark passed {ghost.true_high_watermark}"
        if event.end_offset > ghost.deleted_to and agree(own, ghost.committed, event.end_offset) is False:
            return "other records were committed there"
        return ""
