"""What the active controller believes, rebuilt from its decisions and from which of them survived in the log."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cluster.checks.ghost import Ghost
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import Epoch, NodeId, Offset, TopicPartition

Decision = ev.BrokerRegistered | ev.BrokerFenced | ev.BrokerUnfenced | ev.ControlledShutdownBegun | ev.PartitionDecided
Where = tuple[str, int]


@dataclass(frozen=True, slots=True)
class BrokerFacts:
    """One registered broker."""

    broker_epoch: int
    """Of its registration."""
    incarnation_id: str
    """Of the process that registered."""
    incarnation: int
    """Which start of it that process was; -1 unknown."""
    fenced: bool
    """Out of service."""
    leaving: bool
    """In a controlled shutdown."""
    event: EventId
    """The newest word on it."""


@dataclass(slots=True)
class _Noted:
    """A decision and where it was written."""

    node: NodeId
    entry: Entry
    offset: Offset = -1
    epoch: Epoch = -1


class ControllerImage:
    """One node at a time decides. When another one takes over it knows what is in its log, and nothing else.

    A controller writes its decisions at once: the raft.appended event that follows them on the same node says where.
    """

    __slots__ = (
        "_ghost",
        "_incarnations",
        "_noted",
        "_settled_brokers",
        "_settled_partitions",
        "active",
        "brokers",
        "partitions",
        "untold",
    )

    def __init__(self, ghost: Ghost) -> None:
        self._ghost = ghost
        self._incarnations: dict[EventId, int] = {}
        self._noted: list[_Noted] = []
        self._settled_brokers: dict[NodeId, BrokerFacts] = {}
        self._settled_partitions: dict[TopicPartition, Entry] = {}
        self.active: NodeId = -1
        """Who decides; -1 before the first."""
        self.brokers: dict[NodeId, BrokerFacts] = {}
        """As it believes now."""
        self.partitions: dict[TopicPartition, Entry] = {}
        """The newest decision on each partition, as it believes now."""
        self.untold = False
        """A node came back with more metadata than events told of: a decision may have gone unheard."""

    def activated(self, entry: Entry) -> None:
        """Another node decides from now on; what its log does not hold never was."""
        log = self._ghost.quorum.log(entry.node)
        for noted in self._noted:
            if noted.offset >= 0 and log.epoch_at(noted.offset) == noted.epoch:
                self._take(noted.entry, self._settled_brokers, self._settled_partitions)
        self._noted.clear()
        self.active = entry.node
        self.brokers, self.partitions = dict(self._settled_brokers), dict(self._settled_partitions)

    def decided(self, entry: Entry) -> None:
        """The active controller decides."""
        self._noted.append(_Noted(entry.node, entry))
        self._take(entry, self.brokers, self.partitions)

    def appended(self, entry: Entry, event: ev.MetadataAppended) -> None:
        """A leader wrote what it decided since its last write."""
        if event.role != "leader" or not event.epochs:
            return
        for noted in reversed(self._noted):
            if noted.offset >= 0 or noted.node != entry.node:
                return
            noted.offset, noted.epoch = event.base_offset, event.epochs[0][0]

    def recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        """Called before the ghost knows: a metadata log may hold more than was told."""
        self.untold = self.untold or event.log_end_offset > self._ghost.quorum.log(entry.node).end_offset

    def _incarnation(self, entry: Entry, broker_id: NodeId) -> int:
        """The start that sent the registration; when its message does not tell, the newest one at that moment."""
        if entry.cause is not None and entry.cause.node == broker_id:
            return entry.cause.incarnation
        return self._incarnations.setdefault(entry.id, self._ghost.node(broker_id).incarnation)

    def _take(self, entry: Entry, brokers: dict[NodeId, BrokerFacts], partitions: dict[TopicPartition, Entry]) -> None:
        event = entry.event
        if isinstance(event, ev.PartitionDecided):
            partitions[TopicPartition(event.topic, event.partition)] = entry
            return
        if isinstance(event, ev.BrokerRegistered):
            known = brokers.get(event.broker_id)
            again = known is not None and known.incarnation_id == event.incarnation_id
            fenced = known.fenced if again and known is not None else True
            incarnation = self._incarnation(entry, event.broker_id)
            brokers[event.broker_id] = BrokerFacts(
                event.broker_epoch, event.incarnation_id, incarnation, fenced, False, entry.id
            )
            return
        assert isinstance(event, ev.BrokerFenced | ev.BrokerUnfenced | ev.ControlledShutdownBegun)
        known = brokers.get(event.broker_id) or BrokerFacts(-1, "", -1, False, False, entry.id)
        if isinstance(event, ev.ControlledShutdownBegun):
            brokers[event.broker_id] = replace(known, leaving=True, event=entry.id)
        else:
            fenced = isinstance(event, ev.BrokerFenced)
            brokers[event.broker_id] = replace(known, fenced=fenced, event=entry.id)
