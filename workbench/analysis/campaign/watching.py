"""Folds over the events of one run: elections, service of the partition, commits, what producers heard.

Each keeps to the definitions of the tables (workbench.analysis.tables); a test holds them against each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.picture.parts import STOPPING
from workbench.analysis.campaign.plan import TOPIC

Handlers = dict[type, Callable[[Entry, Any], None]]


class Elections:
    """Epochs that were asked for since `from_ns`, and the time in which nobody led the quorum."""

    def __init__(self) -> None:
        self.from_ns = 0
        """Nothing before counts."""
        self.leaderless_ns = 0
        """So far; a vacancy that lasts is added by close."""
        self._asked: dict[int, set[NodeId]] = {}
        self._won: set[int] = set()
        self._offices: set[NodeId] = set()
        self._vacant_ns: int | None = None

    def handlers(self) -> Handlers:
        """What it looks at."""
        return {
            ev.ElectionStarted: self._on_asked,
            ev.LeaderElected: self._on_elected,
            ev.RoleChanged: self._on_role,
            ev.ProcessExited: self._on_exit,
        }

    @property
    def count(self) -> int:
        """Epochs with binding votes."""
        return len(self._asked)

    @property
    def splits(self) -> int:
        """Of these, those that several asked for and nobody won."""
        return sum(len(asked) > 1 and epoch not in self._won for epoch, asked in self._asked.items())

    def open(self, now_ns: int) -> None:
        """Count from here on."""
        self.from_ns, self.leaderless_ns = now_ns, 0
        self._asked.clear()
        if not self._offices:
            self._vacant_ns = now_ns

    def close(self, now_ns: int) -> None:
        """Nothing after counts."""
        if self._vacant_ns is not None:
            self.leaderless_ns += now_ns - self._vacant_ns
            self._vacant_ns = None

    def _on_asked(self, entry: Entry, event: ev.ElectionStarted) -> None:
        if not event.pre_vote:
            self._asked.setdefault(event.epoch, set()).add(entry.node)

    def _on_elected(self, entry: Entry, event: ev.LeaderElected) -> None:
        self._won.add(event.epoch)
        self._offices.add(entry.node)
        self.close(entry.t_ns)

    def _on_role(self, entry: Entry, event: ev.RoleChanged) -> None:
        if event.role != "leader":
            self._left(entry.node, entry.t_ns)

    def _on_exit(self, entry: Entry, event: ev.ProcessExited) -> None:
        self._left(event.node_id, entry.t_ns)

    def _left(self, node: NodeId, now_ns: int) -> None:
        if node in self._offices:
            self._offices.discard(node)
            if not self._offices:
                self._vacant_ns = now_ns


class Service:
    """For how long orders-0 took no acks=all write, by its committed state and by which processes were at work."""

    def __init__(self) -> None:
        self.no_acks_all_ns = self.under_min_isr_ns = 0
        """So far, both."""
        self._epoch = -1
        self._leader, self._is_thin = NO_NODE, False
        self._down: set[NodeId] = set()
        self._stopped: dict[int, tuple[NodeId, ...]] = {}
        self._since_ns = 0

    def handlers(self) -> Handlers:
        """What it looks at."""
        return {
            ev.PartitionApplied: self._on_applied,
            ev.ProcessExited: self._on_exit,
            ev.ProcessReady: self._on_ready,
            ev.FaultApplied: self._on_fault,
            ev.FaultReverted: self._on_reverted,
        }

    def open(self, now_ns: int) -> None:
        """Count from here on."""
        self.no_acks_all_ns = self.under_min_isr_ns = 0
        self._since_ns = now_ns

    def close(self, now_ns: int) -> None:
        """Add up what was so until now."""
        passed_ns, self._since_ns = now_ns - self._since_ns, now_ns
        if self._epoch < 0:
            return
        is_stopped = any(self._leader in nodes for nodes in self._stopped.values())
        is_away = self._leader == NO_NODE or self._leader in self._down or is_stopped
        is_thin = self._leader != NO_NODE and self._is_thin
        self.no_acks_all_ns += passed_ns * (is_away or is_thin)
        self.under_min_isr_ns += passed_ns * is_thin

    def _on_applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        if event.topic == TOPIC and event.partition_epoch > self._epoch:
            self.close(entry.t_ns)
            self._epoch, self._leader = event.partition_epoch, event.leader
            self._is_thin = len(event.isr) < event.min_insync_replicas

    def _on_exit(self, entry: Entry, event: ev.ProcessExited) -> None:
        self.close(entry.t_ns)
        self._down.add(event.node_id)

    def _on_ready(self, entry: Entry, event: ev.ProcessReady) -> None:
        self.close(entry.t_ns)
        self._down.discard(event.node_id)

    def _on_fault(self, entry: Entry, event: ev.FaultApplied) -> None:
        if event.kind in STOPPING:
            self.close(entry.t_ns)
            self._stopped[event.fault_id] = event.nodes

    def _on_reverted(self, entry: Entry, event: ev.FaultReverted) -> None:
        if event.fault_id in self._stopped:
            self.close(entry.t_ns)
            del self._stopped[event.fault_id]


class Commits:
    """How long records wait for the high watermark of their leader, and how long it stands still."""

    def __init__(self, watched: str) -> None:
        self.longest_ns = 0
        self.waits_ns: list[int] = []
        """From append to commit, in order of commit."""
        self._watched = watched
        self._waiting: dict[NodeId, deque[tuple[int, int]]] = {}
        self._last_ns: int | None = None
        self._is_open = False

    def handlers(self) -> Handlers:
        """What it looks at."""
        if self._watched == "quorum":
            return {ev.MetadataAppended: self._on_append, ev.MetadataHighWatermarkAdvanced: self._on_commit}
        return {ev.ReplicaAppended: self._on_append, ev.HighWatermarkAdvanced: self._on_commit}

    @property
    def was_led(self) -> bool:
        """Whether anything was ever committed."""
        return self._last_ns is not None

    def open(self, now_ns: int) -> None:
        """Count from here on."""
        self._is_open, self.longest_ns = True, 0
        self.waits_ns.clear()
        if self._last_ns is not None:
            self._last_ns = now_ns

    def close(self, now_ns: int) -> None:
        """Nothing after counts."""
        if self._is_open and self._last_ns is not None:
            self.longest_ns = max(self.longest_ns, now_ns - self._last_ns)
        self._is_open = False

    def _on_append(self, entry: Entry, event: ev.MetadataAppended | ev.ReplicaAppended) -> None:
        if event.role == "leader":
            self._waiting.setdefault(entry.node, deque()).append((event.end_offset, entry.t_ns))
        else:
            self._waiting.pop(entry.node, None)

    def _on_commit(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced | ev.HighWatermarkAdvanced) -> None:
        if event.role != "leader":
            return
        waiting = self._waiting.get(entry.node)
        while waiting and waiting[0][0] <= event.high_watermark:
            begun_ns = waiting.popleft()[1]
            if self._is_open:
                self.waits_ns.append(entry.t_ns - begun_ns)
        if self._is_open and self._last_ns is not None:
            self.longest_ns = max(self.longest_ns, entry.t_ns - self._last_ns)
        self._last_ns = entry.t_ns


class Producers:
    """What producers asked for and were told."""

    def __init__(self, records: int) -> None:
        self.acknowledged: list[tuple[int, int, int]] = []
        """(base offset, count, crc) of what producers were told is written."""
        self.answers_ns: list[int] = []
        """Time to each acknowledgement, from the start of the run."""
        self.refused = self.unknown = 0
        self.longest_ns = 0
        """Between two acknowledgements while it counts."""
        self.invoked = 0
        self._records = records
        self._open: dict[tuple[str, int], int] = {}
        self._last_ns: int | None = None

    def handlers(self) -> Handlers:
        """What it looks at."""
        return {
            ev.OperationInvoked: self._on_invoked,
            ev.OperationSucceeded: self._on_succeeded,
            ev.OperationFailed: self._on_failed,
            ev.OperationUnknown: self._on_unknown,
        }

    @property
    def in_doubt(self) -> int:
        """Records that nobody was told about."""
        return self.unknown + len(self._open) * self._records

    def open(self, now_ns: int) -> None:
        """Silence counts from here on."""
        self.longest_ns, self._last_ns = 0, now_ns

    def close(self, now_ns: int) -> None:
        """Silence counts no longer."""
        if self._last_ns is not None:
            self.longest_ns = max(self.longest_ns, now_ns - self._last_ns)
            self._last_ns = None

    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        if event.function == "produce":
            self.invoked += 1
            self._open[event.client_id, event.operation_id] = entry.t_ns

    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        begun_ns = self._open.pop((event.client_id, event.operation_id), None)
        if begun_ns is None:
            return
        if event.base_offset < 0:
            self.unknown += self._records
            return
        crc = int(event.values[0], 16) if event.values and event.values[0] else -1
        self.acknowledged.append((event.base_offset, event.count, crc))
        self.answers_ns.append(entry.t_ns - begun_ns)
        if self._last_ns is not None:
            self.longest_ns = max(self.longest_ns, entry.t_ns - self._last_ns)
            self._last_ns = entry.t_ns

    def _on_failed(self, _entry: Entry, event: ev.OperationFailed) -> None:
        if self._open.pop((event.client_id, event.operation_id), None) is not None:
            self.refused += self._records

    def _on_unknown(self, _entry: Entry, event: ev.OperationUnknown) -> None:
        if self._open.pop((event.client_id, event.operation_id), None) is not None:
            self.unknown += self._records
