"""Whether consumer groups come to rest once a run is calm. Contract 2.6, L6."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.invariants.group import after, invariant
from cluster.invariants.liveness.deadlines import FORGOTTEN, MS
from cluster.invariants.liveness.in_calm import JudgedInCalm
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId

AT_REST = ("Stable", "Empty", "Dead")
KAFKA_SESSION_MS, KAFKA_REBALANCE_MS = 45_000, 300_000
"""session.timeout.ms and max.poll.interval.ms of a consumer that nobody has told of."""


@dataclass(slots=True)
class _Group:
    """One group as its newest coordinator tells it."""

    state: str
    since_ns: int
    """Since when it is not at rest; moved by each member that joins, which is waited for anew."""
    event: EventId
    """The newest word on it."""
    allowed_ms: int = 0
    """Longest session and rebalance timeout of its members together."""


class GroupRestInvariants(JudgedInCalm):
    """L6: a rebalance that is under way in calm ends in time. A quorum may forget the partition the group lives in."""

    L6 = invariant(
        "every group is stable, within session and rebalance timeout and 2 s", "GroupCoordinator", *FORGOTTEN
    )

    def begin(self) -> None:
        super().begin()
        self._groups: dict[str, _Group] = {}

    @after
    def _on_loaded(self, entry: Entry, event: ev.CoordinatorLoaded) -> None:
        """A new coordinator begins with groups at rest: it knows their members and waits for their heartbeats."""
        for name, _generation in event.groups:
            group = self._groups.get(name)
            self._groups[name] = _Group("Stable", entry.t_ns, entry.id, 0 if group is None else group.allowed_ms)

    @after
    def _on_joined(self, entry: Entry, event: ev.GroupMemberJoined) -> None:
        group = self._groups.setdefault(event.group, _Group("Empty", entry.t_ns, entry.id))
        group.since_ns = entry.t_ns
        group.allowed_ms = max(group.allowed_ms, event.session_timeout_ms + event.rebalance_timeout_ms)

    @after
    def _on_state(self, entry: Entry, event: ev.GroupStateChanged) -> None:
        self.now_ns = entry.t_ns
        group = self._groups.setdefault(event.group, _Group("Empty", entry.t_ns, entry.id))
        was_at_rest, group.state = group.state in AT_REST, event.state
        if was_at_rest:
            group.since_ns = max(group.since_ns, entry.t_ns) if event.state in AT_REST else entry.t_ns
        elif event.state in AT_REST and self.ghost.calm.is_calm:
            self.L6.checks += 1
            self._judge(group, (entry.id, group.event))
        group.event = entry.id

    def _judge(self, group: _Group, events: tuple[EventId, ...]) -> None:
        """Before a group can come to rest its coordinator has to lead, and to have its followers."""
        ready_ns = self.ghost.calm.began_ns + self.deadlines.quorum_leader_ns() + self.deadlines.whole_isr_ns()
        allowed_ms = group.allowed_ms or KAFKA_SESSION_MS + KAFKA_REBALANCE_MS
        took_ns = self.now_ns - max(ready_ns, group.since_ns)
        if took_ns > (allowed_ms + 2_000) * MS:
            what = f"a group was not at rest for {took_ns // MS} ms, its state was {group.state}"
            self.L6.violated(f"{what}; {allowed_ms + 2_000} ms are allowed", *events)

    def _close(self) -> None:
        for group in self._groups.values():
            if group.state not in AT_REST:
                self._judge(group, (group.event,))
