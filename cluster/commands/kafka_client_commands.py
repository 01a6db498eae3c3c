"""Commands about what stands between a broker and its Kafka clients."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from cluster.commands.desk import Desk
from cluster.commands.world import CommandRefused
from cluster.faults.clients import ClientOk
from cluster.faults.fault import ClientFault
from cluster.faults.fault_book import Injected
from cluster.model.identifiers import NodeId


async def spoil(desk: Desk, command: ClientFault) -> str:
    """Put a fault in force in place of older ones that it replaces, for a while when it says so."""
    node = command.node.node_id
    _must_be_broker(desk, node)
    fault, cause = desk.inject(command)
    for older in desk.book.find((ClientFault,), node):
        if command.replaces(older.command):
            desk.reverted(older)
    desk.book.add(fault)
    try:
        why = await _tell(desk, node)
    except CommandRefused:
        desk.reverted(fault)
        raise
    if why:
        raise CommandRefused(f"{fault} is not confirmed, heal {fault.fault_id} takes it back: node {node}: {why}")
    desk.applied(fault, cause)
    if command.lasts_ms:
        ending = asyncio.create_task(_end(desk, fault, command.lasts_ms))
        desk.endings.add(ending)
        ending.add_done_callback(desk.endings.discard)
    return f"in force: {fault}"


async def _end(desk: Desk, fault: Injected, after_ms: int) -> None:
    """Take a fault back when its time is over, unless somebody did so before."""
    await asyncio.sleep(after_ms / 1000)
    async with desk.one_at_a_time:
        if desk.book.get(fault.fault_id) is fault:
            with suppress(CommandRefused):  # a broker that does not obey now hears of it with the next command
                await undo(desk, fault)


async def mend(desk: Desk, command: ClientOk) -> str:
    """Take back every fault between this broker and its clients."""
    node = command.node.node_id
    faults = desk.book.find((ClientFault,), node)
    if not faults:
        raise CommandRefused(f"nothing stands between broker {node} and its clients")
    for fault in faults:
        desk.reverted(fault)
    if why := await _tell(desk, node):
        raise CommandRefused(f"clients of broker {node} may be troubled still: {why}")
    return f"broker {node} and its clients hear each other again"


async def undo(desk: Desk, fault: Injected) -> str:
    """Take back one fault."""
    node = fault.nodes[0]
    desk.reverted(fault)
    if why := await _tell(desk, node):
        raise CommandRefused(f"{fault} may be in force still: {why}")
    return f"healed: {fault}"


def _must_be_broker(desk: Desk, node: NodeId) -> None:
    if node not in desk.world.brokers:
        raise CommandRefused(f"node {node} is a controller; Kafka clients talk to brokers")


async def _tell(desk: Desk, node: NodeId) -> str:
    """Why the broker did not obey; one that is down or paused hears of it later."""
    if not desk.world.is_up(node) or desk.world.is_paused(node):
        return ""
    why = await desk.world.tell_clients(node, desk.book.client_faults(node))
    return why if why and desk.world.is_up(node) else ""
