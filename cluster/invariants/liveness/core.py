"""What must come to pass when some nodes are gone for good and nothing else is wrong. Contract 2.6, L10."""

from __future__ import annotations

from dataclasses import dataclass, field

from cluster.invariants.ghost.calm import Turn
from cluster.invariants.ghost.ghost import ACKS_ALL
from cluster.invariants.group import after, invariant
from cluster.invariants.liveness.deadlines import FORGOTTEN, MS
from cluster.invariants.liveness.in_calm import JudgedBetweenTurns
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import TRANSACTIONS_TOPIC, NodeId, Offset, TopicPartition


@dataclass(slots=True)
class _Core:
    """One stretch in which these nodes are left, and they include a majority of the voters."""

    nodes: set[NodeId]
    dead_count: int
    """How many are gone."""
    mark: EventId
    """The end of the last one that died."""
    since_ns: int
    active_ns: int
    """Since when the same active controller decides; at least its begin."""
    led_ns: int = -1
    """When a majority of all voters knew a leader of the core."""
    target: Offset = 0
    """Metadata that was committed then."""
    level_ns: int = -1
    """When every broker of the core had it."""
    made_ns: int = -1
    """When the newest partition was made, if that was in it."""
    settled_ns: int = -1
    """When every partition with an in-sync replica in the core had its leader and its ISR there."""
    producing: dict[tuple[str, int], Entry] = field(default_factory=dict)
    """acks=all produces that began in it, on partitions that can take them."""


