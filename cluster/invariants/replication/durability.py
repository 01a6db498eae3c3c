"""What disks promised: claimed bytes survive a restart, and flush-before-acknowledge means it. Contract 2.3."""

from __future__ import annotations

from typing import NamedTuple

from cluster.invariants.ghost.ghost import ACKS_ALL
from cluster.invariants.group import Group, Replica, after, before, invariant
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


class DurabilityInvariants(Group):
    """P21. What a lying disk loses counts only where enough replicas lost it: see assumptions A1 and A2."""

    P21 = invariant("what a disk claimed durable survives", "Kafka UnifiedLog.flush, fsync(2)", "A1", "A2")

    def begin(self) -> None:
        self._claims: dict[Replica, EventId] = {}
        self._lies: list[_Lie] = []

    @after
    def _on_fsynced(self, entry: Entry, event: ev.Fsynced) -> None:
        self._claims[event.topic, event.partition, entry.node] = entry.id

    @after
    def _on_removed(self, entry: Entry, event: ev.LogRemoved) -> None:
        """A broker dropped the log of an older topic of this name: the disk promised nothing of the next one."""
        self._claims.pop((event.topic, event.partition, entry.node), None)

    @before
    def _on_recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        claim = self._claims.get((event.topic, event.partition, entry.node))
        where = TopicPartition(event.topic, event.partition)
        log = self.ghost.here.logs[entry.node]
        if claim is None or log.damaged is not None:
            return  # what the lab damages, the disk did not lie about
        self.P21.checks += 1
        if event.log_end_offset >= log.claimed_offset:
            return
        if event.log_end_offset >= log.durable_offset:
            lie = _Lie(where, entry.node, log.claimed_offset, event.log_end_offset, (entry.id, claim))
            self._lies.append(lie)
            return
        self.P21.violated(
            f"the disk of node {entry.node} claimed offsets below {log.claimed_offset} durable and did not lie; "
            f"after the restart the log ends at {event.log_end_offset}",
            entry,
            claim,
            at=f"offset {event.log_end_offset}",
            assumptions=(),
        )

    @after
    def _on_answered(self, entry: Entry, event: ev.ProduceAnswered) -> None:
        """With flush-before-acknowledge the claim comes first."""
        if event.error != ErrorCode.NONE or not self.ghost.settings.get("flush_partitions", False):
            return
        ghost = self.ghost.here
        claimed = ghost.logs[entry.node].claimed_offset
        if ghost.by_majority and event.acks == ACKS_ALL:  # the leader's own disk may be the slowest
            claims = sorted((ghost.logs[node].claimed_offset for node in ghost.isr), reverse=True)
            claimed = claims[len(claims) // 2]
        end = event.base_offset + event.count
        self.P21.checks += 1
        if claimed < end:
            self.P21.violated(
                f"leader {entry.node} acknowledges offset {end - 1}; its disk has claimed only what is below {claimed}",
                entry,
                at=f"offset {end - 1}",
                assumptions=(),
            )

    def finish(self) -> None:
        """Lies that took away more than the promises allow for."""
        for lie in self._lies:
            needed = "A1" if lie.where == METADATA else "A2"
            if self.ledger.excuse((needed,), lie.where) is not None:
                self.P21.violated(
                    f"the disk of node {lie.node} lied: it claimed offsets below {lie.claimed} durable, "
                    f"after the restart the log ends at {lie.found}",
                    *lie.events,
                    record=f"{lie.where} offset {lie.found}",
                    scope=lie.where,
                    assumptions=(needed,),
                )
