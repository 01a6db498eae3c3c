"""Commands about processes: kill, stop, start, pause, power loss, and their undoing."""

from __future__ import annotations

from cluster.commands.desk import Desk
from cluster.commands.world import CommandRefused
from cluster.faults import processes as p
from cluster.faults.fault_book import Injected
from cluster.model.events import PowerLost
from cluster.model.identifiers import NodeId

EXIT_SECONDS = 5.0
STOP_HEARTBEATS = 4
"""A controlled shutdown takes a few heartbeats."""


async def kill(desk: Desk, command: p.Kill) -> str:
    """SIGKILL; what it wrote to files stays."""
    node = command.node.node_id
    desk.must_run(node)
    fault, cause = desk.inject(command)
    await desk.world.kill(node)
    forget_pauses(desk, node)
    desk.book.add(fault)
    desk.applied(fault, cause)
    return f"node {node} is killed"


async def stop(desk: Desk, command: p.Stop) -> str:
    """Ask it to leave in order."""
    node = command.node.node_id
    desk.must_run(node)
    fault, cause = desk.inject(command)
    forget_pauses(desk, node)
    heartbeat_s = desk.world.settings.broker_heartbeat_interval_ms / 1000
    went = await desk.world.stop(node, max(EXIT_SECONDS, STOP_HEARTBEATS * heartbeat_s))
    desk.book.add(fault)
    desk.applied(fault, cause)
    return f"node {node} has left in order" if went else f"node {node} did not leave in time: forced with SIGKILL"


async def start(desk: Desk, command: p.Start | p.Restart) -> str:
    """Start a node that is down; restart kills one that runs first."""
    node = command.node.node_id
    if desk.world.is_up(node):
        if isinstance(command, p.Start):
            raise CommandRefused(f"node {node} is running")
        await kill(desk, p.Kill(command.node))
    return await bring_back(desk, node)


async def bring_back(desk: Desk, node: NodeId) -> str:
    """Start it and wait until it listens; the faults that had ended it are over."""
    cause = None
    for fault in desk.book.find(p.DOWN, node):
        if all(other == node or desk.world.is_up(other) for other in fault.nodes):
            cause = desk.reverted(fault)
    if why := await desk.world.start(node, cause):
        raise CommandRefused(why)
    return f"node {node} listens again"


async def pause(desk: Desk, command: p.Pause) -> str:
    """SIGSTOP, confirmed by the system."""
    node = command.node.node_id
    desk.must_run(node)
    if desk.world.is_paused(node):
        raise CommandRefused(f"node {node} is paused already")
    fault, cause = desk.inject(command)
    if not await desk.world.pause(node):
        desk.reverted(fault)
        raise CommandRefused(f"node {node} did not stop")
    desk.book.add(fault)
    desk.applied(fault, cause)
    return f"node {node} is paused"


async def resume(desk: Desk, command: p.Resume) -> str:
    """SIGCONT, for good."""
    node = command.node.node_id
    desk.must_run(node)
    if any(node in fault.nodes for fault in desk.book.find((p.Freeze,))):
        raise CommandRefused(f"node {node} is frozen with all others; thaw lets them go on")
    was_paused = desk.world.is_paused(node)
    if not was_paused and not desk.book.find((p.Stutter,), node):
        raise CommandRefused(f"node {node} is not paused")
    forget_pauses(desk, node)
    await desk.world.steady(node)
    if was_paused:
        await go_on(desk, node)
    return f"node {node} goes on"


async def stutter(desk: Desk, command: p.Stutter) -> str:
    """SIGSTOP and SIGCONT in turn, in place of older rounds of that node."""
    node = command.node.node_id
    desk.must_run(node)
    fault, cause = desk.inject(command)
    desk.end_older(p.Stutter, node)
    await desk.world.stutter(node, command.run_ms, command.stop_ms)
    desk.book.add(fault)
    desk.applied(fault, cause)
    return f"in force: {fault}"


async def freeze(desk: Desk, command: p.Freeze) -> str:
    """Pause every node that runs."""
    if desk.book.find((p.Freeze,)):
        raise CommandRefused("all nodes are frozen already")
    fault, cause = desk.inject(command)
    free = fault.nodes
    await desk.world.pause(*free)
    desk.book.add(fault)
    desk.applied(fault, cause)
    return f"{len(free)} {'node is' if len(free) == 1 else 'nodes are'} frozen"


async def thaw(desk: Desk, _command: p.Thaw) -> str:
    """Let every node go on, but those that were paused one by one."""
    frozen = desk.book.find((p.Freeze,))
    if not frozen:
        raise CommandRefused("nothing is frozen")
    for fault in frozen:
        desk.reverted(fault)
    paused = {node for fault in desk.book.find((p.Pause,)) for node in fault.nodes}
    for node in desk.world.nodes:
        if desk.world.is_paused(node) and node not in paused:
            await go_on(desk, node)
    return "all nodes go on"


async def power_loss(desk: Desk, command: p.PowerLoss) -> str:
    """Silence first, then SIGKILL, then what was not durable is gone, or what the command keeps of it.

    A node that is down may lose power too: what its process left in the page cache goes.
    """
    nodes = command.nodes
    fault, cause = desk.inject(command)
    losses = await desk.world.power_off(nodes, command.keep, command.pick)
    lost = 0
    for node in nodes:
        forget_pauses(desk, node)
        lost += sum(written - kept for _, written, _, _, kept in losses[node])
        desk.trace.write(PowerLost(node_id=node, files=losses[node]), cause=cause, trigger="lab")
    desk.book.add(fault)
    desk.applied(fault, cause)
    return f"power is lost at {', '.join(map(str, nodes))}: {lost} bytes are gone"


def forget_pauses(desk: Desk, node: NodeId) -> None:
    """A process that ends or goes on is not paused and stutters no more."""
    for fault in desk.book.find((p.Pause, p.Stutter), node):
        desk.reverted(fault)


async def go_on(desk: Desk, node: NodeId) -> None:
    """A node that was paused runs again and hears of the faults it missed."""
    await desk.world.resume(node)
    await desk.world.tell_links(desk.book.rules(desk.world.nodes), node)
    await desk.world.tell_disk(node, desk.book.disk(node))
    await desk.world.tell_clients(node, desk.book.client_faults(node))


async def undo_process(desk: Desk, fault: Injected) -> str:
    """Take back a fault of a process."""
    match fault.command:
        case p.Pause(node):
            desk.reverted(fault)
            await go_on(desk, node.node_id)
            return f"node {node} goes on"
        case p.Stutter(node):
            desk.reverted(fault)
            await desk.world.steady(node.node_id)
            return f"healed: {fault}"
        case p.Freeze():
            return await thaw(desk, p.Thaw())
        case p.Kill() | p.Stop() | p.PowerLoss():
            down = [node for node in fault.nodes if not desk.world.is_up(node)]
            return "; ".join([await bring_back(desk, node) for node in down]) or "nothing is down"
        case _:
            raise AssertionError(f"{fault} is no fault of a process")
