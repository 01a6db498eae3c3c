"""Whether a replica that was moved away is gone once a run is calm. Source: KIP-455, ReplicaManager.applyDelta."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

from cluster.invariants.group import after, invariant
from cluster.invariants.liveness.deadlines import FORGOTTEN, MS
from cluster.invariants.liveness.in_calm import JudgedInCalm
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NodeId, TopicPartition

Opened: TypeAlias = ev.BecameLeader | ev.BecameFollower | ev.ReplicaAppended | ev.LogRecovered


class _Assigned(Struct):
    """Who replicates a partition, as the newest committed record has it."""

    partition_epoch: int
    replicas: tuple[NodeId, ...]
    since_ns: int
    event: EventId


class MovedInvariants(JudgedInCalm):
    """L14: a broker keeps no log of a partition that was moved away from it.

    Of a broker that has lost power, or a disk, nothing is known until it tells of a log again.
    """

    L14 = invariant("a replica that was moved away leaves no log", "KIP-455", *FORGOTTEN)

    def begin(self) -> None:
        super().begin()
        self._assigned: dict[TopicPartition, _Assigned] = {}
        self._holders: dict[TopicPartition, set[NodeId]] = {}
        self._left: dict[tuple[TopicPartition, NodeId], int] = {}
        """Logs of brokers that are no replica of it any more, and since when."""

    @after
    def _on_applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        where = TopicPartition(event.topic, event.partition)
        assigned = self._assigned.get(where)
        if assigned is not None and event.partition_epoch <= assigned.partition_epoch:
            return
        self._assigned[where] = _Assigned(event.partition_epoch, event.replicas, entry.t_ns, entry.id)
        for node in event.replicas:
            self._left.pop((where, node), None)
        if assigned is not None and assigned.replicas != event.replicas:
            for node in self._holders.get(where, set()).difference(event.replicas):
                self._left.setdefault((where, node), entry.t_ns)

    @after
    def _on_open(
        self, entry: Entry, event: ev.BecameLeader | ev.BecameFollower | ev.ReplicaAppended | ev.LogRecovered
    ) -> None:
        key: Any = event.topic, event.partition  # equal to the TopicPartition; cheaper to make
        if key == METADATA or (key in self._holders and entry.node in self._holders[key]):
            return
        where = TopicPartition(*key)
        self._holders.setdefault(where, set()).add(entry.node)
        assigned = self._assigned.get(where)
        if assigned is not None and entry.node not in assigned.replicas:
            self._left.setdefault((where, entry.node), entry.t_ns)

    @after
    def _on_removed(self, entry: Entry, event: ev.LogRemoved) -> None:
        where = TopicPartition(event.topic, event.partition)
        self.now_ns = max(self.now_ns, entry.t_ns)
        self._holders.get(where, set()).discard(entry.node)
        since_ns = self._left.pop((where, entry.node), None)
        if since_ns is not None and self.ghost.calm.is_calm:
            self.L14.checks += 1
            self._judge(where, entry.node, since_ns, "until")

    @after
    def _on_power_lost(self, _entry: Entry, event: ev.PowerLost) -> None:
        self._forget(event.node_id)

    @after
    def _on_fault(self, _entry: Entry, event: ev.FaultApplied) -> None:
        if event.kind == "Wipe":
            for node in event.nodes:
                self._forget(node)

    def _forget(self, node: NodeId) -> None:
        for where, holders in self._holders.items():
            holders.discard(node)
            self._left.pop((where, node), None)

    def _close(self) -> None:
        """What is left there although there was time stays for good."""
        for (where, node), since_ns in self._left.items():
            if where.topic not in self.ledger.deleted:
                self._judge(where, node, since_ns, "for")

    def _judge(self, where: TopicPartition, node: NodeId, since_ns: int, how: str) -> None:
        """A broker leaves when it knows, and that takes a leader of the quorum and its own registration."""
        ready_ns = self.ghost.calm.began_ns + self.deadlines.quorum_leader_ns() + self.deadlines.partition_leader_ns()
        took_ns, allowed_ns = self.now_ns - max(ready_ns, since_ns), self.deadlines.metadata_ns()
        if took_ns > allowed_ns:
            self.L14.violated(
                f"node {node} has kept its log of {where} {how} {took_ns // MS} ms after the replica was moved away; "
                f"{allowed_ns // MS} ms are allowed",
                self._assigned[where].event,
                scope=where,
            )
