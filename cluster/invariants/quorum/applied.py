"""The invariant of the state machine: all brokers apply the same metadata, and only what is committed."""

from __future__ import annotations

from cluster.invariants.group import Group, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import UNKNOWN_OFFSET

ALL_APPLY_THE_SAME = invariant("all apply the same, and only what is committed", "Raft paper 5.4.3", "A1")


class AppliedInvariants(Group):
    """Judges R10 on the states of partitions, which are what brokers apply."""

    R10 = ALL_APPLY_THE_SAME

    def begin(self) -> None:
        self._states: dict[tuple[str, int, int], tuple[tuple[object, ...], EventId]] = {}

    @before
    def _applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        self.R10.checks += 1
        key = (event.topic, event.partition, event.partition_epoch)
        state = (event.leader, event.leader_epoch, event.isr, event.elr, event.replicas)  # settings have no epoch
        first_state, first_event = self._states.setdefault(key, (state, entry.id))
        if first_state != state and event.topic not in self.ledger.deleted:
            self.R10.violated(
                f"node {entry.node} applied another state of partition {event.partition} "
                f"in partition epoch {event.partition_epoch} than node {first_event.node}",
                entry,
                first_event,
            )
        high_watermark = self.ghost.quorum.logs[entry.node].high_watermark
        if event.metadata_offset != UNKNOWN_OFFSET and event.metadata_offset > high_watermark:
            self.R10.violated(
                f"node {entry.node} applied metadata below offset {event.metadata_offset}; "
                f"it knows only {high_watermark} to be committed",
                entry,
            )
