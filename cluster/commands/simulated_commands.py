"""Commands that only a simulated world obeys: clocks that are off, death at a place."""

from __future__ import annotations

from cluster.commands.desk import Desk
from cluster.commands.world import CommandRefused
from cluster.faults.clocks import ClockOk
from cluster.faults.fault import ClockFault
from cluster.faults.processes import CrashPoint
from cluster.model.identifiers import NodeId


async def clock(desk: Desk, command: ClockFault) -> str:
    """Set a node's clock off; it stays off when the node starts anew."""
    node = command.node.node_id
    fault, cause = desk.inject(command)
    for older in desk.book.find((type(command),), node):
        desk.reverted(older)
    desk.book.add(fault)
    tell_clock(desk, node)
    desk.applied(fault, cause)
    return f"in force: {fault}"


async def clock_ok(desk: Desk, command: ClockOk) -> str:
    """The clocks of a node are right again."""
    node = command.node.node_id
    found = desk.book.find((ClockFault,), node)
    if not found:
        raise CommandRefused(f"nothing is wrong with the clock of node {node}")
    for fault in found:
        desk.reverted(fault)
    tell_clock(desk, node)
    return f"the clock of node {node} is right again"


def tell_clock(desk: Desk, node: NodeId) -> None:
    """Have a node's clocks go as the faults in force say."""
    desk.world.tell_clock(node, *desk.book.clock(node))


async def crash_point(desk: Desk, command: CrashPoint) -> str:
    """Arm it; it is over when the node dies, of this or of something else."""
    node = command.node.node_id
    desk.must_run(node)
    for older in desk.book.find((CrashPoint,), node):
        desk.reverted(older)
    fault, cause = desk.inject(command)
    desk.book.add(fault)
    desk.world.arm(node, command.point)
    desk.applied(fault, cause)
    return f"node {node} will die {command.point}"
