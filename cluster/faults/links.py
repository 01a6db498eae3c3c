"""Network commands as link faults, and node names as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, permutations
from typing import Any

from msgspec import Struct
from msgspec.structs import fields, replace

from cluster.faults.catalogue import Command, Cut, CutLinks, Delay, Isolate, NodeName, Partition, SlowLink
from cluster.faults.judge import CutLink, DelayedLink, LimitedLink, LinkFault, UnkindLink
from cluster.faults.simulated import DuplicateMessages, LoseMessages, ReorderMessages, UnkindCommand
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId

Find = Callable[[NodeName], NodeId]


def resolve(command: Command, find: Find) -> Command:
    """The command with every node as a number. What `find` raises goes through."""
    changed = {item.name: _resolved(getattr(command, item.name), find) for item in fields(command)}
    changed = {name: value for name, value in changed.items() if value is not None}
    found: Command = replace(command, **changed)
    return found


def _resolved(value: Any, find: Find) -> Any:
    """The value with names resolved; None when it names no node."""
    if isinstance(value, NodeName):
        return NodeName(find(value)) if value.part else value
    if isinstance(value, Struct):
        return resolve(value, find)  # type: ignore[arg-type]  # a command within a command
    if isinstance(value, tuple) and value:
        parts = [_resolved(part, find) for part in value]
        return None if None in parts else tuple(parts)
    return None


def link_faults(command: Command, nodes: Iterable[NodeId], fault_id: int = 0) -> tuple[LinkFault, ...]:
    """The link faults that a resolved network command stands for; empty for any other command."""
    match command:
        case Partition(groups):
            pairs = [
                (one.node_id, other.node_id)
                for first, second in combinations(groups, 2)
                for one in first
                for other in second
            ]
            return _cuts(pairs, fault_id)
        case Isolate(node):
            return _cuts([(node.node_id, other) for other in sorted(nodes) if other != node.node_id], fault_id)
        case Cut(source, target, both_ways):
            ways = _ways(source, target, both_ways=both_ways)
            return tuple(CutLink(source=a, target=b, fault_id=fault_id) for a, b in ways)
        case CutLinks(links):
            return tuple(CutLink(source=a.node_id, target=b.node_id, fault_id=fault_id) for a, b in links)
        case Delay(source, target, both_ways, delay_ms, jitter_ms):
            return tuple(
                DelayedLink(source=a, target=b, delay_ms=delay_ms, jitter_ms=jitter_ms, fault_id=fault_id)
                for a, b in _ways(source, target, both_ways=both_ways)
            )
        case SlowLink(source, target, both_ways, rate):
            return tuple(
                LimitedLink(source=a, target=b, bytes_per_second=rate, fault_id=fault_id)
                for a, b in _ways(source, target, both_ways=both_ways)
            )
        case LoseMessages() | DuplicateMessages() | ReorderMessages():
            return _unkind(command, nodes, fault_id)
        case _:
            return ()


def _unkind(command: UnkindCommand, nodes: Iterable[NodeId], fault_id: int) -> tuple[LinkFault, ...]:
    """Between two nodes, or between all of them and the clients."""
    if command.link:
        ways: Iterable[tuple[NodeId, NodeId]] = _ways(*command.link, both_ways=command.both_ways)
    else:
        ways = permutations((*sorted(nodes), FIRST_CLIENT_ID), 2)
    match command:
        case LoseMessages(percent=percent):
            told = {"lost": percent}
        case DuplicateMessages(percent=percent):
            told = {"doubled": percent}
        case ReorderMessages(percent=percent, late_ms=late_ms):
            told = {"overtaken": percent, "late_ms": late_ms}
    return tuple(UnkindLink(source=a, target=b, fault_id=fault_id, **told) for a, b in ways)


def _ways(source: NodeName, target: NodeName, *, both_ways: bool) -> tuple[tuple[NodeId, NodeId], ...]:
    there = (source.node_id, target.node_id)
    return (there, there[::-1]) if both_ways else (there,)


def _cuts(pairs: Iterable[tuple[NodeId, NodeId]], fault_id: int) -> tuple[LinkFault, ...]:
    return tuple(
        CutLink(source=a, target=b, fault_id=fault_id) for one, other in pairs for a, b in ((one, other), (other, one))
    )
