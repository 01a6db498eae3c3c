"""Commands about links and disks, and heal, undo, status. Source: spec faults F7-F15, F21."""

from __future__ import annotations

import asyncio

from cluster.faults import catalogue as c
from cluster.faults.fault_book import DISK, DOWN, NETWORK, Fault, nodes_of
from cluster.model.identifiers import NodeId
from cluster.runtime.lab_state import CommandRefused, LabState
from cluster.runtime.process_commands import undo_process

NetworkCommand = c.Partition | c.Cut | c.Isolate | c.Delay | c.SlowLink
DiskCommand = c.FsyncLie | c.FsyncSlow | c.DiskFull


async def network(lab: LabState, command: NetworkCommand) -> str:
    """Put a link fault in force at both ends; a paused end is covered by the other."""
    fault, cause = lab.inject(command)
    lab.book.add(fault)
    _must_obey(await _tell_links(lab), f"{fault} is not confirmed, heal {fault.fault_id} takes it back")
    lab.applied(fault, cause)
    return f"in force: {fault}"


async def reset(lab: LabState, command: c.Reset) -> str:
    """Break the connections between two nodes once."""
    first, second = command.first.node_id, command.second.node_id
    fault, cause = lab.inject(command)
    ends = [(node, peer) for node, peer in ((first, second), (second, first)) if node in lab.supervisor.nodes]
    orders = [lab.supervisor.nodes[node].order({"do": "reset", "peer": peer}) for node, peer in ends]
    if not any(not why for why in await asyncio.gather(*orders)):
        lab.reverted(fault)
        raise CommandRefused(f"neither node {first} nor node {second} could reset the connection")
    lab.applied(fault, cause)
    lab.reverted(fault)
    return f"connections between {first} and {second} are reset"


async def disk(lab: LabState, command: DiskCommand) -> str:
    """Make a node's disk misbehave."""
    node = command.node.node_id
    fault, cause = lab.inject(command)
    for older in lab.book.find((type(command),), node):
        lab.reverted(older)
    lab.book.add(fault)
    _must_obey(await _tell_disk(lab, node), f"{fault} is not confirmed, heal {fault.fault_id} takes it back")
    lab.applied(fault, cause)
    return f"in force: {fault}"


async def disk_ok(lab: LabState, command: c.FsyncOk | c.DiskOk) -> str:
    """The disk behaves again."""
    node = command.node.node_id
    kinds = (c.DiskFull,) if isinstance(command, c.DiskOk) else (c.FsyncLie, c.FsyncSlow)
    found = lab.book.find(kinds, node)
    if not found:
        raise CommandRefused(f"nothing is wrong with the disk of node {node}")
    for fault in found:
        lab.reverted(fault)
    _must_obey(await _tell_disk(lab, node), f"the disk of node {node} may misbehave still")
    return f"the disk of node {node} behaves again"


async def heal(lab: LabState, command: c.Heal) -> str:
    """Undo one fault, or all but ended processes."""
    if command.fault_id is not None:
        fault = lab.book.get(command.fault_id)
        if fault is None:
            known = ", ".join(str(item.fault_id) for item in lab.book) or "none"
            raise CommandRefused(f"no fault {command.fault_id} is in force; there are: {known}")
        return await _undo(lab, fault)
    found = [fault for fault in lab.book if not isinstance(fault.command, DOWN)]
    for fault in found:
        await _undo(lab, fault)
    down = sorted({node for fault in lab.book.find(DOWN) for node in nodes_of(fault.command)})
    left = f"; down until started: {', '.join(map(str, down))}" if down else ""
    return f"{len(found)} faults healed{left}"


async def undo(lab: LabState, _command: c.Undo) -> str:
    """Undo the newest fault in force."""
    fault = lab.book.newest()
    if fault is None:
        raise CommandRefused("no fault is in force")
    return await _undo(lab, fault)


async def status(lab: LabState, _command: c.Status) -> str:
    """What runs and which faults are in force, in one line."""
    running = [
        f"{node}{' paused' if handle.is_paused else ''}" for node, handle in sorted(lab.supervisor.nodes.items())
    ]
    down = [str(node) for node in sorted(lab.facts.nodes) if node not in lab.supervisor.nodes]
    faults = "; ".join(str(fault) for fault in lab.book) or "none"
    return f"running: {', '.join(running) or 'none'} | down: {', '.join(down) or 'none'} | faults: {faults}"


async def _undo(lab: LabState, fault: Fault) -> str:
    if isinstance(fault.command, NETWORK):
        lab.reverted(fault)
        _must_obey(await _tell_links(lab), f"{fault} may be in force still")
        return f"healed: {fault}"
    if isinstance(fault.command, DISK):
        lab.reverted(fault)
        _must_obey(await _tell_disk(lab, nodes_of(fault.command)[0]), f"{fault} may be in force still")
        return f"healed: {fault}"
    return await undo_process(lab, fault)


async def _tell_links(lab: LabState) -> dict[NodeId, str]:
    """Which nodes did not obey, and why."""
    return await lab.supervisor.order_all({"do": "links", "rules": lab.book.rules(lab.facts.nodes)})


async def _tell_disk(lab: LabState, node: NodeId) -> dict[NodeId, str]:
    """The node, when it did not obey; one that is down or paused hears of it later."""
    handle = lab.supervisor.nodes.get(node)
    if handle is None or handle.is_paused:
        return {}
    why = await handle.order({"do": "disk", **lab.book.disk(node)})
    return {node: why} if why and not handle.exited.done() else {}


def _must_obey(failed: dict[NodeId, str], meaning: str) -> None:
    if failed:
        reasons = "; ".join(f"node {node}: {why}" for node, why in sorted(failed.items()))
        raise CommandRefused(f"{meaning}: {reasons}")
