"""Whether a transaction that is decided is also completed once a run is calm. Source: KIP-98."""

from __future__ import annotations

from msgspec import Struct

from cluster.invariants.group import after, invariant
from cluster.invariants.liveness.deadlines import FORGOTTEN, MS
from cluster.invariants.liveness.in_calm import JudgedInCalm
from cluster.invariants.transactions.coordinated import KAFKA_PARTITIONS, PREPARED
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.events.transaction import TRANSACTIONS_TOLD_MAX
from cluster.model.identifiers import TRANSACTIONS_TOPIC, Offset, TopicPartition
from cluster.model.offsets_topic import partition_for

UNABLE = -1
MARKED = "A13"
"""An administrator's marker of a newer coordinator epoch has those of the coordinator refused."""
SLACK_NS = 2_000 * MS


class _Decided(Struct):
    """A transaction that is decided and not complete, as the newest coordinator has it."""

    state: str
    partitions: tuple[tuple[str, int], ...]
    event: EventId
    since_ns: int
    """Of the decision, or of the coordinator that read it."""
    able_ns: int = UNABLE
    """Since when the run is calm and every partition that it needs can be written to; -1 while that is not so."""


class DecidedInvariants(JudgedInCalm):
    """L13: PrepareCommit and PrepareAbort do not last where the coordinator and the partitions can answer.

    What no partition can take waits without end, as in Kafka: whether partitions get leaders and ISRs is for L2 and L3.
    """

    L13 = invariant("a decided transaction is completed once its partitions can answer", "KIP-98", *FORGOTTEN, MARKED)

    def begin(self) -> None:
        super().begin()
        self._decided: dict[str, _Decided] = {}
        self._ends: dict[int, Offset] = {}
        """By partition of __transaction_state: the end of what its coordinators have told of."""

    def _begin(self, entry: Entry) -> None:
        self._look(entry, None)

    @after
    def _on_state(self, entry: Entry, event: ev.TransactionStateChanged) -> None:
        self.now_ns = max(self.now_ns, entry.t_ns)
        home = self._home(event.transactional_id).partition
        if 0 <= event.offset < self._ends.get(home, 0):
            return  # a coordinator that is none any more learns late what the next one has read
        self._ends[home] = event.offset + 1
        decided = self._decided.get(event.transactional_id)
        if event.state in PREPARED:
            self._decided[event.transactional_id] = _Decided(event.state, event.partitions, entry.id, entry.t_ns)
            self._look(entry, None)
        elif decided is not None:
            del self._decided[event.transactional_id]
            if decided.able_ns >= 0:
                self.L13.checks += 1
                self._judge(event.transactional_id, decided)

    @after
    def _on_loaded(self, entry: Entry, event: ev.TransactionCoordinatorLoaded) -> None:
        """The next coordinator goes on with what it has read, and knows of nothing else."""
        self.now_ns = max(self.now_ns, entry.t_ns)
        self._ends[event.partition] = event.end_offset
        states = {name: state for name, state, _, _ in event.transactions}
        for name in [name for name in self._decided if self._home(name).partition == event.partition]:
            if name in states and states[name] in PREPARED:
                self._decided[name].since_ns, self._decided[name].able_ns = entry.t_ns, UNABLE
            elif name in states or len(states) < TRANSACTIONS_TOLD_MAX:
                del self._decided[name]

    def _home(self, transactional_id: str) -> TopicPartition:
        count = int(self.ghost.settings.get("transaction_state_partitions") or KAFKA_PARTITIONS)
        return TopicPartition(TRANSACTIONS_TOPIC, partition_for(transactional_id, count))

    @after
    def _look(
        self,
        entry: Entry,
        _event: ev.BecameLeader
        | ev.BecameFollower
        | ev.IsrCommitted
        | ev.PartitionApplied
        | ev.TransactionCoordinatorLoaded
        | None,
    ) -> None:
        """Since when each of them can be completed."""
        if not self._decided or not self.ghost.calm.is_calm:
            return
        for name, decided in self._decided.items():
            if not self._is_able(name, decided):
                decided.able_ns = UNABLE
            elif decided.able_ns < 0:
                decided.able_ns = entry.t_ns

    def _is_able(self, name: str, decided: _Decided) -> bool:
        deleted = self.ledger.deleted
        needed = [self._home(name), *(where for where in decided.partitions if where[0] not in deleted)]
        return all(self.ghost.partition(topic, partition).can_commit for topic, partition in needed)

    def _close(self) -> None:
        for name, decided in self._decided.items():
            self._judge(name, decided)
            decided.able_ns = UNABLE

    def _judge(self, name: str, decided: _Decided) -> None:
        """Markers are written by leaders that brokers have to know of, and wait for followers that may be behind."""
        if decided.able_ns < 0:
            return
        ready_ns = self.ghost.calm.began_ns + self.deadlines.quorum_leader_ns() + self.deadlines.metadata_ns()
        allowed_ns = self.deadlines.whole_isr_ns() + SLACK_NS
        took_ns = self.now_ns - max(ready_ns, decided.able_ns, decided.since_ns)
        if took_ns > allowed_ns:
            touched = [TopicPartition(*where) for where in decided.partitions]
            marked = [where for where in touched if self.ledger.excuse((MARKED,), where)]
            self.L13.violated(
                f"a transaction was {decided.state} for {took_ns // MS} ms with all its partitions at work; "
                f"{allowed_ns // MS} ms are allowed",
                decided.event,
                scope=marked[0] if marked else self._home(name),
            )
