"""What each controller believes, rebuilt from its decisions and from which of them survived in the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cluster.invariants.ghost.parts import NodeGhost, PartitionGhost
from cluster.invariants.watcher import Watcher, after, before
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, Epoch, NodeId, Offset, TopicPartition

Decision = ev.BrokerRegistered | ev.BrokerFenced | ev.BrokerUnfenced | ev.ControlledShutdownBegun | ev.PartitionDecided


@dataclass(frozen=True, slots=True)
class BrokerFacts:
    """One registered broker."""

    broker_epoch: int
    incarnation_id: str
    """Of the process that registered."""
    incarnation: int
    """Which start of it that process was; -1 unknown."""
    fenced: bool
    leaving: bool
    """In a controlled shutdown."""
    event: EventId
    """The newest word on it."""


@dataclass(slots=True)
class _Noted:
    """A decision and where it was written."""

    entry: Entry
    incarnation: int
    offset: Offset = -1
    epoch: Epoch = -1


@dataclass(slots=True)
class Image:
    """What one controller believes."""

    brokers: dict[NodeId, BrokerFacts] = field(default_factory=dict)
    partitions: dict[TopicPartition, Entry] = field(default_factory=dict)
    """The newest decision on each partition."""
    joined: dict[tuple[TopicPartition, NodeId], EventId] = field(default_factory=dict)
    """The newest decision that let a replica into the ISR of a partition."""

    def copy(self) -> Image:
        """Another one that changes on its own."""
        return Image(dict(self.brokers), dict(self.partitions), dict(self.joined))

    def take(self, entry: Entry, incarnation: int) -> None:
        """One decision; `incarnation` says which start of the broker a registration came from."""
        event = entry.event
        if isinstance(event, ev.PartitionDecided):
            where = TopicPartition(event.topic, event.partition)
            before = self.partitions.get(where)
            members = before.event.isr if before and isinstance(before.event, ev.PartitionDecided) else ()
            self.joined.update({(where, node): entry.id for node in event.isr if node not in members})
            self.partitions[where] = entry
            return
        assert isinstance(event, Decision)
        broker = self.brokers.get(event.broker_id) or BrokerFacts(-1, "", -1, False, False, entry.id)
        if isinstance(event, ev.BrokerRegistered):
            fenced = broker.fenced or broker.incarnation_id != event.incarnation_id
            facts = BrokerFacts(event.broker_epoch, event.incarnation_id, incarnation, fenced, False, entry.id)
        elif isinstance(event, ev.ControlledShutdownBegun):
            facts = replace(broker, leaving=True, event=entry.id)
        else:
            facts = replace(broker, fenced=isinstance(event, ev.BrokerFenced), event=entry.id)
        self.brokers[event.broker_id] = facts


class ControllerImages(Watcher):
    """What each controller believes. Who becomes active knows what is in its log, and nothing else.

    A controller that does not know yet that it is deposed goes on from its own image. Each writes its decisions at
    once: the raft.appended event that follows them on the same node says where.
    """

    def __init__(self, nodes: Mapping[NodeId, NodeGhost], quorum: PartitionGhost) -> None:
        self._nodes, self._quorum = nodes, quorum
        self._settled = Image()
        self._newest_epoch = -1
        self._images: dict[NodeId, Image] = {}
        self._noted: list[_Noted] = []
        self._unwritten: dict[NodeId, list[_Noted]] = {}
        self.untold = False
        """A node came back with more metadata than events told of: a decision may have gone unheard."""

    def of(self, node: NodeId) -> Image:
        """What a controller believes; nothing before it was active."""
        image = self._images.get(node)
        if image is None:
            image = self._images[node] = Image()
        return image

    @after
    def activated(self, entry: Entry, event: ev.ControllerActivated) -> None:
        """A node decides from now on. What its log does not hold never was.

        One that hears late that it led an epoch that is over holds less than others have decided since: of what it
        believes nothing is known.
        """
        if event.epoch < self._newest_epoch:
            self._unwritten.pop(entry.node, None)
            self._images[entry.node] = Image()
            return
        self._newest_epoch = event.epoch
        log = self._quorum.logs[entry.node]
        left = []
        for noted in self._noted:
            if noted.offset >= 0 and log.epoch_at(noted.offset) == noted.epoch:
                self._settled.take(noted.entry, noted.incarnation)
            elif noted.offset >= log.end_offset:
                left.append(noted)
        self._noted = left
        self._unwritten.pop(entry.node, None)
        self._images[entry.node] = self._settled.copy()

    @after
    def decided(self, entry: Entry, _event: Decision) -> None:
        """Take in what a controller decided, before it is in the log. Groups have judged it by then."""
        noted = _Noted(entry, self.incarnation_of(entry))
        self._unwritten.setdefault(entry.node, []).append(noted)
        self.of(entry.node).take(entry, noted.incarnation)

    @after
    def appended(self, entry: Entry, event: ev.MetadataAppended) -> None:
        """A leader wrote what it decided since its last write."""
        if event.role != "leader" or not event.epochs:
            return
        for noted in self._unwritten.pop(entry.node, ()):
            noted.offset, noted.epoch = event.base_offset, event.epochs[0][0]
            self._noted.append(noted)

    @before
    def recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        """A metadata log may hold more than was told."""
        if event.topic == METADATA.topic:
            self.untold = self.untold or event.log_end_offset > self._quorum.logs[entry.node].end_offset

    def incarnation_of(self, entry: Entry) -> int:
        """The start of a broker that sent a registration; when its message does not tell, the newest one."""
        if not isinstance(entry.event, ev.BrokerRegistered):
            return -1
        broker_id = entry.event.broker_id
        if entry.cause is not None and entry.cause.node == broker_id:
            return entry.cause.incarnation
        node_facts = self._nodes.get(broker_id)
        return -1 if node_facts is None else node_facts.incarnation
