"""Invariants of the trace itself: without them no other verdict means anything."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from cluster.invariants.group import Group, before, invariant
from cluster.model import events as ev
from cluster.model import exit_codes
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId

FROM_OUTSIDE = "A15"
PROCESSES = "processes"
EXCUSES: dict[int, tuple[str, ...]] = {
    exit_codes.HALTED: ("A4", "A1", "A10"),
    **dict.fromkeys(exit_codes.ENDED_BY_OTHERS, (FROM_OUTSIDE,)),
}
"""Ends that are right once an assumption is broken, by exit code.

A broker that may not go on under the old truncation rule halts (Kafka 0.10 ReplicaFetcherThread), and so does a node
that is told to cut what it knows to be committed (Kafka KafkaMetadataLog.truncateToEndOffset). A crash is never right.
"""
Counted: TypeAlias = (
    ev.LeaderElected
    | ev.BecameLeader
    | ev.MetadataTruncated
    | ev.ReplicaTruncated
    | ev.IsrCommitted
    | ev.OperationSucceeded
    | ev.FaultApplied
)
COUNTED: dict[type, str] = {
    ev.LeaderElected: "elections",
    ev.BecameLeader: "partition leaders",
    ev.MetadataTruncated: "truncations",
    ev.ReplicaTruncated: "truncations",
    ev.IsrCommitted: "ISR changes",
    ev.OperationSucceeded: "acknowledged operations",
    ev.FaultApplied: "faults",
}
"""What T8 counts. Leaders and ISRs count as soon as a controller has decided on them: a run may end before the brokers
have heard of the last one."""
LEADERS, ISR_CHANGES = COUNTED[ev.BecameLeader], COUNTED[ev.IsrCommitted]
COUNTED_WORDS = frozenset(COUNTED.values())
"""What a minimum may ask for."""


class TraceInvariants(Group):
    """Judges T1 to T5 and T8."""

    T1 = invariant("each node numbers its events without gaps", "the trace format")
    T2 = invariant("a process that has ended says nothing more", "the trace format")
    T3 = invariant("each cause is in the trace", "the trace format")
    T4 = invariant("each fault was injected, came into force, and was reverted or lasted", "the fault catalogue")
    T5 = invariant("each end of a process is explained", "the fault catalogue")
    T8 = invariant("enough has happened to judge (asked where a lesson is played)", "the lesson's own minimum")

    def begin(self) -> None:
        self._injected: dict[int, EventId] = {}
        self._open: dict[int, EventId] = {}
        self._exits: dict[tuple[NodeId, int], tuple[int, EventId]] = {}
        self._explained: set[tuple[NodeId, int]] = set()
        self._counts: Counter[str] = Counter()
        self._decided: Counter[str] = Counter()
        self._states: dict[tuple[str, int], ev.PartitionDecided] = {}
        """As last decided, by topic and partition."""
        self._has_ended = False

    def finish(self) -> None:
        """What needs the whole trace."""
        passage = self.ghost.passage
        self.T1.checks += passage.entry_count
        for event, due in passage.gaps:
            self.T1.violated(f"node {event.node} numbered an event {event.seq} where {due} was due", event)
        self.T3.checks += passage.caused_count
        if passage.unfounded:
            self.T3.is_open = True
        for event, cause in passage.orphans:
            self.T3.violated(
                f"an event of node {event.node} names a cause of node {cause.node} that is not in the trace",
                event,
                cause,
            )
        self.T2.checks += len(self._exits)
        for (node, incarnation), (exit_t_ns, exited) in self._exits.items():
            seq, t_ns = passage.last.get((node, incarnation), (-1, -1))
            if t_ns > exit_t_ns:
                self.T2.violated(
                    f"node {node} said something after its process had ended", EventId(node, incarnation, seq), exited
                )
        if self._has_ended:
            for number, injected in self._open.items():
                self.T4.violated(
                    f"fault {number} was injected; it neither came into force nor was it taken back", injected
                )
        wanted = self.minimum
        seen = self._counts | self._decided  # the larger of both
        if wanted and all(seen[what] >= count for what, count in wanted.items()):
            self.T8.checks += len(wanted)

    @before
    def _count(self, _entry: Entry, event: Counted) -> None:
        self._counts[COUNTED[type(event)]] += 1

    @before
    def _count_decided(self, _entry: Entry, event: ev.PartitionDecided) -> None:
        before = self._states.get((event.topic, event.partition))
        self._states[event.topic, event.partition] = event
        if event.leader >= 0 and (before is None or event.leader_epoch > before.leader_epoch):
            self._decided[LEADERS] += 1
        if before is not None and event.isr != before.isr:
            self._decided[ISR_CHANGES] += 1

    @before
    def _fault_injected(self, entry: Entry, event: ev.FaultInjected) -> None:
        self._injected[event.fault_id] = self._open[event.fault_id] = entry.id

    @before
    def _fault_applied(self, entry: Entry, event: ev.FaultApplied) -> None:
        self._settle(entry, event.fault_id, "came into force")

    @before
    def _fault_reverted(self, entry: Entry, event: ev.FaultReverted) -> None:
        self._settle(entry, event.fault_id, "was reverted")

    def _settle(self, entry: Entry, number: int, what: str) -> None:
        self.T4.checks += 1
        self._open.pop(number, None)
        if number not in self._injected:
            self.T4.violated(f"fault {number} {what} and was never injected", entry)

    @before
    def _rejected(self, _entry: Entry, _event: ev.CommandRejected) -> None:
        self._open.clear()  # a command that failed half-way says so; commands come one at a time

    @before
    def _storage_error(self, entry: Entry, _event: ev.StorageError) -> None:
        self._explained.add((entry.node, entry.incarnation))

    @before
    def _process_started(self, entry: Entry, event: ev.ProcessStarted) -> None:
        node = self.ghost.nodes[event.node_id]
        self.T5.checks += 1
        if node.is_running:
            self.T5.violated(f"node {event.node_id} was started again before its process had ended", entry)

    @before
    def _state_changed(self, entry: Entry, event: ev.BrokerStateChanged) -> None:
        """A broker that gives up its registration leaves by itself, and says so. Source: BrokerLifecycleManager."""
        if event.state == "shutting_down":
            self._explained.add((entry.node, entry.incarnation))

    @before
    def _process_exited(self, entry: Entry, event: ev.ProcessExited) -> None:
        start = (event.node_id, event.incarnation_number)
        self._exits[start] = (entry.t_ns, entry.id)
        self.T5.checks += 1
        # A node whose trace is on the full disk too cannot say so in any other way.
        storage_failed = event.exit_code == exit_codes.STORAGE_FAILED
        if event.expected or start in self._explained or storage_failed:
            return
        if event.exit_code in exit_codes.ENDED_BY_OTHERS and self.ghost.world == PROCESSES:
            self.ledger.breaks(
                FROM_OUTSIDE, entry.id, f"somebody outside of the lab ended the process of node {event.node_id}"
            )
        how = f"with code {event.exit_code}" if event.exit_code >= 0 else f"by signal {-event.exit_code}"
        self.T5.violated(
            f"the process of node {event.node_id} ended {how}; neither a command, its disk nor itself told why",
            entry,
            assumptions=EXCUSES.get(event.exit_code, ()),
        )

    @before
    def _run_ended(self, _entry: Entry, _event: ev.RunEnded) -> None:
        self._has_ended = True
