"""Watches for what suspends a promise: lying disks, lossy restarts, unclean elections, settings of another time."""

from __future__ import annotations

from cluster.invariants.ghost.ghost import ACKS_ALL
from cluster.invariants.ghost.log import agree
from cluster.invariants.ghost.parts import PartitionGhost
from cluster.invariants.ghost.transactions import is_from_producer
from cluster.invariants.group import Group, after, before
from cluster.invariants.liveness.deadlines import Deadlines
from cluster.invariants.verdicts.ledger import NEWEST_EPOCH
from cluster.invariants.zookeeper.controllers import TOPICS
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NO_NODE, UNKNOWN_OFFSET, NodeId, Offset, TopicPartition
from cluster.model.settings import OLD_WAYS

ZOOKEEPER_LOG = "__zookeeper"
"""Where the coordinator keeps its transactions."""


class Assumptions(Group):
    """Fills the ledger; has no invariants of its own. It stands first, so that it knows before invariants ask.

    Only a power loss excuses a log or a vote that is gone, and only as far as the disk's own books say that it was
    not durable, or damage that the lab did to the disk: what an engine loses by itself is no broken assumption.
    """

    def begin(self) -> None:
        self._lossy: dict[TopicPartition, dict[NodeId, tuple[Offset, Offset]]] = {}
        self._forgot: dict[tuple[TopicPartition, NodeId], Offset] = {}
        """Where the log of a replica had ended that lost its end with power or its disk."""
        self._unsequenced: set[tuple[str, int]] = set()
        self._isr: dict[TopicPartition, tuple[NodeId, ...]] = {}

    @after
    def _run_started(self, entry: Entry, event: ev.RunStarted) -> None:
        settings = self.ghost.settings
        election_us = Deadlines(self.ghost).setting_ns("quorum_election_timeout_ms", 1000) // 1000
        if event.latency_us_max * 2 > election_us:
            what = f"a frame may be on its way for {event.latency_us_max // 1000} ms"
            self.ledger.breaks("A8", entry.id, f"{what}, with an election timeout of {election_us // 1000} ms")
        for way in OLD_WAYS:
            if way.is_in(settings):
                self.ledger.breaks(way.breaks, entry.id, way.why)

    @before
    def _decided(self, entry: Entry, event: ev.PartitionDecided) -> None:
        scope = TopicPartition(event.topic, event.partition)
        isr_before = self._isr.get(scope, self.ghost.here.isr)
        self._isr[scope] = event.isr
        why = self._what_may_be_lost(event, isr_before) if event.leader != NO_NODE else ""
        if why:
            self.ledger.breaks("A3", entry.id, f"node {event.leader} was elected although {why}", scope)
        if not self.ghost.settings.get("elr", True):
            self._only_lossy_are_left(entry, event, scope)
        if event.min_insync_replicas < 2 and not self.ghost.here.by_majority:
            self.ledger.breaks("A5", entry.id, "one replica suffices for an acknowledgement", scope)

    @before
    def _leads(self, entry: Entry, event: ev.BecameLeader) -> None:
        """In zookeeper mode nobody misses a broker that is back before its session is over, or before a look.

        It is in the ISR still, whatever it lost, and may be elected when the others are gone. A leader even leads again
        in the epoch that it had: if it lost records of that epoch, others come at their offsets, and leader epochs tell
        these logs apart no more. KRaft takes a broker out of the ISR when it registers anew (KIP-631).
        """
        if not self.ghost.is_zookeeper:
            return
        scope = TopicPartition(event.topic, event.partition)
        self._lossy_leads(entry, scope)
        ghost = self.ghost.here
        newest, lost = ghost.newest, ghost.lossy.get(entry.node)
        is_again = newest is not None and (newest.leader_epoch, newest.node) == (event.leader_epoch, entry.node)
        if lost is not None and is_again:
            self.ledger.breaks(
                "A4",
                entry.id,
                f"node {entry.node} leads again in leader epoch {event.leader_epoch}, without all it wrote in it",
                scope,
            )

    @before
    def _invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        if event.function == "produce" and event.acks != ACKS_ALL:
            scope = TopicPartition(event.topic, event.partition)
            self.ledger.breaks("A5", entry.id, f"a producer asks for acks={event.acks} only", scope)

    @before
    def _deleted(self, _entry: Entry, event: ev.TopicDeleted) -> None:
        """Its records may go anywhere, and another topic may come under its name."""
        self.ledger.deleted.add(event.topic)

    @before
    def _znode_written(self, _entry: Entry, event: ev.ZNodeWritten) -> None:
        """A coordinator that lost its disk forgot topics that brokers still hold: another one comes under the name.

        Its offsets and leader epochs begin anew, while deposed leaders of the former one serve what they have.
        """
        topic = event.path.removeprefix(TOPICS)
        if event.kind == "created" and topic in self.ghost.made:
            self.ledger.deleted.add(topic)

    @before
    def _appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """A batch without a sequence number is written once more when its producer tries again."""
        key = (event.topic, event.partition)
        if key in self._unsequenced or not is_from_producer(event):
            return
        if len(event.sequences) < len(event.batches):
            self._unsequenced.add(key)
            self.ledger.breaks("A6", entry.id, "a producer is not idempotent", TopicPartition(*key))

    @before
    def _marked(self, entry: Entry, event: ev.MarkerWritten) -> None:
        if event.by_client:
            self.ledger.breaks(
                "A13",
                entry.id,
                f"an administrator ended what producer {event.producer_id} has open",
                TopicPartition(event.topic, event.partition),
            )

    def _what_may_be_lost(self, event: ev.PartitionDecided, isr_before: tuple[NodeId, ...]) -> str:
        """An unclean election of who led last and has everything loses nothing, so it excuses nothing.

        Another leader may go on committing until it hears of its end, and one that has yet to hear of its beginning
        may do so all the same. Where the high watermark moves below
        min.insync.replicas the election of an eligible leader replica is no better: KIP-966 needs the gate.
        """
        ghost = self.ghost.here
        lacks = not agree(ghost.logs[event.leader], ghost.committed, ghost.true_high_watermark)
        settings = self.ghost.settings
        is_gated = settings.get("hw_gate", True) or not settings.get("elr", True)
        if not event.unclean and (is_gated or event.leader in isr_before):
            return ""
        if lacks:
            return "it lacks committed records"
        since = ghost.newest.leader_epoch if ghost.newest is not None else -1
        for epoch, made in sorted(ghost.leaders.items()):
            if since <= epoch < event.leader_epoch and made.node != event.leader:
                return f"node {made.node} may commit more before it hears of it"
        return ""

    @before
    def _persisted(self, entry: Entry, event: ev.ElectionPersisted) -> None:
        """A start writes anew what it has read, before it takes a role."""
        if not self.ghost.nodes[entry.node].role and self.ghost.voting.is_voter(entry.node):
            self._came_back(entry, event)

    @before
    def _booted(self, entry: Entry, event: ev.QuorumBooted) -> None:
        if entry.node in event.voters:
            self._came_back(entry, event)

    def _came_back(self, entry: Entry, event: ev.QuorumBooted | ev.ElectionPersisted) -> None:
        node = self.ghost.nodes[entry.node]
        held = node.persisted
        if held is None or (held.is_durable and node.damaged is None):
            return
        if (event.epoch, event.voted_for) != (held.epoch, held.voted_for) and event.epoch <= held.epoch:
            self._voter_lost(entry, "its vote or epoch")
            self._voter_damaged(entry, "its vote or epoch")

    @before
    def _fault_applied(self, entry: Entry, event: ev.FaultApplied) -> None:
        """Who has heard of the newest epoch waits for it. Source: KafkaRaftClient.maybeHandleCommonResponse."""
        if event.kind != "Wipe":
            return
        left = set(self.ghost.nodes).difference(event.nodes)
        voters = left.intersection(self.ghost.voting.in_force().nodes)
        newest = max((self.ghost.nodes[voter].epoch for voter in voters), default=-1)
        lost = max((self.ghost.nodes[node].epoch for node in event.nodes), default=-1)
        heard = [node for node in sorted(left - voters) if newest < self.ghost.nodes[node].epoch <= lost]
        if heard:
            nodes = " and ".join(map(str, event.nodes))
            self.ledger.breaks(
                NEWEST_EPOCH,
                entry.id,
                f"the disk of {nodes} is replaced; node {heard[0]} knows an epoch up to {lost}, no voter does",
                METADATA,
            )

    @after
    def _voters_changed(self, entry: Entry, event: ev.VotersChanged) -> None:
        """A leader may make a disk a voter that was replaced since it was last heard: nobody tells the leader."""
        if self.ghost.nodes[entry.node].role != "leader":
            return
        now = self.ghost.voting.records.disks
        gone = [
            node
            for node, disk in zip(event.voters, event.directories, strict=True)
            if self.ghost.nodes[node].is_replaced or now.get(node, disk) != disk
        ]
        if gone and 2 * (len(event.voters) - len(gone)) <= len(event.voters):
            self.ledger.breaks(
                NEWEST_EPOCH,
                entry.id,
                f"leader {entry.node} counts voters {gone}, whose disks were replaced; the others are no majority",
                METADATA,
            )

    @before
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        tp = TopicPartition(event.topic, event.partition)
        ghost = self.ghost.here
        log = ghost.logs[entry.node]
        if event.topic == ZOOKEEPER_LOG:
            self._coordinator_recovered(entry, event)
            return
        if log.damaged is not None:
            if tp == METADATA and event.log_end_offset < log.end_offset and self._is_voter(entry.node):
                self._voter_damaged(entry, "records")
            elif tp != METADATA:
                self._replica_lost(entry, event, tp, ghost)
            return
        if event.log_end_offset < log.durable_offset:
            return
        if tp == METADATA:
            if event.log_end_offset < log.claimed_offset and self._is_voter(entry.node):
                self._voter_lost(entry, "records")
        else:
            self._replica_lost(entry, event, tp, ghost)

    def _coordinator_recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        """The coordinator stands for a quorum, so a disk that forgets there is a quorum that forgets."""
        log, node = self.ghost.here.logs[entry.node], self.ghost.nodes[entry.node]
        if event.log_end_offset < log.claimed_offset and (node.lied is not None or log.damaged is not None):
            self.ledger.breaks(
                "A1",
                entry.id,
                f"the coordinator came back without {log.claimed_offset - event.log_end_offset} transactions",
                METADATA,
            )

    def _is_voter(self, node: NodeId) -> bool:
        return self.ghost.voting.is_voter(node)

    def _voter_lost(self, entry: Entry, what: str) -> None:
        node = self.ghost.nodes[entry.node]
        if node.power_lost is not None and node.lied is not None:
            self.ledger.breaks(
                "A1",
                entry.id,
                f"voter {entry.node} lost power and came back without {what} that its disk had claimed durable",
                METADATA,
            )

    def _voter_damaged(self, entry: Entry, what: str) -> None:
        if self.ghost.nodes[entry.node].damaged is not None:
            self.ledger.breaks(
                "A1",
                entry.id,
                f"voter {entry.node} came back from damage to its disk without {what} that it had held durable",
                METADATA,
            )

    @after
    def _committed(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        """A leader counts what a replica said that it has, until it hears otherwise: it may have lost it since."""
        if event.role != "leader" or not self._forgot:
            return
        tp = TopicPartition(event.topic, event.partition)
        for node, counted in event.log_end_offsets:
            forgot = self._forgot.get((tp, node), UNKNOWN_OFFSET)
            begin, end = self.ghost.here.logs[node].end_offset, min(counted, event.high_watermark)
            if begin >= forgot:
                self._forgot.pop((tp, node), None)
            elif begin < end and counted <= forgot:
                self._lossy_now(entry, tp, node, (begin, end), end)

    def _replica_lost(self, entry: Entry, event: ev.LogRecovered, tp: TopicPartition, ghost: PartitionGhost) -> None:
        """A replica came back from a power loss, or from damage to its disk, without records."""
        log = ghost.logs[entry.node]
        if (log.power_lost is None and log.damaged is None) or event.log_end_offset >= log.end_offset:
            return
        self._forgot[tp, entry.node] = log.end_offset
        end = min(log.end_offset, ghost.true_high_watermark)
        if event.log_end_offset < end:
            below = max(ghost.true_high_watermark, log.end_offset)
            self._lossy_now(entry, tp, entry.node, (event.log_end_offset, end), below)

    def _lossy_now(
        self, entry: Entry, tp: TopicPartition, node: NodeId, lost: tuple[Offset, Offset], below: Offset
    ) -> None:
        """A replica lacks committed records (first, one past the last) for no fault of the engine."""
        ghost, lossy = self.ghost.partition(*tp), self._still_lossy(tp, self.ghost.partition(*tp))
        begin, end = lossy.get(node, lost)  # once more, before it had caught up
        lossy[node] = min(begin, lost[0]), max(end, lost[1])
        at_once = _most_at_once(lossy)
        if len(at_once) >= (1 if ghost.by_majority else ghost.min_insync):
            nodes = " and ".join(map(str, at_once))
            by = "a commit by majority" if ghost.by_majority else f"min.insync.replicas {ghost.min_insync}"
            what = f"lost power or its disk and so committed records, with {by}"
            self.ledger.breaks("A2", entry.id, f"node {nodes} {what}", tp, below)
        elif ghost.isr == (node,):
            self.ledger.breaks(
                "A2",
                entry.id,
                f"node {node}, the last in-sync replica, lost power or its disk and so committed records",
                tp,
                below,
            )

    def _still_lossy(self, tp: TopicPartition, ghost: PartitionGhost) -> dict[NodeId, tuple[Offset, Offset]]:
        """Replicas that lost committed records and do not have them again; which (first, one past the last)."""
        lossy = self._lossy.setdefault(tp, {})
        for node, (_, end) in list(lossy.items()):
            if agree(ghost.logs[node], ghost.committed, end):
                del lossy[node]
        return lossy

    def _only_lossy_are_left(self, entry: Entry, event: ev.PartitionDecided, tp: TopicPartition) -> None:
        """Before KIP-966 a controller could not know that the last in-sync replica had come back with less."""
        if not self._lossy.get(tp):
            return
        ghost = self.ghost.partition(*tp)
        lossy = self._still_lossy(tp, ghost)
        if event.isr and set(event.isr) <= set(lossy):
            nodes = " and ".join(map(str, sorted(event.isr)))
            why = f"the ISR shrank to node {nodes}, which had lost power and with it committed records"
            below = max(ghost.true_high_watermark, *(lossy[node][1] for node in event.isr))
            self.ledger.breaks("A2", entry.id, why, tp, below)

    def _lossy_leads(self, entry: Entry, tp: TopicPartition) -> None:
        lossy = self._still_lossy(tp, self.ghost.partition(*tp)).get(entry.node)
        if lossy is not None:
            self.ledger.breaks(
                "A2",
                entry.id,
                f"node {entry.node} was in the ISR still when it had lost power or its disk and so committed records",
                tp,
                max(self.ghost.partition(*tp).true_high_watermark, lossy[1]),
            )


def _most_at_once(lossy: dict[NodeId, tuple[Offset, Offset]]) -> list[NodeId]:
    """The most replicas that lost one and the same record. Of ranges that meet, some record is the first of one."""
    most: list[NodeId] = []
    for offset, _ in lossy.values():
        lost_it = sorted(node for node, (begin, end) in lossy.items() if begin <= offset < end)
        most = max(most, lost_it, key=len)
    return most
