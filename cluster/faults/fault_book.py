"""Which faults are in force, what undoes them, and what they mean for links, disks, clocks and clients."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from cluster.faults.disks import DISK_FAULTS
from cluster.faults.effects_on_links import to_plain
from cluster.faults.fault import ClientFault, ClockFault, DiskFault, Fault
from cluster.faults.links import Reset
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId


class Injected(Struct, frozen=True):
    """One fault that was injected."""

    fault_id: int
    """Unique in the run, from 1."""
    command: Fault
    """With nodes as numbers."""
    nodes: tuple[NodeId, ...] = ()
    """Whose process, disk, clock or clients it is about."""
    links: tuple[tuple[NodeId, NodeId], ...] = ()
    """Sender and receiver of each direction between nodes that it is about."""

    def told(self) -> dict[str, Any]:
        """The fields of its events."""
        command = self.command
        return {
            "fault_id": self.fault_id,
            "kind": command.kind,
            "arguments": command.arguments,
            "family": command.family,
            "nodes": self.nodes,
            "links": self.links,
            "parameters": command.parameters,
        }

    def __str__(self) -> str:
        return f"{self.fault_id} {self.command}"


class FaultBook:
    """Faults in force, oldest first."""

    __slots__ = ("_count", "_in_force")

    def __init__(self, count: int = 0) -> None:
        """`count`: faults that the run has seen before."""
        self._count = count
        self._in_force: dict[int, Injected] = {}

    def __iter__(self) -> Any:
        return iter(list(self._in_force.values()))

    def __len__(self) -> int:
        return len(self._in_force)

    def open(self, command: Fault, nodes: tuple[NodeId, ...] = ()) -> Injected:
        """Number a fault that is about to be injected. `nodes` are all of the run."""
        ways = [(rule.source, rule.target) for rule in command.rules(nodes)]
        if isinstance(command, Reset):
            ways = list(command.link.ways())
        links = tuple((source, target) for source, target in ways if max(source, target) < FIRST_CLIENT_ID)
        return Injected(self.number(), command, command.nodes, links)

    def number(self) -> int:
        """The next number, for a fault that no command takes back."""
        self._count += 1
        return self._count

    def add(self, fault: Injected) -> None:
        """It is in force now."""
        self._in_force[fault.fault_id] = fault

    def remove(self, fault: Injected) -> None:
        """It is no longer."""
        self._in_force.pop(fault.fault_id, None)

    def get(self, fault_id: int) -> Injected | None:
        """One in force; None when there is none of that number."""
        return self._in_force.get(fault_id)

    def newest(self) -> Injected | None:
        """The one that undo takes back."""
        return next(reversed(self._in_force.values()), None)

    def find(self, kinds: tuple[type, ...], node: NodeId | None = None) -> list[Injected]:
        """Those of some kinds, about one node when given."""
        return [
            fault
            for fault in self._in_force.values()
            if isinstance(fault.command, kinds) and (node is None or node in fault.nodes)
        ]

    def rules(self, nodes: tuple[NodeId, ...]) -> list[dict[str, Any]]:
        """Every link fault in force, as the nodes are told."""
        return [
            to_plain(rule) for fault in self._in_force.values() for rule in fault.command.rules(nodes, fault.fault_id)
        ]

    def disk(self, node: NodeId) -> dict[str, Any]:
        """What the disk of one node is told."""
        order: dict[str, Any] = {kind.flag: False for kind in DISK_FAULTS if kind.flag}
        order |= {"slow_ms": 0, "budget_bytes": None}
        for command in self._about(node):
            if isinstance(command, DiskFault):
                command.add_to(order)
        return order

    def client_faults(self, node: NodeId) -> dict[str, Any]:
        """What one broker does to its Kafka clients."""
        order: dict[str, Any] = {"drop": 0.0, "slow_ms": 0, "cut": False}
        for command in self._about(node):
            if isinstance(command, ClientFault):
                command.add_to(order)
        return order

    def clock(self, node: NodeId) -> tuple[int, int]:
        """How far a node's wall clock is off in milliseconds, and by how many percent its clocks are too fast."""
        shifts = [command.off() for command in self._about(node) if isinstance(command, ClockFault)]
        return sum(offset_ms for offset_ms, _ in shifts), sum(percent for _, percent in shifts)

    def _about(self, node: NodeId) -> list[Fault]:
        return [item.command for item in self.find((Fault,), node)]
