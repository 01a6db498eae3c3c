"""What a controller makes of what brokers ask: no older epoch counts, and an unclean election is told as one.

Source: KIP-497, KIP-631, KIP-966, Kafka ReplicationControlManager and PartitionChangeBuilder.
"""

from __future__ import annotations

from cluster.invariants.group import Group, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.events.controller import UNTOLD
from cluster.model.identifiers import METADATA, NodeId, TopicPartition

RECOVERING = "recovering"
Heartbeat = ev.BrokerFenced | ev.BrokerUnfenced | ev.ControlledShutdownBegun


class EpochInvariants(Group):
    """P26 and P27."""

    P26 = invariant("an unclean election empties the ELR and is recovering until its leader reports", "KIP-966", "A1")
    P27 = invariant("a controller takes no older partition epoch and no older broker epoch", "KIP-497, KIP-631", "A1")

    @after
    def _on_heartbeat(self, entry: Entry, event: Heartbeat) -> None:
        if event.asked_epoch != UNTOLD:
            self._judge_broker(entry, event.broker_id, event.asked_epoch, "a heartbeat", METADATA)

    def _judge_broker(self, entry: Entry, broker_id: NodeId, asked: int, what: str, scope: TopicPartition) -> None:
        """P27: the broker epoch that a request names is that of the registration that this controller took last."""
        broker = self.ghost.controllers.of(entry.node).brokers.get(broker_id)
        if broker is None or self.ghost.controllers.untold:
            return
        self.P27.checks += 1
        if asked != broker.broker_epoch:
            self.P27.violated(
                f"controller {entry.node} takes {what} of broker {broker_id} with broker epoch {asked}; "
                f"it is registered with {broker.broker_epoch}",
                entry,
                broker.event,
                scope=scope,
            )

    @after
    def _on_decided(self, entry: Entry, event: ev.PartitionDecided) -> None:
        if self.ghost.is_zookeeper:
            return
        where = TopicPartition(event.topic, event.partition)
        before = self.ghost.controllers.of(entry.node).partitions.get(where)
        old = None if before is None or self.ghost.controllers.untold else before.event
        if event.asked_epochs:
            broker_id, broker_epoch, leader_epoch, partition_epoch = event.asked_epochs
            self._judge_broker(entry, broker_id, broker_epoch, "an AlterPartition", where)
            if before is not None and isinstance(old, ev.PartitionDecided):
                asked, held = (leader_epoch, partition_epoch), (old.leader_epoch, old.partition_epoch)
                self._judge_partition(entry, asked, held, before.id)
        if event.leader_recovery_state:
            self._judge_recovery(entry, event, where, old if isinstance(old, ev.PartitionDecided) else None)

    def _judge_partition(self, entry: Entry, asked: tuple[int, int], held: tuple[int, int], other: EventId) -> None:
        self.P27.checks += 1
        if asked != held:
            self.P27.violated(
                f"controller {entry.node} takes an AlterPartition of leader epoch {asked[0]} and partition epoch "
                f"{asked[1]}; the partition is in {held[0]} and {held[1]}",
                entry,
                other,
                at="",
            )

    def _judge_recovery(
        self, entry: Entry, event: ev.PartitionDecided, where: TopicPartition, old: ev.PartitionDecided | None
    ) -> None:
        """P26. Source: PartitionChangeBuilder.setRecoveryState, validateAlterPartitionData.

        By majority nobody reports that it has recovered: what a new leader holds counts from its epoch on.
        """
        if self.ghost.partition(*where).by_majority:
            return
        self.P26.checks += 1
        recovers, what = event.leader_recovery_state == RECOVERING, ""
        if event.unclean and event.elr:
            what = f"elects {event.leader} uncleanly and leaves the ELR {list(event.elr)}"
        elif event.unclean and not recovers:
            what = f"elects {event.leader} uncleanly and does not say that the partition is recovering"
        elif recovers and len(event.isr) > 1:
            what = f"lets replicas into the ISR {list(event.isr)} while the partition is recovering"
        elif old is not None and old.leader_recovery_state == RECOVERING and not (recovers or event.asked_epochs):
            what = "calls the partition recovered, and its leader has not said so"
        elif old is not None and recovers and old.leader_recovery_state != RECOVERING and not event.unclean:
            what = "calls the partition recovering without an unclean election"
        if what:
            self.P26.violated(f"controller {entry.node} {what}", entry, at="")
