"""When a coordinator may show what it was told: once the record is below the high watermark of its partition."""

from __future__ import annotations

from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.groups.book import coordinator_partition
from cluster.invariants.replication.committed import LOSS
from cluster.invariants.verdicts.report import Report, shown
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import OFFSETS_TOPIC, Offset, TopicPartition


class VisibleInvariants:
    """GR13. A coordinator tells of a commit, and of an assignment, when members may see it."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("GR13", "nothing of a group is visible before it is committed", "Kafka CoordinatorRuntime", LOSS),
    )

    __slots__ = ("_count", "_ghost", "_report")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._count = 0

    def before(self) -> Handlers:
        """Nothing needs the state before."""
        return {}

    def after(self) -> Handlers:
        """What coordinators say is done."""
        return {
            ev.TopicCreated: self._on_topic,
            ev.OffsetsCommitted: self._on_visible,
            ev.GroupAssigned: self._on_visible,
            ev.ConsumerGroupTargeted: self._on_visible,
            ev.ConsumerMemberReconciled: self._on_visible,
        }

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _on_topic(self, _entry: Entry, event: ev.TopicCreated) -> None:
        if event.topic == OFFSETS_TOPIC:
            self._count = event.partitions

    def _on_visible(
        self,
        entry: Entry,
        event: ev.OffsetsCommitted | ev.GroupAssigned | ev.ConsumerGroupTargeted | ev.ConsumerMemberReconciled,
    ) -> None:
        if not self._count or event.offset < 0:
            return
        home = TopicPartition(OFFSETS_TOPIC, coordinator_partition(event.group, self._count))
        ghost = self._ghost.partition(*home)
        if ghost.newest is None:
            return  # of its log nothing was told
        self._report.checked("GR13")
        committed: Offset = ghost.true_high_watermark
        if event.offset >= committed:
            sentence = (
                f"node {entry.node} tells group {shown(event.group)} of its record at offset {event.offset} of {home}; "
                f"no high watermark passed {committed}"
            )
            events = (entry.id,) if ghost.true_event is None else (entry.id, ghost.true_event)
            self._report.violated("GR13", sentence, events, record=f"{home} offset {event.offset}", scope=home)
