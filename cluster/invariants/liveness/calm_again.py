"""What must come to pass once a run is calm, within deadlines made of the run's own timeouts. Contract 2.6."""

from __future__ import annotations

from dataclasses import dataclass, field

from cluster.invariants.fault_kinds import LOSING, SLOWING
from cluster.invariants.ghost.calm import Turn
from cluster.invariants.ghost.ghost import ACKS_ALL
from cluster.invariants.group import Tally, after, before, invariant
from cluster.invariants.liveness.deadlines import FORGOTTEN, IN_TIME, MS
from cluster.invariants.liveness.in_calm import Timed
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId, Offset, TopicPartition

STEADY_NS = 60_000 * MS
START_NS, STOP_NS = 5_000 * MS, 3_000 * MS
STOP_HEARTBEATS = 4
BY_HIGH_WATERMARK = ("A4",)
"""Followers cut by high watermark, as before KIP-101: logs may differ, and nobody sees it."""
"""A controlled shutdown takes a few."""


@dataclass(slots=True)
class _Window:
    """One stretch of calm."""

    since_ns: int
    mark: EventId
    epoch: int
    """Highest quorum epoch at its begin."""
    ends: dict[tuple[TopicPartition, NodeId], Offset]
    """Log ends at its begin."""
    active_ns: int
    """Since when the same active controller decides; at least its begin."""
    led_ns: int = -1
    """When a majority knew the quorum leader."""
    target: Offset = 0
    """Metadata that was committed then."""
    made_ns: int = -1
    """When the newest partition was first heard of."""
    elected_ns: int = -1
    """When every partition had its leader."""
    whole_ns: int = -1
    """When every ISR was whole."""
    copied_ns: int = -1
    """When somebody outside of an ISR last copied records and was not through."""
    level_ns: int = -1
    """When every broker had the metadata."""
    elections: list[EventId] = field(default_factory=list)
    """The first election or ISR change after everything had time to settle."""
    producing: dict[tuple[str, int], Entry] = field(default_factory=dict)
    """acks=all produces that began in it and are open."""


