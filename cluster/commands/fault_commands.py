"""Commands about links, disks and clocks, and heal, undo, status: what a fault command does to the cluster."""

from __future__ import annotations

from typing import assert_never

from cluster.commands import kafka_client_commands
from cluster.commands.desk import Desk
from cluster.commands.process_commands import undo_process
from cluster.commands.world import CommandRefused
from cluster.faults.clocks import ClockOk
from cluster.faults.disks import DiskOk, Flush, FsyncOk, Rot, SpoilSnapshot, Tear, Wipe
from cluster.faults.effects_on_links import NEXT, Direction
from cluster.faults.fault import ClientFault, ClockFault, DiskFault, LinkFault
from cluster.faults.fault_book import Injected
from cluster.faults.healing import FAMILIES, Heal, Status, Undo
from cluster.faults.links import Reset
from cluster.faults.plucking import Pluck
from cluster.faults.processes import DOWN, CrashPoint
from cluster.model.identifiers import NodeId
from cluster.storage.damage import rot, spoil_snapshot, tear, wipe


async def network(desk: Desk, command: LinkFault) -> str:
    """Put a link fault in force at both ends; a paused end is covered by the other."""
    fault, cause = desk.inject(command)
    desk.book.add(fault)
    _must_obey(await _tell_links(desk), f"{fault} is not confirmed, heal {fault.fault_id} takes it back")
    desk.applied(fault, cause)
    return f"in force: {fault}"


async def pluck(desk: Desk, command: Pluck) -> str:
    """Give one message a fate of its own, the very one only where time waits for the command."""
    if command.number != NEXT:
        world, name = desk.world, f"{command.message} {command.number}"
        way = Direction(command.link.source.node_id, command.link.target.node_id)
        if not world.is_simulated:
            raise CommandRefused(f"{name} is gone by now: of processes only the next {command.message} can be plucked")
        if not world.is_on_its_way(way, command.message, command.number):
            raise CommandRefused(
                f"{name} is not on its way from {way.source} to {way.target}: it has arrived, or is gone"
            )
    return await network(desk, command)


async def reset(desk: Desk, command: Reset) -> str:
    """Break the connections between two nodes once."""
    first, second = command.link.source.node_id, command.link.target.node_id
    fault, cause = desk.inject(command)
    if not await desk.world.reset(first, second):
        desk.reverted(fault)
        raise CommandRefused(f"neither node {first} nor node {second} could reset the connection")
    desk.applied(fault, cause)
    desk.reverted(fault)
    return f"connections between {first} and {second} are reset"


async def disk(desk: Desk, command: DiskFault) -> str:
    """Make a node's disk misbehave."""
    node = command.node.node_id
    fault, cause = desk.inject(command)
    desk.end_older(type(command), node)
    desk.book.add(fault)
    _must_obey(await _tell_disk(desk, node), f"{fault} is not confirmed, heal {fault.fault_id} takes it back")
    desk.applied(fault, cause)
    return f"in force: {fault}"


async def flush(desk: Desk, command: Flush) -> str:
    """No fault: what a broker does not flush itself is durable from now on, on a disk that does not lie."""
    node = command.node.node_id
    desk.must_run(node)
    if desk.world.is_paused(node):
        raise CommandRefused(f"node {node} is paused")
    if why := await desk.world.flush(node):
        raise CommandRefused(f"node {node}: {why}")
    return f"the logs of node {node} are written to its disk"


async def disk_ok(desk: Desk, command: FsyncOk | DiskOk) -> str:
    """The disk behaves again."""
    node = command.node.node_id
    is_fsync = isinstance(command, FsyncOk)
    faults = [item for item in desk.book.find((DiskFault,), node) if item.command.verb.startswith("fsync ") == is_fsync]
    if not faults:
        raise CommandRefused(f"nothing is wrong with the disk of node {node}")
    for fault in faults:
        desk.reverted(fault)
    _must_obey(await _tell_disk(desk, node), f"the disk of node {node} may misbehave still")
    return f"the disk of node {node} behaves again"


async def heal(desk: Desk, command: Heal) -> str:
    """Undo one fault, or all but ended processes."""
    if command.fault_id is not None:
        fault = desk.book.get(command.fault_id)
        if fault is None:
            in_force = ", ".join(str(item.fault_id) for item in desk.book) or "none"
            raise CommandRefused(f"no fault {command.fault_id} is in force; there are: {in_force}")
        return await _undo(desk, fault)
    if command.described is not None:
        alike = [fault for fault in desk.book if fault.command == command.described]
        if not alike:
            raise CommandRefused(f"no such fault is in force: {str(command.described)}")
        return await _undo(desk, alike[-1])
    faults = [fault for fault in desk.book if _is_of(fault, command.family)]
    for fault in faults:
        await _undo(desk, fault)
    down = [node for node in sorted(desk.world.nodes) if not desk.world.is_up(node)]
    left = f"; down until started: {', '.join(map(str, down))}" if down and not command.family else ""
    which = f": {'; '.join(map(str, faults))}" if faults else ""
    return f"{len(faults)} fault{'s' * (len(faults) != 1)} healed{which}{left}"


