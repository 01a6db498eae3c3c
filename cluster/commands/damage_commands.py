"""Commands about the disk of a node that is down: wipe, tear, rot, spoil-snapshot."""

from __future__ import annotations

from typing import assert_never

from cluster.commands.desk import Desk
from cluster.commands.world import CommandRefused
from cluster.faults.disks import Rot, SpoilSnapshot, Tear, Wipe
from cluster.storage.damage import rot, spoil_snapshot, tear, wipe


async def damage(desk: Desk, command: Wipe | Tear | Rot | SpoilSnapshot) -> str:
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
            case SpoilSnapshot(how=how):
                told = spoil_snapshot(files, how)
            case _:
                assert_never(command)
    except LookupError as error:
        desk.reverted(fault)
        raise CommandRefused(str(error.args[0])) from error
    desk.applied(fault, cause)
    desk.reverted(fault)
    return f"node {node}: {told}"