class LivenessInvariants(Timed):
    """L1 to L4, L7, L8 and L11."""

    L1 = invariant("a quorum leader, within 5 election timeouts (20 without pre-vote)", "Raft, KIP-996", *IN_TIME)
    L2 = invariant("a leader for each partition, within the broker session", "KIP-631", *FORGOTTEN)
    L3 = invariant("a whole ISR, within twice the lag time and two lost requests", "Partition.scala", *FORGOTTEN)
    L4 = invariant("acks=all is acknowledged within the delivery timeout", "KIP-91", *FORGOTTEN)
    L7 = invariant("all brokers at the same metadata", "KIP-631", *FORGOTTEN)
    L8 = invariant("a node starts within 5 s and leaves in order within 3 s", "KIP-631", *FORGOTTEN)
    L11 = invariant("nothing changes in 60 s without a fault", "Raft", *IN_TIME)

    def begin(self) -> None:
        super().begin()
        self._has_lost = False
        self._window: _Window | None = None
        self._replicas: dict[TopicPartition, tuple[NodeId, ...]] = {}
        self._elrs: dict[TopicPartition, tuple[NodeId, ...]] = {}
        self._starting: dict[NodeId, Entry] = {}
        self._stopping: dict[int, Entry] = {}
        self._overlapping: set[tuple[TopicPartition, NodeId]] = set()
        """Replicas whose log differs from the leader's within a batch: followers of old never get over it."""

    def finish(self) -> None:
        """The trace may stop in the middle of calm."""
        if self._window is not None:
            self._close(self._window)
        for entry in self._starting.values():
            self._judge_start(entry, self.now_ns, is_up=False)

    @before
    def _turn(self, entry: Entry, event: Turn) -> None:
        """Faults and processes: L8, and the begin and end of calm, while the ghost knows the state it ends in."""
        self.now_ns = max(self.now_ns, entry.t_ns)
        self._on_process(entry, event)
        self._has_lost |= isinstance(event, ev.FaultInjected) and event.kind in LOSING
        if self._window is not None and not self.ghost.calm.is_calm:
            self._close(self._window)
            self._window = None
        elif self._window is None and self.ghost.calm.is_calm:
            assert self.ghost.calm.event is not None
            self._window = self._open(entry.t_ns, self.ghost.calm.event)
            self._look_at_quorum(self._window)
            self._look_at_partitions(self._window)

    def _open(self, now_ns: int, mark: EventId) -> _Window:
        epoch = max((node.epoch for node in self.ghost.nodes.values()), default=0)
        ends = {
            (where, node): log.end_offset
            for where, ghost in self.ghost.partitions.items()
            for node, log in ghost.logs.items()
        }
        return _Window(now_ns, mark, epoch, ends, now_ns)

    def _on_process(self, entry: Entry, event: object) -> None:
        match event:
            case ev.ProcessStarted(node_id=node):
                self._starting[node] = entry
            case ev.ProcessReady(node_id=node) if node in self._starting:
                self._judge_start(self._starting.pop(node), entry.t_ns, is_up=True)
            case ev.ProcessExited(node_id=node):
                self._starting.pop(node, None)
                self._judge_stop(entry, node)
            case ev.FaultInjected(kind="Stop", nodes=nodes) if self.ghost.calm.was_calm:
                if self._window is not None and self._window.led_ns >= 0:
                    self._stopping.update(dict.fromkeys(nodes, entry))
            case ev.FaultInjected():
                self._stopping.clear()

    def _judge_start(self, started: Entry, now_ns: int, *, is_up: bool) -> None:
        """L8 of a start."""
        if any(kind in SLOWING for kind in self.ghost.calm.kinds):
            return
        took_ns = now_ns - started.t_ns
        if took_ns > START_NS:
            what = "listens" if is_up else "does not listen"
            self._late(self.L8, f"a process {what} {took_ns // MS} ms after its start", START_NS, (started.id,))
        elif is_up:
            self.L8.checks += 1

    def _judge_stop(self, entry: Entry, node: NodeId) -> None:
        """L8 of a controlled shutdown: its own heartbeats and the other brokers' next ones are part of it."""
        asked = self._stopping.pop(node, None)
        if asked is None:
            return
        allowed_ns = STOP_NS + STOP_HEARTBEATS * self.deadlines.setting_ns("broker_heartbeat_interval_ms", 2000)
        self.L8.checks += 1
        if entry.t_ns - asked.t_ns > allowed_ns:
            self._late(
                self.L8,
                f"node {node} left {(entry.t_ns - asked.t_ns) // MS} ms after it was asked to",
                allowed_ns,
                (entry.id, asked.id),
            )

    def _late(self, promise: Tally, what: str, allowed_ns: int, events: tuple[EventId, ...]) -> None:
        """In a dynamic quorum a disk that forgets may forget who votes: then whoever is asked need not agree."""
        forgets_voters = promise is self.L1 and self.ghost.voting.is_dynamic
        assumptions = FORGOTTEN if forgets_voters else None
        promise.violated(f"{what}; {allowed_ns // MS} ms are allowed", *events, assumptions=assumptions)

    @after
    def _on_quorum(self, entry: Entry, _event: ev.RoleChanged | ev.VotersChanged) -> None:
        self.now_ns = entry.t_ns
        if self._window is not None and self._window.led_ns < 0:
            self._look_at_quorum(self._window)

    def _look_at_quorum(self, window: _Window) -> None:
        """L1: a majority of the voters names one leader in one epoch, and it agrees."""
        leader = self.ghost.voting.leader_within(set(self.ghost.voting.voters))
        if leader is not None:
            window.led_ns = max(self.now_ns, window.since_ns)
            window.target = self.ghost.quorum.true_high_watermark
            self._judge_epochs(window, self.ghost.nodes[leader].epoch)

    def _judge_epochs(self, window: _Window, epoch: int) -> None:
        allowed = self.deadlines.epochs
        if epoch - window.epoch > allowed:
            what = f"the quorum epoch grew from {window.epoch} to {epoch} until a leader was known"
            self.L1.violated(f"{what}; {allowed} epochs are allowed", window.mark)

    @after
    def _on_activated(self, entry: Entry, _event: ev.ControllerActivated) -> None:
        """A new active controller gives every broker a new session."""
        self.now_ns = entry.t_ns
        if self._window is not None:
            self._window.active_ns = entry.t_ns

    @after
    def _on_metadata(self, entry: Entry, _event: ev.MetadataHighWatermarkAdvanced) -> None:
        """L7: the quorum has committed again since calm began."""
        self.now_ns = entry.t_ns
        window = self._window
        if window is None or window.led_ns < 0 or window.level_ns >= 0:
            return
        logs = self.ghost.quorum.logs
        brokers = [node for node, roles in self.ghost.calm.roles.items() if "broker" in roles]
        if all(node in logs and logs[node].high_watermark >= window.target for node in brokers):
            window.level_ns = entry.t_ns

    @after
    def _on_election(self, entry: Entry, event: ev.ElectionStarted) -> None:
        if not event.pre_vote:
            self._disturbed(entry)

    def _disturbed(self, entry: Entry) -> None:
        """L11. What the last faults still lead to comes while the cluster has time to settle."""
        window = self._window
        if window is not None and not window.elections:
            settled_ns = window.since_ns + self.deadlines.quorum_leader_ns() + self.deadlines.whole_isr_ns()
            if entry.t_ns > settled_ns:
                window.elections.append(entry.id)

    @after
    def _on_decided(self, entry: Entry, event: ev.PartitionDecided) -> None:
        ghost = self.ghost.here
        if ghost.partition_epoch >= 0 and set(event.isr) != set(ghost.isr):
            self._disturbed(entry)

    @after
    def _on_applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        where = TopicPartition(event.topic, event.partition)
        if event.partition_epoch >= self.ghost.here.partition_epoch:  # else it lags behind others
            if where not in self._replicas and self._window is not None:
                self._window.elected_ns = self._window.whole_ns = -1
                self._window.made_ns = entry.t_ns
            self._replicas[where], self._elrs[where] = event.replicas, event.elr

    @after
    def _on_partition(
        self, entry: Entry, _event: ev.BecameLeader | ev.IsrCommitted | ev.TopicDeleted | ev.PartitionApplied
    ) -> None:
        self.now_ns = entry.t_ns
        if self._window is not None:
            self._look_at_partitions(self._window)

    def _look_at_partitions(self, window: _Window) -> None:
        """L2 and L3."""
        if window.elected_ns < 0 and not self._leaderless():
            window.elected_ns = max(self.now_ns, window.since_ns)
        if window.elected_ns >= 0 and window.whole_ns < 0 and not self._thin():
            window.whole_ns = max(self.now_ns, window.since_ns)

    @after
    def _on_copied(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """L3: copying takes what it takes; only then does the time run within which a replica has to be let in."""
        window = self._window
        if window is None or window.whole_ns >= 0 or event.role == "leader":
            return
        ghost = self.ghost.here
        leading = ghost.leading
        if leading is not None and entry.node not in ghost.isr and event.end_offset < leading.high_watermark:
            window.copied_ns = entry.t_ns

    @after
    def _on_refused(self, entry: Entry, event: ev.CorruptBatchRefused) -> None:
        where = TopicPartition(event.topic, event.partition)
        if event.base_offset >= 0 and self.ledger.excuse(BY_HIGH_WATERMARK, where):
            self._overlapping.add((where, entry.node))

    def _leaderless(self) -> list[TopicPartition]:
        """Partitions that have somebody who may lead, in sync or eligible, and no leader at work."""
        leaderless = []
        for where in self._replicas:
            if where.topic in self.ledger.deleted:
                continue
            ghost = self.ghost.partition(*where)
            newest = ghost.newest
            leads = newest is not None and newest.leader_epoch == ghost.leader_epoch
            has_heir = ghost.isr or self._elrs.get(where)
            if has_heir and not (leads and newest is not None and ghost.leaderships.get(newest.node) is newest):
                leaderless.append(where)
        return leaderless

    def _thin(self) -> list[tuple[TopicPartition, NodeId]]:
        """Replicas that are not in their ISR."""
        return [
            (where, node)
            for where, replicas in self._replicas.items()
            for node in replicas
            if where.topic not in self.ledger.deleted
            and node not in self.ghost.partition(*where).isr
            and (where, node) not in self._overlapping
        ]

    @after
    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        """A partition that cannot take it is for L2 and L3 to judge."""
        if self._window is None or event.function != "produce" or event.acks != ACKS_ALL:
            return
        if event.topic in self.ledger.deleted:
            return
        if self.ghost.of(event).can_commit:
            self._window.producing[event.client_id, event.operation_id] = entry

    @after
    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        """L4: a write of calm has its answer in time, or not."""
        self.now_ns = entry.t_ns
        if self._window is None:
            return
        begun = self._window.producing.pop((event.client_id, event.operation_id), None)
        if begun is not None:
            self.L4.checks += 1
            self._judge_produce(begun, entry.t_ns, entry.id, "was acknowledged")

    @after
    def _on_not_done(self, entry: Entry, event: ev.OperationFailed | ev.OperationUnknown) -> None:
        """A client that does not try again proves nothing; one that gave up after the whole timeout does."""
        if self._window is None:
            return
        begun = self._window.producing.pop((event.client_id, event.operation_id), None)
        if begun is not None:
            self._judge_produce(begun, entry.t_ns, entry.id, "was given up")

    def _judge_produce(self, begun: Entry, now_ns: int, event: EventId, what: str) -> None:
        allowed_ns = self.deadlines.delivery_ns()
        asked = begun.event
        assert isinstance(asked, ev.OperationInvoked)
        if now_ns - begun.t_ns > allowed_ns and self.ghost.partition(asked.topic, asked.partition).can_commit:
            events = (event, begun.id) if event != begun.id else (event,)
            self._late(
                self.L4, f"an acks=all produce {what} after {(now_ns - begun.t_ns) // MS} ms", allowed_ns, events
            )

    def _close(self, window: _Window) -> None:
        """Calm is over: what had its time and did not come is late."""
        length_ns = self.now_ns - window.since_ns
        allowed_ns = self.deadlines.quorum_leader_ns()
        if self.ghost.is_zookeeper:  # nobody votes: leaders of partitions come with a controller
            window.led_ns = window.since_ns
            self._judge_partitions(window)
        else:
            self._judge(self.L1, window, window.led_ns, window.since_ns, allowed_ns, "no quorum leader is known")
        if window.led_ns >= 0 and not self.ghost.is_zookeeper:
            what = f"not every broker has the metadata below {window.target}"
            self._judge(self.L7, window, window.level_ns, window.led_ns, self.deadlines.metadata_ns(), what)
            self._judge_partitions(window)
        for begun in window.producing.values():
            self._judge_produce(begun, self.now_ns, begun.id, "is open")
        if length_ns >= STEADY_NS:
            self.L11.checks += 1
            for event in window.elections[:1]:
                self.L11.violated(
                    f"an election or ISR change in {length_ns // MS} ms without a fault", event, window.mark
                )

    def _judge_partitions(self, window: _Window) -> None:
        if not self._replicas:
            return
        begin_ns = max(window.led_ns, window.active_ns, window.made_ns)
        allowed_ns = self.deadlines.partition_leader_ns(has_lost=self._has_lost)
        self._judge(self.L2, window, window.elected_ns, begin_ns, allowed_ns, "a partition has no leader")
        if window.elected_ns < 0:
            return
        allowed_ns = self.deadlines.whole_isr_ns()
        begin_ns = max(begin_ns, window.copied_ns)
        if window.whole_ns >= 0 or any(self._is_stuck(window, *missing) for missing in self._thin()):
            self._judge(self.L3, window, window.whole_ns, begin_ns, allowed_ns, "an ISR is not whole")

    def _is_stuck(self, window: _Window, where: TopicPartition, node: NodeId) -> bool:
        """It has all that is committed and is not let in, or it has not fetched anything since."""
        ghost = self.ghost.partition(*where)
        end = ghost.logs[node].end_offset
        caught_up = ghost.newest is not None and end >= ghost.newest.high_watermark
        return caught_up or end == window.ends.get((where, node), 0)

    def _judge(self, promise: Tally, window: _Window, done_ns: int, begin_ns: int, allowed_ns: int, what: str) -> None:
        """One milestone: reached in time, reached late, not reached although there was time, or nothing to say."""
        if done_ns >= 0:
            promise.checks += 1
            if done_ns - begin_ns > allowed_ns:
                self._late(
                    promise,
                    f"{what} until {(done_ns - begin_ns) // MS} ms after the heal",
                    allowed_ns,
                    (window.mark,),
                )
        elif self.now_ns - begin_ns > allowed_ns:
            self._late(
                promise, f"{what} {(self.now_ns - begin_ns) // MS} ms after the heal", allowed_ns, (window.mark,)
            )
