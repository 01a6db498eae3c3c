"""Commands about processes: kill, stop, start, pause, power loss, and their undoing. Source: spec faults F1-F6."""

from __future__ import annotations

import asyncio

from cluster.faults import catalogue as c
from cluster.faults.fault_book import DOWN, Fault, nodes_of
from cluster.model.events import PowerLost
from cluster.model.identifiers import NodeId
from cluster.runtime.lab_state import CommandRefused, LabState
from cluster.runtime.supervisor import EXIT_SECONDS
from cluster.storage.power_loss import cut_to_durable

LISTEN_SECONDS = 20.0
STOP_HEARTBEATS = 4
"""A controlled shutdown takes a few heartbeats."""


async def kill(lab: LabState, command: c.Kill) -> str:
    """SIGKILL; what it wrote to files stays."""
    node = command.node.node_id
    lab.running(node)
    fault, cause = lab.inject(command)
    await lab.supervisor.kill(node)
    forget_pauses(lab, node)
    lab.book.add(fault)
    lab.applied(fault, cause)
    return f"node {node} is killed"


async def stop(lab: LabState, command: c.Stop) -> str:
    """Ask it to leave in order."""
    node = command.node.node_id
    lab.running(node)
    fault, cause = lab.inject(command)
    forget_pauses(lab, node)
    heartbeat_s = int(lab.facts.settings["broker_heartbeat_interval_ms"]) / 1000
    went = await lab.supervisor.stop(node, max(EXIT_SECONDS, STOP_HEARTBEATS * heartbeat_s))
    lab.book.add(fault)
    lab.applied(fault, cause)
    return f"node {node} has left in order" if went else f"node {node} did not leave in time: forced with SIGKILL"


async def start(lab: LabState, command: c.Start | c.Restart) -> str:
    """Start a node that is down; restart kills one that runs first."""
    node = command.node.node_id
    if node in lab.supervisor.nodes:
        if isinstance(command, c.Start):
            raise CommandRefused(f"node {node} is running")
        await kill(lab, c.Kill(command.node))
    return await bring_back(lab, node)


async def bring_back(lab: LabState, node: NodeId) -> str:
    """Start it and wait until it listens; the faults that had ended it are over."""
    cause = None
    for fault in lab.book.find(DOWN, node):
        if all(other == node or other in lab.supervisor.nodes for other in nodes_of(fault.command)):
            cause = lab.reverted(fault)
    handle = lab.start(node, cause)
    await asyncio.wait({handle.ready, handle.exited}, timeout=LISTEN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    if not handle.ready.done():
        raise CommandRefused(f"node {node} does not listen yet after {LISTEN_SECONDS:g} s; see logs/{node}.log")
    if handle.exited.done():
        raise CommandRefused(f"node {node} ended at once with code {handle.exited.result()}; see logs/{node}.log")
    return f"node {node} listens again"


async def pause(lab: LabState, command: c.Pause) -> str:
    """SIGSTOP, confirmed by the system."""
    node = command.node.node_id
    if lab.running(node).is_paused:
        raise CommandRefused(f"node {node} is paused already")
    fault, cause = lab.inject(command)
    if not await lab.supervisor.pause(node):
        lab.reverted(fault)
        raise CommandRefused(f"node {node} did not stop")
    lab.book.add(fault)
    lab.applied(fault, cause)
    return f"node {node} is paused"


async def resume(lab: LabState, command: c.Resume) -> str:
    """SIGCONT."""
    node = command.node.node_id
    if not lab.running(node).is_paused:
        raise CommandRefused(f"node {node} is not paused")
    forget_pauses(lab, node)
    lab.supervisor.resume(node)
    await tell_faults(lab, node)
    return f"node {node} goes on"


async def freeze(lab: LabState, command: c.Freeze) -> str:
    """Pause every node that runs."""
    if lab.book.find((c.Freeze,)):
        raise CommandRefused("all nodes are frozen already")
    fault, cause = lab.inject(command)
    free = [node for node, handle in lab.supervisor.nodes.items() if not handle.is_paused]
    await asyncio.gather(*(lab.supervisor.pause(node) for node in free))
    lab.book.add(fault)
    lab.applied(fault, cause)
    return f"{len(free)} nodes are frozen"


async def thaw(lab: LabState, _command: c.Thaw) -> str:
    """Let every node go on, but those that were paused one by one."""
    frozen = lab.book.find((c.Freeze,))
    if not frozen:
        raise CommandRefused("nothing is frozen")
    for fault in frozen:
        lab.reverted(fault)
    paused = {node for fault in lab.book.find((c.Pause,)) for node in nodes_of(fault.command)}
    for node, handle in lab.supervisor.nodes.items():
        if handle.is_paused and node not in paused:
            lab.supervisor.resume(node)
            await tell_faults(lab, node)
    return "all nodes go on"


async def power_loss(lab: LabState, command: c.PowerLoss) -> str:
    """Silence first, then SIGKILL, then every byte that was not durable is gone."""
    nodes = nodes_of(command)
    for node in nodes:
        lab.running(node)
    fault, cause = lab.inject(command)
    await asyncio.gather(*(lab.supervisor.nodes[node].order({"do": "blackhole"}) for node in nodes))
    await lab.supervisor.kill(*nodes)
    lost = 0
    for node in nodes:
        forget_pauses(lab, node)
        files = await asyncio.to_thread(cut_to_durable, lab.folder / "data" / str(node))
        lost += sum(written - kept for _, written, _, _, kept in files)
        lab.trace.write(PowerLost(node_id=node, files=files), cause=cause, trigger="lab")
    lab.book.add(fault)
    lab.applied(fault, cause)
    return f"power is lost at {', '.join(map(str, nodes))}: {lost} bytes were not durable"


def forget_pauses(lab: LabState, node: NodeId) -> None:
    """A process that ends or goes on is not paused any more."""
    for fault in lab.book.find((c.Pause,), node):
        lab.reverted(fault)


async def tell_faults(lab: LabState, node: NodeId) -> None:
    """A node that was paused hears of the faults it missed."""
    handle = lab.supervisor.nodes[node]
    await handle.order({"do": "links", "rules": lab.book.rules(lab.facts.nodes)})
    await handle.order({"do": "disk", **lab.book.disk(node)})


async def undo_process(lab: LabState, fault: Fault) -> str:
    """Take back a fault of a process."""
    match fault.command:
        case c.Pause(node):
            return await resume(lab, c.Resume(node))
        case c.Freeze():
            return await thaw(lab, c.Thaw())
        case _:
            down = [node for node in nodes_of(fault.command) if node not in lab.supervisor.nodes]
            return "; ".join([await bring_back(lab, node) for node in down]) or "nothing is down"