class CoreInvariants(JudgedBetweenTurns):
    """L10: a core of nodes with a majority of the voters goes on without the others."""

    L10 = invariant(
        "a core with a majority of the voters goes on without the dead", "TigerBeetle, liveness mode", *FORGOTTEN
    )

    def begin(self) -> None:
        super().begin()
        self._core: _Core | None = None
        self._replicas: dict[TopicPartition, tuple[NodeId, ...]] = {}
        self._transactional: set[str] = set()
        """Clients whose records also wait for a coordinator that writes."""

    def _begin(self, entry: Entry, _event: Turn) -> None:
        """Perhaps the dead are left alone from now on."""
        calm = self.ghost.calm_without_dead
        if not calm.is_calm or not calm.dead:
            return
        alive = set(calm.roles) - calm.dead
        if self.ghost.voting.has_majority(alive):
            self._core = _Core(alive, len(calm.dead), entry.id, entry.t_ns, entry.t_ns)
            self._look(self._core, entry)
            self._on_metadata(entry, None)

    def _look(self, core: _Core, entry: Entry) -> None:
        if core.led_ns < 0 and self.ghost.voting.leader_within(core.nodes) is not None:
            core.led_ns = entry.t_ns
            core.target = self.ghost.quorum.true_high_watermark
        if core.led_ns >= 0 and core.settled_ns < 0 and self._unsettled(core) is None:
            core.settled_ns = entry.t_ns

    @after
    def _on_activated(self, entry: Entry, _event: ev.ControllerActivated) -> None:
        """A new active controller gives every broker a new session."""
        if self._core is not None and self._core.settled_ns < 0:
            self._core.active_ns = entry.t_ns

    @after
    def _on_applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        where = TopicPartition(event.topic, event.partition)
        if event.partition_epoch >= self.ghost.here.partition_epoch:  # else it lags behind others
            if where not in self._replicas and self._core is not None:
                self._core.settled_ns, self._core.made_ns = -1, entry.t_ns
            self._replicas[where] = event.replicas

    @after
    def _on_change(
        self,
        entry: Entry,
        _event: ev.RoleChanged
        | ev.VotersChanged
        | ev.BecameLeader
        | ev.IsrCommitted
        | ev.TopicDeleted
        | ev.ControllerActivated
        | ev.PartitionApplied,
    ) -> None:
        if self._core is not None:
            self.now_ns = entry.t_ns
            self._look(self._core, entry)

    @after
    def _on_removed(self, entry: Entry, event: ev.LogRemoved) -> None:
        """It was moved, or its topic is gone: where the last replica of the core left, no living broker tells more."""
        where = TopicPartition(event.topic, event.partition)
        if where not in self._replicas or self._core is None:
            return
        self._replicas[where] = tuple(node for node in self._replicas[where] if node != entry.node)
        if not self._core.nodes.intersection(self._replicas[where]):
            del self._replicas[where]
            self.now_ns = entry.t_ns
            self._look(self._core, entry)

    @after
    def _on_metadata(self, entry: Entry, _event: ev.MetadataHighWatermarkAdvanced | None) -> None:
        """A broker that heard of a newer epoch from a voter that is dead now waits until the quorum gets that far.

        Source: KafkaRaftClient.maybeHandleCommonResponse, which passes over answers of older epochs.
        """
        core = self._core
        if core is None or core.led_ns < 0 or core.level_ns >= 0:
            return
        self.now_ns = entry.t_ns
        logs = self.ghost.quorum.logs
        newest = max(self.ghost.nodes[node].epoch for node in core.nodes.intersection(self.ghost.voting.voters))
        brokers = [
            node
            for node in core.nodes
            if "broker" in self.ghost.calm_without_dead.roles[node] and self.ghost.nodes[node].epoch <= newest
        ]
        if all(node in logs and logs[node].high_watermark >= core.target for node in brokers):
            core.level_ns = entry.t_ns

    def _unsettled(self, core: _Core) -> TopicPartition | None:
        """A partition that has an in-sync replica in the core, and a leader or a member of the ISR outside of it."""
        deleted = self.ledger.deleted
        for where in [where for where in self._replicas if where.topic not in deleted]:
            ghost = self.ghost.partition(*where)
            if not ghost.has_heir(core.nodes):
                continue
            newest = ghost.newest
            leads = newest is not None and newest.node in core.nodes and newest.leader_epoch == ghost.leader_epoch
            if not leads or not ghost.goes_on_with(core.nodes):
                return where
        return None

    @after
    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        if event.function == "init_producer_id" and event.value:
            self._transactional.add(event.client_id)
        core = self._core
        if core is None or core.settled_ns < 0 or event.function != "produce" or event.acks != ACKS_ALL:
            return
        if event.topic in self.ledger.deleted:
            return
        needed = [TopicPartition(event.topic, event.partition)]
        if event.client_id in self._transactional:
            needed += [where for where in self._replicas if where.topic == TRANSACTIONS_TOPIC]
        ghosts = [self.ghost.partition(*where) for where in needed]
        if all(ghost.can_commit and ghost.goes_on_with(core.nodes) for ghost in ghosts):
            core.producing[event.client_id, event.operation_id] = entry

    @after
    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        if self._core is not None and (event.client_id, event.operation_id) in self._core.producing:
            self.L10.checks += 1
            self._judge_produce(self._core.producing.pop((event.client_id, event.operation_id)), entry)

    @after
    def _on_not_done(self, entry: Entry, event: ev.OperationFailed | ev.OperationUnknown) -> None:
        if self._core is not None and (event.client_id, event.operation_id) in self._core.producing:
            self._judge_produce(self._core.producing.pop((event.client_id, event.operation_id)), entry)

    def _judge_produce(self, begun: Entry, ended: Entry) -> None:
        took_ns = ended.t_ns - begun.t_ns
        if took_ns > self.deadlines.delivery_ns():
            self._late(
                f"an acks=all produce took {took_ns // MS} ms", self.deadlines.delivery_ns(), (ended.id, begun.id)
            )

    def _close(self) -> None:
        """Somebody comes back, or something else happens: what had its time and did not come is late."""
        core, self._core = self._core, None
        if core is None:
            return
        allowed_ns = self.deadlines.quorum_leader_ns() + self.deadlines.setting_ns("quorum_fetch_timeout_ms", 2000)
        self._judge(core, core.led_ns, core.since_ns, allowed_ns, "no quorum leader")
        if core.led_ns < 0:
            return
        what = f"a broker without the metadata below {core.target}"
        self._judge(core, core.level_ns, core.led_ns, self.deadlines.metadata_ns(), what)
        if self._replicas:
            begin_ns = max(core.led_ns, core.active_ns, core.made_ns)
            allowed_ns = self.deadlines.partition_leader_ns(core.dead_count)
            left = self._unsettled(core) if core.settled_ns < 0 else None
            self._judge(
                core, core.settled_ns, begin_ns, allowed_ns, f"{left} led from without or with the dead in sync"
            )

    def _judge(self, core: _Core, done_ns: int, begin_ns: int, allowed_ns: int, what: str) -> None:
        took_ns = (done_ns if done_ns >= 0 else self.now_ns) - begin_ns
        if done_ns >= 0:
            self.L10.checks += 1
        if took_ns > allowed_ns:
            self._late(f"the core {sorted(core.nodes)} has {what} after {took_ns // MS} ms", allowed_ns, (core.mark,))

    def _late(self, what: str, allowed_ns: int, events: tuple[EventId, ...]) -> None:
        self.L10.violated(f"{what}; {allowed_ns // MS} ms are allowed", *events)
