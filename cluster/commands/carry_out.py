"""One command from its text to its effect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from cluster.commands import (
    client_commands,
    damage_commands,
    fault_commands,
    kafka_client_commands,
    process_commands,
    simulated_commands,
)
from cluster.commands.desk import Desk, commanded
from cluster.commands.world import CommandRefused
from cluster.faults import catalogue as c
from cluster.faults import clients
from cluster.faults.commands import CommandError, parse_command
from cluster.faults.links import resolve
from cluster.faults.simulated import ONLY_SIMULATED
from cluster.lab import SCRIPT, Answer
from cluster.model.events import CommandRejected

Carry = Callable[[Desk, Any], Awaitable[str]]
CARRY: dict[type, Carry] = {
    c.Kill: process_commands.kill, c.Stop: process_commands.stop, c.Start: process_commands.start,
    c.Restart: process_commands.start, c.Pause: process_commands.pause, c.Resume: process_commands.resume,
    c.Stutter: process_commands.stutter,
    c.Freeze: process_commands.freeze, c.Thaw: process_commands.thaw, c.PowerLoss: process_commands.power_loss,
    c.Partition: fault_commands.network, c.Cut: fault_commands.network,
    c.CutLinks: fault_commands.network, c.Isolate: fault_commands.network,
    c.Delay: fault_commands.network, c.SlowLink: fault_commands.network, c.Reset: fault_commands.reset,
    c.FsyncLie: fault_commands.disk, c.FsyncSlow: fault_commands.disk, c.DiskFull: fault_commands.disk,
    c.FsyncOk: fault_commands.disk_ok, c.DiskOk: fault_commands.disk_ok, c.Heal: fault_commands.heal,
    c.FsyncLieDir: fault_commands.disk, c.FsyncFail: fault_commands.disk, c.Misread: fault_commands.disk,
    c.Flush: fault_commands.flush,
    c.LoseMessages: fault_commands.network, c.DuplicateMessages: fault_commands.network,
    c.ReorderMessages: fault_commands.network, c.SkewClock: simulated_commands.clock,
    c.DriftClock: simulated_commands.clock, c.ClockOk: simulated_commands.clock_ok,
    c.CrashPoint: simulated_commands.crash_point,
    c.Wipe: damage_commands.damage, c.Tear: damage_commands.damage, c.Rot: damage_commands.damage,
    clients.ClientCut: kafka_client_commands.spoil, clients.ClientSlow: kafka_client_commands.spoil,
    clients.ClientDropResponses: kafka_client_commands.spoil, clients.ClientOk: kafka_client_commands.mend,
    c.Undo: fault_commands.undo, c.Status: fault_commands.status,
}  # fmt: skip


async def carry_out(desk: Desk, text: str, ready: Callable[[], Awaitable[None]], by: str = SCRIPT) -> Answer:
    """Parse, wait until the world is ready, act. A refusal is an answer, and stands in the trace.

    Args:
        by: one of COMMANDERS; empty when nobody knows any more.
    """
    try:
        command = parse_command(text)
        await ready()
        if isinstance(command, client_commands.KINDS):
            return await client_commands.carry_out(desk, command)
        if type(command) in ONLY_SIMULATED and not desk.world.is_simulated:
            raise CommandRefused(f"that exists only in the simulated world: {ONLY_SIMULATED[type(command)]}")
        resolved = await _resolved(desk, command)
        if isinstance(resolved, c.Status):
            return Answer(True, await fault_commands.status(desk, resolved))
        async with desk.one_at_a_time:
            desk.by = by
            return Answer(True, await CARRY[type(resolved)](desk, resolved))
    except (CommandError, CommandRefused) as error:
        desk.trace.write(CommandRejected(command=text[:200], why=str(error)), trigger=commanded(by))
        return Answer(False, str(error))


def carry_out_at_once(desk: Desk, text: str, ready: Callable[[], Awaitable[None]], by: str = SCRIPT) -> Answer:
    """The same in a simulated world, which never waits for an event loop: its time passes within the call."""
    carrying = carry_out(desk, text, ready, by)
    try:
        carrying.send(None)
    except StopIteration as done:
        answer: Answer = done.value
        return answer
    carrying.close()
    raise AssertionError(f"a simulation waits for nothing outside of it, but it did for '{text}'")


async def _resolved(desk: Desk, command: c.Command) -> c.Command:
    """With every node as a number. It may wait for an election, and must not hold up other commands then."""
    found = {name: await desk.find(name) for name in _names_in(command)}
    return resolve(command, lambda name: found[name])


def _names_in(command: Any) -> list[c.NodeName]:
    """Every node a command names, in any depth."""
    if isinstance(command, c.NodeName):
        return [command]
    if isinstance(command, tuple):
        return [name for part in command for name in _names_in(part)]
    slots = getattr(type(command), "__slots__", ())
    return [name for slot in slots for name in _names_in(getattr(command, slot))] if slots else []
