"""One command from its text to its effect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from cluster.commands import client_commands, fault_commands, kafka_client_commands, process_commands
from cluster.commands.desk import Desk, commanded
from cluster.commands.world import ClientCommand, CommandRefused
from cluster.faults import disks as d
from cluster.faults import processes as p
from cluster.faults.clients import ClientOk
from cluster.faults.clocks import ClockOk
from cluster.faults.fault import ClientFault, ClockFault, DiskFault, LinkFault
from cluster.faults.grammar import CommandError, parse_command
from cluster.faults.healing import Heal, Status, Undo
from cluster.faults.links import Reset
from cluster.faults.plucking import Pluck
from cluster.lab import SCRIPT, Answer
from cluster.language.command import Command, names_in, resolve
from cluster.model.events import CommandRejected

Carry = Callable[[Desk, Any], Awaitable[str]]
CARRY: dict[type, Carry] = {
    p.Kill: process_commands.kill, p.Stop: process_commands.stop, p.Start: process_commands.start,
    p.Restart: process_commands.start, p.Pause: process_commands.pause, p.Resume: process_commands.resume,
    p.Stutter: process_commands.stutter, p.Freeze: process_commands.freeze, p.Thaw: process_commands.thaw,
    p.PowerLoss: process_commands.power_loss, p.CrashPoint: fault_commands.crash_point,
    Pluck: fault_commands.pluck, LinkFault: fault_commands.network, Reset: fault_commands.reset,
    DiskFault: fault_commands.disk, d.FsyncOk: fault_commands.disk_ok, d.DiskOk: fault_commands.disk_ok,
    d.Flush: fault_commands.flush, d.Damage: fault_commands.damage,
    ClockFault: fault_commands.clock, ClockOk: fault_commands.clock_ok,
    ClientFault: kafka_client_commands.spoil, ClientOk: kafka_client_commands.mend,
    Heal: fault_commands.heal, Undo: fault_commands.undo, Status: fault_commands.status,
}  # fmt: skip
"""What carries a command out, or every command of a family."""


async def carry_out(desk: Desk, text: str, ready: Callable[[], Awaitable[None]], by: str = SCRIPT) -> Answer:
    """Parse, wait until the world is ready, act. A refusal is an answer, and stands in the trace.

    Args:
        by: one of COMMANDERS; empty when nobody knows any more.
    """
    try:
        command = parse_command(text)
        await ready()
        if isinstance(command, ClientCommand):
            return await client_commands.carry_out(desk, command)
        if command.only_simulated and not desk.world.is_simulated:
            raise CommandRefused(f"that exists only in the simulated world: {command.only_simulated}")
        resolved = await _resolved(desk, command)
        if isinstance(resolved, Status):
            return Answer(True, await fault_commands.status(desk, resolved))
        async with desk.one_at_a_time:
            desk.by = by
            return Answer(True, await _carry_of(resolved)(desk, resolved))
    except (CommandError, CommandRefused) as error:
        desk.trace.write(CommandRejected(command=text[:200], why=str(error)), trigger=commanded(by))
        return Answer(False, str(error))


def carry_out_at_once(desk: Desk, text: str, ready: Callable[[], Awaitable[None]]) -> Answer:
    """The same in a simulated world, which never waits for an event loop: its time passes within the call."""
    carrying = carry_out(desk, text, ready)
    try:
        carrying.send(None)
    except StopIteration as done:
        answer: Answer = done.value
        return answer
    carrying.close()
    raise AssertionError(f"a simulation waits for nothing outside of it, but it did for '{text}'")


def _carry_of(command: Command) -> Carry:
    return next(CARRY[kind] for kind in type(command).__mro__ if kind in CARRY)


async def _resolved(desk: Desk, command: Command) -> Command:
    """With every node as a number. It may wait for an election, and must not hold up other commands then."""
    numbers = {name: await desk.find(name) for name in names_in(command)}
    return resolve(command, lambda name: numbers[name])
