"""Invariants of the trace itself: without them no other verdict means anything."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model import exit_codes
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NodeId

RULES = (
    Invariant("T1", "each node numbers its events without gaps", "the trace format", ()),
    Invariant("T2", "a process that has ended says nothing more", "the trace format", ()),
    Invariant("T3", "each cause is in the trace", "the trace format", ()),
    Invariant("T4", "each fault was injected, came into force, and was reverted or lasted", "the fault catalogue", ()),
    Invariant("T5", "each end of a process is explained", "the fault catalogue", ()),
    Invariant("T8", "enough has happened to judge (asked where a lesson is played)", "the lesson's own minimum", ()),
)
EXCUSES: dict[int, tuple[str, ...]] = {exit_codes.HALTED: ("A4", "A1")}
"""Ends that are right once an assumption is broken, by exit code.

A broker that may not go on under the old truncation rule halts (Kafka 0.10 ReplicaFetcherThread), and so does a node
that is told to cut what it knows to be committed (Kafka KafkaMetadataLog.truncateToEndOffset). A crash is never right.
"""
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


class TraceInvariants:
    """Judges T1 to T5 and T8."""

    invariants: ClassVar[tuple[Invariant, ...]] = RULES

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost = ghost
        self._report = report
        self._injected: dict[int, EventId] = {}
        self._open: dict[int, EventId] = {}
        self._exits: dict[tuple[NodeId, int], tuple[int, EventId]] = {}
        self._explained: set[tuple[NodeId, int]] = set()
        self._counts: Counter[str] = Counter()
        self._decided: Counter[str] = Counter()
        self._states: dict[tuple[str, int], ev.PartitionDecided] = {}
        """As last decided, by topic and partition."""
        self._has_ended = False

    def before(self) -> Handlers:
        """Events of the lab, and all that T8 counts."""
        counted = dict.fromkeys(COUNTED, self._count)
        return {
            **counted,
            ev.PartitionDecided: self._count_decided,
            ev.FaultInjected: self._fault_injected,
            ev.FaultApplied: self._fault_applied,
            ev.FaultReverted: self._fault_reverted,
            ev.CommandRejected: self._rejected,
            ev.StorageError: self._storage_error,
            ev.BrokerStateChanged: self._state_changed,
            ev.ProcessStarted: self._process_started,
            ev.ProcessExited: self._process_exited,
            ev.RunEnded: self._run_ended,
        }

    def after(self) -> Handlers:
        """Nothing."""
        return {}

    def finish(self) -> None:
        """What needs the whole trace."""
        passage, report = self._ghost.passage, self._report
        report.checked("T1", passage.entry_count)
        for event, due in passage.gaps:
            sentence = f"node {event.node} numbered an event {event.seq} where {due} was due"
            report.violated("T1", sentence, (event,))
        report.checked("T3", passage.caused_count)
        if passage.unfounded:
            report.undecided("T3")
        for event, cause in passage.orphans:
            sentence = f"an event of node {event.node} names a cause of node {cause.node} that is not in the trace"
            report.violated("T3", sentence, (event, cause))
        report.checked("T2", len(self._exits))
        for (node, incarnation), (exit_t_ns, exited) in self._exits.items():
            seq, t_ns = passage.last.get((node, incarnation), (-1, -1))
            if t_ns > exit_t_ns:
                sentence = f"node {node} said something after its process had ended"
                report.violated("T2", sentence, (EventId(node, incarnation, seq), exited))
        if self._has_ended:
            for number, injected in self._open.items():
                sentence = f"fault {number} was injected; it neither came into force nor was it taken back"
                report.violated("T4", sentence, (injected,))
        wanted = report.minimum
        seen = self._counts | self._decided  # the larger of both
        if wanted and all(seen[what] >= count for what, count in wanted.items()):
            report.checked("T8", len(wanted))

    def _count(self, _entry: Entry, event: object) -> None:
        self._counts[COUNTED[type(event)]] += 1

    def _count_decided(self, _entry: Entry, event: ev.PartitionDecided) -> None:
        before = self._states.get((event.topic, event.partition))
        self._states[event.topic, event.partition] = event
        if event.leader >= 0 and (before is None or event.leader_epoch > before.leader_epoch):
            self._decided[LEADERS] += 1
        if before is not None and event.isr != before.isr:
            self._decided[ISR_CHANGES] += 1

    def _fault_injected(self, entry: Entry, event: ev.FaultInjected) -> None:
        self._injected[event.fault_id] = self._open[event.fault_id] = entry.id

    def _fault_applied(self, entry: Entry, event: ev.FaultApplied) -> None:
        self._count(entry, event)
        self._settle(entry, event.fault_id, "came into force")

    def _fault_reverted(self, entry: Entry, event: ev.FaultReverted) -> None:
        self._settle(entry, event.fault_id, "was reverted")

    def _settle(self, entry: Entry, number: int, what: str) -> None:
        self._report.checked("T4")
        self._open.pop(number, None)
        if number not in self._injected:
            self._report.violated("T4", f"fault {number} {what} and was never injected", (entry.id,))

    def _rejected(self, _entry: Entry, _event: ev.CommandRejected) -> None:
        self._open.clear()  # a command that failed half-way says so; commands come one at a time

    def _storage_error(self, entry: Entry, _event: ev.StorageError) -> None:
        self._explained.add((entry.node, entry.incarnation))

    def _process_started(self, entry: Entry, event: ev.ProcessStarted) -> None:
        node = self._ghost.node(event.node_id)
        self._report.checked("T5")
        if node.is_running:
            sentence = f"node {event.node_id} was started again before its process had ended"
            self._report.violated("T5", sentence, (entry.id,))

    def _state_changed(self, entry: Entry, event: ev.BrokerStateChanged) -> None:
        """A broker that gives up its registration leaves by itself, and says so. Source: BrokerLifecycleManager."""
        if event.state == "shutting_down":
            self._explained.add((entry.node, entry.incarnation))

    def _process_exited(self, entry: Entry, event: ev.ProcessExited) -> None:
        start = (event.node_id, event.incarnation_number)
        self._exits[start] = (entry.t_ns, entry.id)
        self._report.checked("T5")
        # A node whose trace is on the full disk too cannot say so in any other way.
        storage_failed = event.exit_code == exit_codes.STORAGE_FAILED
        if event.expected or start in self._explained or storage_failed:
            return
        how = f"with code {event.exit_code}" if event.exit_code >= 0 else f"by signal {-event.exit_code}"
        sentence = f"the process of node {event.node_id} ended {how}; neither a command, its disk nor itself told why"
        self._report.violated("T5", sentence, (entry.id,), scope=METADATA, assumptions=EXCUSES.get(event.exit_code, ()))

    def _run_ended(self, _entry: Entry, _event: ev.RunEnded) -> None:
        self._has_ended = True
