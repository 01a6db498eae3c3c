"""The timers that decide about leadership, as they run on each node. Folded from raft.timer_set and from heartbeats.

state.timers.of(node, now_ns)       those that run on a node, as they were set last by then
timer.left_ms(now_ns)               until it runs out
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.entry import Entry, EventId
from cluster.model.events import TimerSet, TrafficSeen
from cluster.model.identifiers import NodeId
from cluster.picture.part import Part

STARTS_MAX = 16
"""Starts of timers kept for each node, the newest: who draws the time before now needs some of the past."""
HEARTBEAT, SESSION = "BrokerHeartbeatRequest", "session"
TIMERS = {"follower": "fetch", "leader": "check_quorum"}
"""Role to the timer it has; the others wait for an election."""
NS_PER_MS = 1_000_000


class RunningTimer(NamedTuple):
    """A timer that was set and has not been cancelled."""

    name: str
    """fetch, check_quorum, election; session for a broker, as the active controller counts it."""
    started_ns: int
    length_ms: int
    """As it was drawn."""
    told_by: EventId

    def left_ms(self, now_ns: int) -> int:
        """Until it runs out; 0 when it has."""
        return max(0, self.length_ms - (now_ns - self.started_ns) // NS_PER_MS)


@dataclass(slots=True)
class Timers(Part):
    """The timers that decide about leadership, of all nodes."""

    starts: dict[NodeId, tuple[RunningTimer, ...]] = field(default_factory=dict)
    """The newest of each node, oldest first."""
    session_ms: int = 0
    """How long a broker's session lasts; 0 when the run did not say."""

    def of(self, node: NodeId, now_ns: int | None = None) -> list[RunningTimer]:
        """Those that run on a node, each as it was started last by now_ns; by name."""
        timers: dict[str, RunningTimer] = {}
        for timer in self.starts.get(node, ()):
            if now_ns is None or timer.started_ns <= now_ns:
                timers[timer.name] = timer
        return [timers[name] for name in sorted(timers)]

    def run_started(self, config: str) -> None:
        """How long a session lasts stands in the settings of the run; untrusted text."""
        try:
            self.session_ms = int(json.loads(config)["broker_session_timeout_ms"])
        except (ValueError, TypeError, KeyError, RecursionError):
            self.session_ms = 0

    def timer_set(self, entry: Entry, event: TimerSet) -> None:
        """It begins anew."""
        self._start(entry.node, RunningTimer(event.timer, entry.t_ns, event.length_ms, entry.id))

    def heartbeats_heard(self, entry: Entry, event: TrafficSeen) -> None:
        """Sessions begin anew with each heartbeat that the active controller hears."""
        for source, kind, _, _, _, delivered_ns, _, _, _ in event.heard:
            if kind == HEARTBEAT and self.session_ms:
                self._start(source, RunningTimer(SESSION, delivered_ns, self.session_ms, entry.id))

    def _start(self, node: NodeId, timer: RunningTimer) -> None:
        self.starts[node] = (*self.starts.get(node, ()), timer)[-STARTS_MAX:]

    def role_changed(self, node: NodeId, role: str) -> None:
        """A role ends the timers of the others."""
        wanted = TIMERS.get(role, "election"), SESSION
        self.starts[node] = tuple(timer for timer in self.starts.get(node, ()) if timer.name in wanted)

    def node_ended(self, node: NodeId) -> None:
        """With a process all its timers end; its session goes on until the controller says that it is over."""
        self.starts[node] = tuple(timer for timer in self.starts.get(node, ()) if timer.name == SESSION)

    def broker_fenced(self, broker: NodeId) -> None:
        """Its session is over."""
        self.starts[broker] = tuple(timer for timer in self.starts.get(broker, ()) if timer.name != SESSION)
