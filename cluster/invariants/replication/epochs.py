"""What a controller makes of what brokers ask: no older epoch counts, and an unclean election is told as one.

Source: KIP-497, KIP-631, KIP-966, Kafka ReplicationControlManager and PartitionChangeBuilder.
"""

from __future__ import annotations

from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.replication.controller_image import ControllerImages
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.events.controller import UNTOLD
from cluster.model.identifiers import METADATA, NodeId, TopicPartition

RECOVERING = "recovering"
Heartbeat = ev.BrokerFenced | ev.BrokerUnfenced | ev.ControlledShutdownBegun


class EpochInvariants:
    """P26 and P27."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("P26", "an unclean election empties the ELR and is recovering until its leader reports", "KIP-966",
                 ("A1",)),
        Invariant("P27", "a controller takes no older partition epoch and no older broker epoch", "KIP-497, KIP-631",
                 ("A1",)),
    )  # fmt: skip

    __slots__ = ("_ghost", "_images", "_report")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._images = ControllerImages(ghost)

    def before(self) -> Handlers:
        """Recovered metadata against what was told of it."""
        return {ev.LogRecovered: self._images.recovered}

    def after(self) -> Handlers:
        """Decisions, and who was registered when they were made."""
        return {
            ev.ControllerActivated: self._images.activated,
            ev.MetadataAppended: self._images.appended,
            ev.BrokerRegistered: self._images.decided,
            ev.BrokerFenced: self._on_heartbeat,
            ev.BrokerUnfenced: self._on_heartbeat,
            ev.ControlledShutdownBegun: self._on_heartbeat,
            ev.PartitionDecided: self._on_decided,
        }

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _on_heartbeat(self, entry: Entry, event: Heartbeat) -> None:
        if event.asked_epoch != UNTOLD:
            self._judge_broker(entry, event.broker_id, event.asked_epoch, "a heartbeat", METADATA)
        self._images.decided(entry)

    def _judge_broker(self, entry: Entry, broker_id: NodeId, asked: int, what: str, scope: TopicPartition) -> None:
        """P27: the broker epoch that a request names is that of the registration that this controller took last."""
        known = self._images.of(entry.node).brokers.get(broker_id)
        if known is None or self._images.untold:
            return
        self._report.checked("P27")
        if asked != known.broker_epoch:
            sentence = (
                f"controller {entry.node} takes {what} of broker {broker_id} with broker epoch {asked}; "
                f"it is registered with {known.broker_epoch}"
            )
            self._report.violated("P27", sentence, (entry.id, known.event), scope=scope)

    def _on_decided(self, entry: Entry, event: ev.PartitionDecided) -> None:
        if self._ghost.is_zookeeper:
            return
        where = TopicPartition(event.topic, event.partition)
        before = self._images.of(entry.node).partitions.get(where)
        old = None if before is None or self._images.untold else before.event
        if event.asked_epochs:
            broker_id, broker_epoch, leader_epoch, partition_epoch = event.asked_epochs
            self._judge_broker(entry, broker_id, broker_epoch, "an AlterPartition", where)
            if before is not None and isinstance(old, ev.PartitionDecided):
                asked, held = (leader_epoch, partition_epoch), (old.leader_epoch, old.partition_epoch)
                self._judge_partition(entry, where, asked, held, before.id)
        if event.leader_recovery_state:
            self._judge_recovery(entry, event, where, old if isinstance(old, ev.PartitionDecided) else None)
        self._images.decided(entry)

    def _judge_partition(
        self, entry: Entry, where: TopicPartition, asked: tuple[int, int], held: tuple[int, int], other: EventId
    ) -> None:
        self._report.checked("P27")
        if asked != held:
            sentence = (
                f"controller {entry.node} takes an AlterPartition of leader epoch {asked[0]} and partition epoch "
                f"{asked[1]}; the partition is in {held[0]} and {held[1]}"
            )
            self._report.violated("P27", sentence, (entry.id, other), record=str(where), scope=where)

    def _judge_recovery(
        self, entry: Entry, event: ev.PartitionDecided, where: TopicPartition, old: ev.PartitionDecided | None
    ) -> None:
        """P26. Source: PartitionChangeBuilder.setRecoveryState, validateAlterPartitionData.

        By majority nobody reports that it has recovered: what a new leader holds counts from its epoch on.
        """
        if self._ghost.partition(*where).by_majority:
            return
        self._report.checked("P26")
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
            sentence = f"controller {entry.node} {what}"
            self._report.violated("P26", sentence, (entry.id,), record=str(where), scope=where)
