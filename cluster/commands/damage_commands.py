"""Commands about the disk of a node that is down: wipe, tear, rot."""

from __future__ import annotations

from cluster.commands.desk import Desk
from cluster.commands.world import CommandRefused
from cluster.faults.disks import Damage, Rot, Tear, Wipe
from cluster.storage.damage import rot, tear, wipe


async def damage(desk: Desk, command: Damage) -> str:
    """Done at once and for good; there is nothing to heal."""
    node = command.node.node_id
    desk.must_be_down(node)
    fault, cause = desk.inject(command)
    files = desk.world.disk_files(node)
    try:
        match command:
            case Wipe():
                told = wipe(files)
            case Tear(topic_partition=log):
                told = tear(files, log)
            case Rot(topic_partition=log, offset=offset):
                told = rot(files, log, offset)
            case _:
                raise AssertionError(f"no damage is known for {command}")
    except LookupError as error:
        desk.reverted(fault)
        raise CommandRefused(str(error.args[0])) from error
    desk.applied(fault, cause)
    desk.reverted(fault)
    return f"node {node}: {told}"
