"""When a coordinator may show what it was told: once the record is below the high watermark of its partition."""

from __future__ import annotations

from cluster.invariants.ghost.group_book import coordinator_partition
from cluster.invariants.group import LOSS, Group, after, invariant, shown
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import OFFSETS_TOPIC, Offset, TopicPartition


class VisibleInvariants(Group):
    """GR13. A coordinator tells of a commit, and of an assignment, when members may see it."""

    GR13 = invariant("nothing of a group is visible before it is committed", "Kafka CoordinatorRuntime", *LOSS)

    def begin(self) -> None:
        self._count = 0

    @after
    def _on_topic(self, _entry: Entry, event: ev.TopicCreated) -> None:
        if event.topic == OFFSETS_TOPIC:
            self._count = event.partitions

    @after
    def _on_visible(
        self,
        entry: Entry,
        event: ev.OffsetsCommitted | ev.GroupAssigned | ev.ConsumerGroupTargeted | ev.ConsumerMemberReconciled,
    ) -> None:
        if not self._count or event.offset < 0:
            return
        home = TopicPartition(OFFSETS_TOPIC, coordinator_partition(event.group, self._count))
        ghost = self.ghost.partition(*home)
        if ghost.newest is None:
            return  # of its log nothing was told
        self.GR13.checks += 1
        committed: Offset = ghost.true_high_watermark
        if event.offset >= committed:
            self.GR13.violated(
                f"node {entry.node} tells group {shown(event.group)} of its record at offset {event.offset} of {home}; "
                f"no high watermark passed {committed}",
                entry,
                ghost.true_event,
                at=f"offset {event.offset}",
                scope=home,
            )
