"""The lab as a process of its own: `python -P -m cluster.runtime.lab_process RUN_FOLDER OWNER_FD`.

It owns the nodes, the faults and the recording. Viewers talk to it over the run's control socket; the one that started
it holds the other end of OWNER_FD. When that closes and the run is not detached, the nodes end at once.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from cluster.faults import catalogue as c
from cluster.faults.commands import CommandError, parse_command
from cluster.faults.links import resolve
from cluster.lab import Answer
from cluster.model.errors import StorageFailed
from cluster.model.events import CommandRejected, RunEnded, RunStarted
from cluster.model.identifiers import NodeId
from cluster.model.settings import Settings
from cluster.runtime import client_commands, fault_commands, process_commands
from cluster.runtime.client_host import ClientHost
from cluster.runtime.control_server import ControlServer
from cluster.runtime.lab_state import CommandRefused, LabState
from cluster.runtime.node_process import EXIT_PORT_TAKEN
from cluster.runtime.ports import blocks
from cluster.runtime.run_folder import SECRET, RunError, read_facts, take_lock, update_facts

READY_SECONDS = 20.0
LEAVE_SECONDS = 1.5
EXIT_NO_CLUSTER = 3
EXIT_BUSY = 6
Carry = Callable[[LabState, Any], Awaitable[str]]
CARRY: dict[type, Carry] = {
    c.Kill: process_commands.kill, c.Stop: process_commands.stop, c.Start: process_commands.start,
    c.Restart: process_commands.start, c.Pause: process_commands.pause, c.Resume: process_commands.resume,
    c.Freeze: process_commands.freeze, c.Thaw: process_commands.thaw, c.PowerLoss: process_commands.power_loss,
    c.Partition: fault_commands.network, c.Cut: fault_commands.network, c.Isolate: fault_commands.network,
    c.Delay: fault_commands.network, c.SlowLink: fault_commands.network, c.Reset: fault_commands.reset,
    c.FsyncLie: fault_commands.disk, c.FsyncSlow: fault_commands.disk, c.DiskFull: fault_commands.disk,
    c.FsyncOk: fault_commands.disk_ok, c.DiskOk: fault_commands.disk_ok, c.Heal: fault_commands.heal,
    c.Undo: fault_commands.undo, c.Status: fault_commands.status,
}  # fmt: skip


class LabProcess:
    """One run from its first node to its last."""

    def __init__(self, folder: Path, lock: int) -> None:
        self._facts = read_facts(folder)
        self._lab = LabState(folder, self._facts, lock)
        self._folder = folder
        self._one_at_a_time = asyncio.Lock()
        self._up = asyncio.Event()
        self._failure = ""
        self._server = ControlServer(folder, self.carry_out, self._leave)
        self._leaving: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def run(self, owner: socket.socket) -> int:
        """Start everything, serve, end everything. Returns the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._leave, True)
        update_facts(self._folder, lab_pid=os.getpid())
        settings = json.dumps(self._facts.settings)
        self._lab.trace.write(
            RunStarted(config=settings, world=self._facts.world, title=self._facts.title), trigger="lab"
        )
        await self._server.listen()
        await self._server.adopt(owner, is_owner=not self._facts.detached)
        if self._facts.duration_s is not None:
            loop.call_later(self._facts.duration_s, self._leave, True)
        starting = loop.create_task(self._bring_up())
        in_order = await self._leaving
        starting.cancel()
        clean = await self._end(in_order)
        return EXIT_NO_CLUSTER if self._failure else 0 if clean else 1

    def _leave(self, in_order: bool) -> None:  # noqa: FBT001  # also a signal handler
        if not self._leaving.done():
            self._leaving.set_result(in_order)

    async def _bring_up(self) -> None:
        """Start all nodes on the first block of ports that is free; give up with one sentence."""
        nodes = self._facts.nodes
        for block in blocks(len(nodes), self._facts.base_port):
            self._lab.ports = dict(zip(nodes, block, strict=True))
            taken = await self._start_all(nodes)
            if not taken:
                if not self._failure:
                    self._announce()
                break
            await self._lab.supervisor.kill(*self._lab.supervisor.nodes)
            if self._facts.base_port is not None:
                self._failure = f"port {taken} is taken; choose another --base-port, or none"
                break
        else:
            self._failure = "no block of free ports was found below the ephemeral range"
        self._up.set()
        if self._failure:
            await self._server.tell_all({"failed": self._failure})
            self._leave(False)

    async def _start_all(self, nodes: tuple[NodeId, ...]) -> int:
        """Start all at once; the port that was taken, or 0. Any other early end is a failure."""
        handles = [self._lab.start(node) for node in nodes]
        for handle in handles:
            await asyncio.wait(
                {handle.ready, handle.exited}, timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if handle.exited.done() and handle.exited.result() == EXIT_PORT_TAKEN:
                return self._lab.ports[handle.node]
            if handle.exited.done() or not handle.ready.done():
                self._failure = f"node {handle.node} did not start; see logs/{handle.node}.log in the run folder"
                return 0
        return 0

    def _announce(self) -> None:
        lab = self._lab
        secret = bytes.fromhex((self._folder / SECRET).read_text("ascii"))
        settings = Settings(**self._facts.settings)
        lab.clients = ClientHost(
            lab.ports, secret, self._facts.brokers, self._facts.controllers, settings, lab.client_trace()
        )
        update_facts(self._folder, state="running", ports=lab.ports)

    async def carry_out(self, text: str) -> Answer:
        """One command from parsing to its effect."""
        try:
            command = parse_command(text)
            await asyncio.wait_for(self._up.wait(), READY_SECONDS)
            if self._failure:
                raise CommandRefused(self._failure)
            if isinstance(command, client_commands.KINDS):
                return await client_commands.carry_out(self._lab, command)
            async with self._one_at_a_time:
                return Answer(True, await self._carry(command))
        except (CommandError, CommandRefused) as error:
            self._lab.trace.write(CommandRejected(command=text[:200], why=str(error)), trigger="command")
            return Answer(False, str(error))
        except TimeoutError:
            return Answer(False, "the nodes are not up yet")

    async def _carry(self, command: c.Command) -> str:
        names = _names_in(command)
        found = {name: await self._lab.find(name) for name in names}
        resolved = resolve(command, lambda name: found[name])
        return await CARRY[type(resolved)](self._lab, resolved)

    async def _end(self, in_order: bool) -> bool:  # noqa: FBT001
        """Clients, faults, brokers, controllers, guardian, in this order. Whether nothing had to be forced."""
        lab = self._lab
        if lab.clients is not None:
            lab.clients.close()
        supervisor = lab.supervisor
        clean = True
        for role in ("broker", "controller"):
            nodes = [node for node in list(supervisor.nodes) if self._facts.roles(node)[-1] == role]
            if in_order:
                went = await asyncio.gather(*(supervisor.stop(node, LEAVE_SECONDS) for node in nodes))
                clean = clean and all(went)
            else:
                await supervisor.kill(*nodes)
        lab.trace.write(RunEnded(clean=clean and not self._failure), trigger="lab")
        lab.trace.close()
        update_facts(self._folder, state="ended")
        await self._server.close()
        supervisor.close()
        return clean


def _names_in(command: Any) -> list[c.NodeName]:
    """Every node a command names, in any depth."""
    if isinstance(command, c.NodeName):
        return [command]
    if isinstance(command, tuple):
        return [name for part in command for name in _names_in(part)]
    slots = getattr(type(command), "__slots__", ())
    return [name for slot in slots for name in _names_in(getattr(command, slot))] if slots else []


async def _main(folder: Path, owner: socket.socket) -> int:
    lock = take_lock(folder)
    if lock is None:
        sys.stderr.write("another lab or its nodes hold this run\n")
        return EXIT_BUSY
    try:
        return await LabProcess(folder, lock).run(owner)
    except (RunError, StorageFailed) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_NO_CLUSTER


def main(arguments: list[str]) -> int:
    """Run a lab in a folder that was made for it."""
    if len(arguments) != 2 or not arguments[1].isdecimal():
        sys.stderr.write("usage: python -P -m cluster.runtime.lab_process RUN_FOLDER OWNER_FD\n")
        return 2
    return asyncio.run(_main(Path(arguments[0]), socket.socket(fileno=int(arguments[1]))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
