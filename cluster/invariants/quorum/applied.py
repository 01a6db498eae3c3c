"""The invariant of the state machine: all brokers apply the same metadata, and only what is committed."""

from __future__ import annotations

from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, UNKNOWN_OFFSET

RULES = (Invariant("R10", "all apply the same, and only what is committed", "Raft paper 5.4.3", ("A1",)),)


class AppliedInvariants:
    """Judges R10 on the states of partitions, which are what brokers apply."""

    invariants: ClassVar[tuple[Invariant, ...]] = RULES

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost = ghost
        self._report = report
        self._states: dict[tuple[str, int, int], tuple[tuple[object, ...], EventId]] = {}

    def before(self) -> Handlers:
        """Each application."""
        return {ev.PartitionApplied: self._applied}

    def after(self) -> Handlers:
        """Nothing."""
        return {}

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        self._report.checked("R10")
        key = (event.topic, event.partition, event.partition_epoch)
        state = (event.leader, event.leader_epoch, event.isr, event.elr, event.replicas, event.min_insync_replicas)
        known, told = self._states.setdefault(key, (state, entry.id))
        if known != state and event.topic not in self._report.ledger.deleted:
            sentence = (
                f"node {entry.node} applied another state of partition {event.partition} "
                f"in partition epoch {event.partition_epoch} than node {told.node}"
            )
            self._report.violated("R10", sentence, (entry.id, told), scope=METADATA)
        high_watermark = self._ghost.quorum.log(entry.node).high_watermark
        if event.metadata_offset != UNKNOWN_OFFSET and event.metadata_offset > high_watermark:
            sentence = (
                f"node {entry.node} applied metadata below offset {event.metadata_offset}; "
                f"it knows only {high_watermark} to be committed"
            )
            self._report.violated("R10", sentence, (entry.id,), scope=METADATA)
