"""Which faults are in force, what undoes them, and what they mean for links and disks."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from cluster.faults import catalogue as c
from cluster.faults import clients
from cluster.faults.catalogue import Command
from cluster.faults.commands import format_command
from cluster.faults.judge import to_plain
from cluster.faults.links import link_faults
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId, TopicPartition

UNKIND = (c.LoseMessages, c.DuplicateMessages, c.ReorderMessages)
NETWORK = (c.Partition, c.Cut, c.CutLinks, c.Isolate, c.Delay, c.SlowLink, *UNKIND)
DISK = (c.FsyncLie, c.FsyncLieDir, c.FsyncFail, c.FsyncSlow, c.DiskFull, c.Misread)
CLOCK = (c.SkewClock, c.DriftClock)
CLIENTS = clients.FAULTS
DOWN = (c.Kill, c.Stop, c.PowerLoss)


class Fault(Struct, frozen=True):
    """One fault that was injected."""

    fault_id: int
    """Unique in the run, from 1."""
    command: Command
    """With nodes as numbers."""
    nodes: tuple[NodeId, ...] = ()
    """Whose process, disk, clock or clients it is about."""
    links: tuple[tuple[NodeId, NodeId], ...] = ()
    """Sender and receiver of each direction between nodes that it is about."""

    @property
    def kind(self) -> str:
        """Class name, as in the trace."""
        return type(self.command).__name__

    @property
    def arguments(self) -> str:
        """What follows the verb in the grammar."""
        return arguments_of(self.command)

    def told(self) -> dict[str, Any]:
        """The fields of its events."""
        return {
            "fault_id": self.fault_id,
            "kind": self.kind,
            "arguments": self.arguments,
            "family": family_of(self.command),
            "nodes": self.nodes,
            "links": self.links,
            "parameters": parameters_of(self.command),
        }

    def __str__(self) -> str:
        return f"{self.fault_id} {format_command(self.command)}"


def arguments_of(command: Command) -> str:
    """What follows the verb: `3` of kill 3, `3 500ms` of fsync slow 3 500ms."""
    words = format_command(command).split()
    return " ".join(words[2:] if words[0] in ("fsync", "clock", "client") else words[1:])


def family_of(command: Command) -> str:
    """What it is about: process, disk, link, message, client or clock."""
    kinds = {"disk": (*DISK, c.Wipe, c.Tear, c.Rot), "message": UNKIND, "client": CLIENTS, "clock": CLOCK}
    links = (*NETWORK, c.Reset)
    found = next((family for family, of in kinds.items() if isinstance(command, of)), "")
    return found or ("link" if isinstance(command, links) else "process")


def parameters_of(command: Command) -> tuple[tuple[str, str], ...]:
    """Every field that names no node, as it is in an event."""
    given = ((name, getattr(command, name)) for name in command.__struct_fields__)
    return tuple((name, str(value)) for name, value in given if not _names_nodes(value))


def _names_nodes(value: Any) -> bool:
    if isinstance(value, tuple) and not isinstance(value, TopicPartition):
        return all(map(_names_nodes, value))
    return isinstance(value, c.NodeName)


def nodes_of(command: Command) -> tuple[NodeId, ...]:
    """The nodes a process or disk fault is about."""
    if isinstance(command, c.PowerLoss):
        return tuple(item.node_id for item in command.nodes)
    node = getattr(command, "node", None)
    return (node.node_id,) if isinstance(node, c.NodeName) else ()


class FaultBook:
    """Faults in force, oldest first."""

    __slots__ = ("_count", "_in_force")

    def __init__(self, count: int = 0) -> None:
        """`count`: faults that the run has seen before."""
        self._count = count
        self._in_force: dict[int, Fault] = {}

    def __iter__(self) -> Any:
        return iter(list(self._in_force.values()))

    def __len__(self) -> int:
        return len(self._in_force)

    def open(self, command: Command, nodes: tuple[NodeId, ...] = ()) -> Fault:
        """Number a fault that is about to be injected. `nodes` are all of the run."""
        ways = {(rule.source, rule.target): None for rule in link_faults(command, nodes)}
        if isinstance(command, c.Reset):
            first, second = command.first.node_id, command.second.node_id
            ways = {(first, second): None, (second, first): None}
        links = tuple((source, target) for source, target in ways if max(source, target) < FIRST_CLIENT_ID)
        return Fault(self.number(), command, nodes_of(command), links)

    def number(self) -> int:
        """The next number, for a fault that no command takes back."""
        self._count += 1
        return self._count

    def add(self, fault: Fault) -> None:
        """It is in force now."""
        self._in_force[fault.fault_id] = fault

    def remove(self, fault: Fault) -> None:
        """It is no longer."""
        self._in_force.pop(fault.fault_id, None)

    def get(self, fault_id: int) -> Fault | None:
        """One in force; None when there is none of that number."""
        return self._in_force.get(fault_id)

    def newest(self) -> Fault | None:
        """The one that undo takes back."""
        return next(reversed(self._in_force.values()), None)

    def find(self, kinds: tuple[type, ...], node: NodeId | None = None) -> list[Fault]:
        """Those of some kinds, about one node when given."""
        return [
            fault
            for fault in self._in_force.values()
            if isinstance(fault.command, kinds) and (node is None or node in nodes_of(fault.command))
        ]

    def rules(self, nodes: tuple[NodeId, ...]) -> list[dict[str, Any]]:
        """Every link fault in force, as the nodes are told."""
        return [
            to_plain(rule)
            for fault in self._in_force.values()
            for rule in link_faults(fault.command, nodes, fault.fault_id)
        ]

    def client_faults(self, node: NodeId) -> dict[str, Any]:
        """What one broker does to its Kafka clients."""
        told: dict[str, Any] = {"drop": 0.0, "slow_ms": 0, "cut": False}
        for fault in self.find(CLIENTS, node):
            match fault.command:
                case clients.ClientCut():
                    told["cut"] = True
                case clients.ClientSlow(delay_ms=delay_ms):
                    told["slow_ms"] += delay_ms
                case clients.ClientDropResponses(share=share):
                    told["drop"] = max(told["drop"], share)
        return told

    def disk(self, node: NodeId) -> dict[str, Any]:
        """What the disk of one node is told."""
        told: dict[str, Any] = {
            "lying": False,
            "lying_dir": False,
            "failing": False,
            "misreading": False,
            "slow_ms": 0,
            "budget_bytes": None,
        }
        for fault in self.find(DISK, node):
            match fault.command:
                case c.FsyncLie():
                    told["lying"] = True
                case c.FsyncLieDir():
                    told["lying_dir"] = True
                case c.Misread():
                    told["misreading"] = True
                case c.FsyncFail():
                    told["failing"] = True
                case c.FsyncSlow(delay_ms=delay_ms):
                    told["slow_ms"] += delay_ms
                case c.DiskFull(budget_bytes=budget_bytes):
                    before = told["budget_bytes"]
                    told["budget_bytes"] = budget_bytes if before is None else min(before, budget_bytes)
        return told

    def clock(self, node: NodeId) -> tuple[int, int]:
        """How far a node's wall clock is off in milliseconds, and by how many percent its clocks are too fast."""
        offset_ms = percent = 0
        for fault in self.find(CLOCK, node):
            match fault.command:
                case c.SkewClock(offset_ms=skew_ms):
                    offset_ms += skew_ms
                case c.DriftClock(percent=drift):
                    percent += drift
        return offset_ms, percent