def _is_of(fault: Injected, family: str) -> bool:
    """Whether a fault is of a family of FAMILIES; of none in particular are all but ended processes."""
    if family:
        return isinstance(fault.command, FAMILIES[family])
    return not isinstance(fault.command, DOWN)


async def undo(desk: Desk, _command: Undo) -> str:
    """Undo the newest fault in force."""
    fault = desk.book.newest()
    if fault is None:
        raise CommandRefused("no fault is in force")
    return await _undo(desk, fault)


async def status(desk: Desk, _command: Status) -> str:
    """What runs and which faults are in force, in one line."""
    world = desk.world
    up = [node for node in sorted(world.nodes) if world.is_up(node)]
    running = [f"{node}{' paused' if world.is_paused(node) else ''}" for node in up]
    down = [str(node) for node in sorted(world.nodes) if not world.is_up(node)]
    faults = "; ".join(str(fault) for fault in desk.book) or "none"
    return f"running: {', '.join(running) or 'none'} | down: {', '.join(down) or 'none'} | faults: {faults}"


async def _undo(desk: Desk, fault: Injected) -> str:
    if isinstance(fault.command, LinkFault):
        desk.reverted(fault)
        _must_obey(await _tell_links(desk), f"{fault} may be in force still")
        return f"healed: {fault}"
    if isinstance(fault.command, DiskFault):
        desk.reverted(fault)
        _must_obey(await _tell_disk(desk, fault.nodes[0]), f"{fault} may be in force still")
        return f"healed: {fault}"
    if isinstance(fault.command, ClockFault):
        desk.reverted(fault)
        tell_clock(desk, fault.nodes[0])
        return f"healed: {fault}"
    if isinstance(fault.command, CrashPoint):
        desk.reverted(fault)
        desk.world.arm(fault.command.node.node_id, "")
        return f"healed: {fault}"
    if isinstance(fault.command, ClientFault):
        return await kafka_client_commands.undo(desk, fault)
    return await undo_process(desk, fault)


async def _tell_links(desk: Desk) -> dict[NodeId, str]:
    """Which nodes did not obey, and why."""
    return await desk.world.tell_links(desk.book.rules(desk.world.nodes))


async def _tell_disk(desk: Desk, node: NodeId) -> dict[NodeId, str]:
    """The node, when it did not obey; one that is down or paused hears of it later."""
    if not desk.world.is_up(node) or desk.world.is_paused(node):
        return {}
    why = await desk.world.tell_disk(node, desk.book.disk(node))
    return {node: why} if why and desk.world.is_up(node) else {}


def _must_obey(failed: dict[NodeId, str], meaning: str) -> None:
    if failed:
        reasons = "; ".join(f"node {node}: {why}" for node, why in sorted(failed.items()))
        raise CommandRefused(f"{meaning}: {reasons}")


async def damage(desk: Desk, command: Wipe | Tear | Rot | SpoilSnapshot) -> str:
    """Done at once and for good; there is nothing to heal."""
    node = command.node.node_id
    desk.must_be_down(node)
    fault, cause = desk.inject(command)
    files = desk.world.disk_files(node)
    try:
        match command:
            case Wipe():
                damage = wipe(files)
            case Tear(topic_partition=log):
                damage = tear(files, log)
            case Rot(topic_partition=log, offset=offset):
                damage = rot(files, log, offset)
            case SpoilSnapshot(how=how):
                damage = spoil_snapshot(files, how)
            case _:
                assert_never(command)
    except LookupError as error:
        desk.reverted(fault)
        raise CommandRefused(str(error.args[0])) from error
    desk.applied(fault, cause)
    desk.reverted(fault)
    return f"node {node}: {damage}"


async def clock(desk: Desk, command: ClockFault) -> str:
    """Set a node's clock off; it stays off when the node starts anew."""
    node = command.node.node_id
    fault, cause = desk.inject(command)
    desk.end_older(type(command), node)
    desk.book.add(fault)
    tell_clock(desk, node)
    desk.applied(fault, cause)
    return f"in force: {fault}"


async def clock_ok(desk: Desk, command: ClockOk) -> str:
    """The clocks of a node are right again."""
    node = command.node.node_id
    faults = desk.book.find((ClockFault,), node)
    if not faults:
        raise CommandRefused(f"nothing is wrong with the clock of node {node}")
    for fault in faults:
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
    desk.end_older(CrashPoint, node)
    fault, cause = desk.inject(command)
    desk.book.add(fault)
    desk.world.arm(node, command.point)
    desk.applied(fault, cause)
    return f"node {node} will die {command.point}"
