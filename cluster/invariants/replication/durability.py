"""What disks promised: claimed bytes survive a restart, and flush-before-acknowledge means it. Contract 2.3."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from cluster.invariants.ghost.ghost import ACKS_ALL, Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NodeId, Offset, TopicPartition


class _Lie(NamedTuple):
    """Records that a lying disk lost."""

    where: TopicPartition
    node: NodeId
    claimed: Offset
    found: Offset
    events: tuple[EventId, ...]


class DurabilityInvariants:
    """P21. What a lying disk loses counts only where enough replicas lost it: see assumptions A1 and A2."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("P21", "what a disk claimed durable survives", "Kafka UnifiedLog.flush, fsync(2)", ("A1", "A2")),
    )

    __slots__ = ("_claims", "_ghost", "_lies", "_report")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._claims: dict[tuple[str, int, NodeId], EventId] = {}
        self._lies: list[_Lie] = []

    def before(self) -> Handlers:
        """A recovered log against what was claimed before the end of the process."""
        return {ev.LogRecovered: self._on_recovered}

    def after(self) -> Handlers:
        """Acknowledgements against the newest claim."""
        return {
            ev.Fsynced: self._on_fsynced,
            ev.LogRemoved: self._on_removed,
            ev.ProduceAnswered: self._on_answered,
        }

    def _on_fsynced(self, entry: Entry, event: ev.Fsynced) -> None:
        self._claims[event.topic, event.partition, entry.node] = entry.id

    def _on_removed(self, entry: Entry, event: ev.LogRemoved) -> None:
        """A broker dropped the log of an older topic of this name: the disk promised nothing of the next one."""
        self._claims.pop((event.topic, event.partition, entry.node), None)

    def _on_recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        claim = self._claims.get((event.topic, event.partition, entry.node))
        where = TopicPartition(event.topic, event.partition)
        log = self._ghost.partition(*where).log(entry.node)
        if claim is None or log.damaged is not None:
            return  # what the lab damages, the disk did not lie about
        self._report.checked("P21")
        if event.log_end_offset >= log.claimed_offset:
            return
        if event.log_end_offset >= log.durable_offset:
            lie = _Lie(where, entry.node, log.claimed_offset, event.log_end_offset, (entry.id, claim))
            self._lies.append(lie)
            return
        self._report.violated(
            "P21",
            f"the disk of node {entry.node} claimed offsets below {log.claimed_offset} durable and did not lie; "
            f"after the restart the log ends at {event.log_end_offset}",
            (entry.id, claim),
            record=f"{where} offset {event.log_end_offset}",
            scope=where,
            assumptions=(),
        )

    def _on_answered(self, entry: Entry, event: ev.ProduceAnswered) -> None:
        """With flush-before-acknowledge the claim comes first."""
        if event.error != ErrorCode.NONE or not self._ghost.settings.get("flush_partitions", False):
            return
        where = TopicPartition(event.topic, event.partition)
        ghost = self._ghost.partition(*where)
        claimed = ghost.log(entry.node).claimed_offset
        if ghost.by_majority and event.acks == ACKS_ALL:  # the leader's own disk may be the slowest
            claims = sorted((ghost.log(node).claimed_offset for node in ghost.isr), reverse=True)
            claimed = claims[len(claims) // 2]
        end = event.base_offset + event.count
        self._report.checked("P21")
        if claimed < end:
            self._report.violated(
                "P21",
                f"leader {entry.node} acknowledges offset {end - 1}; its disk has claimed only what is below {claimed}",
                (entry.id,),
                record=f"{where} offset {end - 1}",
                scope=where,
                assumptions=(),
            )

    def finish(self) -> None:
        """Lies that took away more than the promises allow for."""
        for lie in self._lies:
            needed = "A1" if lie.where == METADATA else "A2"
            if self._report.ledger.excuse((needed,), lie.where) is not None:
                self._report.violated(
                    "P21",
                    f"the disk of node {lie.node} lied: it claimed offsets below {lie.claimed} durable, "
                    f"after the restart the log ends at {lie.found}",
                    lie.events,
                    record=f"{lie.where} offset {lie.found}",
                    scope=lie.where,
                    assumptions=(needed,),
                )
