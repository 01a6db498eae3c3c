"""When a run is calm: every fault reverted and every process up. Liveness is measured from there. Contract 2.6."""

from __future__ import annotations

from typing import TypeAlias

from cluster.invariants.fault_kinds import ENDS
from cluster.invariants.watcher import Watcher, before
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId

CALM = -1
Turn: TypeAlias = (
    ev.FaultInjected | ev.FaultReverted | ev.ProcessStarted | ev.ProcessReady | ev.ProcessExited | ev.RunEnded
)
"""What may begin or end it."""


class Calm(Watcher):
    """Follows faults and processes. It is calm from the last of them on, until the next fault, exit or start."""

    def __init__(self, *, dead_disturb: bool = True) -> None:
        """`dead_disturb`: a node that is down keeps the run from being calm; else it only counts as gone."""
        self._dead_disturb = dead_disturb
        self._down: set[NodeId] = set()
        self.dead: set[NodeId] = set()
        """Nodes whose process has ended and was not started again."""
        self._in_force: dict[int, str] = {}
        self.roles: dict[NodeId, tuple[str, ...]] = {}
        """Of each node that was ever started."""
        self.since_ns = CALM
        """When it became calm; -1 while it is not."""
        self.began_ns = 0
        """When the newest calm began, which may be over; 0 when there was none."""
        self.event: EventId | None = None
        """What made it calm: the heal mark."""
        self.kinds: tuple[str, ...] = ()
        """Of the faults that are in force."""
        self.was_calm = False
        """As it was before the newest of these events."""

    @property
    def is_calm(self) -> bool:
        """Whether nothing disturbs the run."""
        return self.since_ns >= 0

    @property
    def is_over(self) -> bool:
        """Whether the newest of these events has ended it."""
        return self.was_calm and not self.is_calm

    @before
    def _note(self, _entry: Entry, _event: Turn) -> None:
        self.was_calm = self.is_calm

    @before
    def _injected(self, _entry: Entry, event: ev.FaultInjected) -> None:
        self._in_force[event.fault_id] = event.kind
        self._disturb()

    @before
    def _reverted(self, entry: Entry, event: ev.FaultReverted) -> None:
        self._in_force.pop(event.fault_id, None)
        self._look(entry)

    @before
    def _started(self, _entry: Entry, event: ev.ProcessStarted) -> None:
        self.roles[event.node_id] = event.roles
        self._down.add(event.node_id)
        self.dead.discard(event.node_id)
        self._disturb()

    @before
    def _ready(self, entry: Entry, event: ev.ProcessReady) -> None:
        self._down.discard(event.node_id)
        self._look(entry)

    @before
    def _exited(self, entry: Entry, event: ev.ProcessExited) -> None:
        self._down.add(event.node_id)
        self.dead.add(event.node_id)
        self._disturb()
        self._look(entry)

    @before
    def _ended(self, _entry: Entry, _event: ev.RunEnded) -> None:
        self._disturb()

    def _disturb(self) -> None:
        self.kinds = tuple(self._in_force.values())
        self.since_ns, self.event = CALM, None

    def _look(self, entry: Entry) -> None:
        self.kinds = tuple(self._in_force.values())
        if self.is_calm:
            return
        if self._dead_disturb:
            is_calm = not self._in_force and not self._down
        else:
            is_calm = self._down <= self.dead and all(kind in ENDS for kind in self.kinds)
        if is_calm:
            self.since_ns = self.began_ns = entry.t_ns
            self.event = entry.id
