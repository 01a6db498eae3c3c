"""The lab as a process of its own: `python -P -m cluster.runtime.lab.process RUN_FOLDER OWNER_FD LOCK_FD`.

It owns the nodes, the faults and the recording. Viewers talk to it over the run's control socket; the one that started
it holds the other end of OWNER_FD. When that closes and the run is not detached, the nodes end at once.

Its working directory is the run folder, and all files are opened below that: when somebody moves or deletes the folder,
what stands in its place is another's. The lab looks whether it is still there, and ends the run when it is not.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import socket
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from cluster.commands.carry_out import carry_out
from cluster.commands.fault_commands import heal
from cluster.commands.world import CommandRefused
from cluster.faults.healing import Heal
from cluster.lab import COMMANDERS, Answer
from cluster.model import exit_codes
from cluster.model.errors import StorageFailed
from cluster.model.events import Event, RunEnded, RunResumed, RunStarted
from cluster.model.identifiers import NodeId
from cluster.runtime.lab.control_server import ControlServer
from cluster.runtime.lab.state import LabState
from cluster.runtime.run.file_lock import is_at
from cluster.runtime.run.folder import LOCK, SECRET, RunError, private_folder, read_facts, update_facts
from cluster.runtime.run.port_holder import holder_of
from cluster.runtime.run.ports import Ports, blocks, reserve
from cluster.runtime.system_limits import no_more_processes

READY_SECONDS = 20.0
LEAVE_SECONDS = 3.0
LEAVE_HEARTBEATS = 4
"""A controlled shutdown takes a few heartbeats."""
HEAL_SECONDS = 3.0
TRACE_IS_LOST = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
TELL_SECONDS = 1.0
PLACE_SECONDS = 1.0
"""How often the lab looks whether the folder of the run is in its place."""
BALLAST = "ballast"
BALLAST_BYTES = 1 << 16
"""Kept on the disk while the run lasts, and given up at its end: so that a full disk still takes its last words."""
EXIT_NO_CLUSTER = 3


class LabProcess:
    """One run from its first node to its last."""

    def __init__(self, place: Path, lock: int) -> None:
        """`place`: where everybody looks for the run's folder."""
        self._folder = folder = Path()
        self._place, self._lock = place, lock
        if not is_at(folder / LOCK, lock):
            raise RunError(f"{place} was moved or deleted while the run started")
        self._facts = read_facts(folder)
        self._lab = LabState(folder, self._facts, lock)
        self._up = asyncio.Event()
        self._failure = ""
        self._abandoned = ""
        self._server = ControlServer(folder, self.carry_out, self._leave, self._stay, stays=self._facts.detached)
        self._leaving: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._hurry = asyncio.Event()

    async def run(self, owner: socket.socket) -> int:
        """Start everything, serve, end everything. Returns the exit code."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._on_error)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_signal)
        update_facts(self._folder, lab_pid=os.getpid())
        (self._folder / BALLAST).write_bytes(bytes(BALLAST_BYTES))
        self._tell_begin()
        await self._server.listen()
        await self._server.adopt(owner)
        if self._facts.duration_s is not None:
            loop.call_later(self._facts.duration_s, self._leave, True)
        work = {loop.create_task(each) for each in (self._bring_up(), self._lab.keep_up(), self._watch_place())}
        in_order = await self._leaving
        if self._failure:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._server.tell_all({"failed": self._failure}), TELL_SECONDS)
        for task in work:
            task.cancel()
        await asyncio.wait(work)
        clean = await self._end(in_order)
        return EXIT_NO_CLUSTER if self._failure else 0 if clean else 1

    def _tell_begin(self) -> None:
        """A run that is there already only goes on."""
        before, facts = self._lab.before, self._facts
        begin: Event = RunStarted(config=json.dumps(facts.settings), world=facts.world, title=facts.title)
        if before.is_resumption:
            begin = RunResumed(away_ms=before.away_ms, was_ended=before.was_ended)
        self._lab.trace.write(begin, trigger="lab")

    def _on_signal(self) -> None:
        """The first one ends the run in order, the second one at once."""
        self._leave(not self._leaving.done())

    def _leave(self, in_order: bool, why: str = "") -> None:  # noqa: FBT001
        if not self._leaving.done():
            self._abandoned = why
            self._lab.is_ending = True
            self._leaving.set_result(in_order)
        elif not in_order:
            self._hurry.set()

    def _stay(self) -> None:
        self._facts = update_facts(self._folder, detached=True)

    async def _watch_place(self) -> None:
        """A run that nobody finds any more could not be ended by anybody either."""
        while True:
            await asyncio.sleep(PLACE_SECONDS)
            if not is_at(self._place / LOCK, self._lock):
                break
        self._failure = f"the folder of the run was moved or deleted, it was {self._place}; the run ends here"
        self._leave(False)

    async def _bring_up(self) -> None:
        """Have all nodes up, or none and one sentence that says why."""
        try:
            await self._find_ports()
        except CommandRefused:
            return
        except (OSError, RunError) as error:
            self._failure = f"no node can be started: {_why_no_process(error)}"
        except Exception:  # a lab that cannot go on must end, not stay without nodes
            traceback.print_exc()
            self._failure = "the lab failed while it started the nodes; see logs/lab.log in the run folder"
        self._up.set()
        if self._failure:
            self._leave(False)

    async def _find_ports(self) -> None:
        """Start all nodes on the first block of ports that is free."""
        nodes = self._facts.nodes
        for block in blocks(len(nodes) + len(self._facts.brokers), self._facts.base_port):
            reserved = reserve(block, private_folder()) if self._facts.base_port is None else -1
            if reserved is None:
                continue
            self._lab.ports = Ports.of_block(nodes, self._facts.brokers, block)
            taken = await self._start_all(nodes)
            if not taken:
                if not self._failure:
                    self._announce()
                break
            await self._lab.supervisor.kill(*self._lab.supervisor.nodes)
            if self._facts.base_port is not None:
                holder = holder_of(taken)
                by = f" by {holder}" if holder else ""
                self._failure = f"port {taken} is taken{by}; choose another --base-port, or none"
                break
        else:
            self._failure = "no block of free ports was found below the ephemeral range"

    async def _start_all(self, nodes: tuple[NodeId, ...]) -> int:
        """Start all at once; the port that was taken, or 0. Any other early end is a failure.

        A run that goes on can do without a node whose disk cannot be read, as long as most voters have theirs.
        """
        unreadable: set[NodeId] = set()
        handles = [self._lab.launch(node) for node in nodes]
        import_module("cluster.runtime.lab.client_host")  # while they come up: the lab needs it once they are there
        for handle in handles:
            await asyncio.wait(
                {handle.ready, handle.exited}, timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if handle.exited.done() and handle.exited.result() == exit_codes.PORT_TAKEN:
                return self._lab.ports.taken(handle.node) or self._lab.ports.nodes[handle.node]
            if self._lab.before.is_resumption and handle.exited.done():
                unreadable |= {handle.node} if handle.exited.result() == exit_codes.STORAGE_FAILED else set()
                if handle.node in unreadable and 2 * len(unreadable & {*self._facts.deciders}) < len(
                    self._facts.deciders
                ):
                    continue
            if handle.exited.done() or not handle.ready.done():
                why = f" with {exit_codes.reason(handle.exited.result())}" if handle.exited.done() else ""
                verb = "ended while it started" if why else f"was not there within {READY_SECONDS:g} s"
                log = self._place / "logs" / f"{handle.node}.log"
                self._failure = f"node {handle.node} {verb}{why}; what it said is in {log}"
                return 0
        return 0

    def _announce(self) -> None:
        from cluster.runtime.lab.client_host import ClientHost

        lab = self._lab
        secret = bytes.fromhex((self._folder / SECRET).read_text("ascii"))
        lab.clients = ClientHost(
            lab.ports.nodes,
            secret,
            self._facts.brokers,
            self._facts.deciders,
            lab.settings,
            lab.client_trace(),
            lab.before.client_count,
        )
        update_facts(self._folder, state="running", ports=lab.ports.nodes, client_ports=lab.ports.clients)

    async def carry_out(self, text: str, by: str) -> Answer:
        """One command from parsing to its effect."""
        try:
            return await carry_out(self._lab.desk, text, self._ready, by if by in COMMANDERS else "")
        except TimeoutError:
            return Answer(False, "the nodes are not up yet")
        except (StorageFailed, OSError) as error:
            if not _is_disk_lost(error):
                return Answer(False, f"the system refuses: {os.strerror(error.errno or 0)}")
            self._give_up(error)
            return Answer(False, self._failure)

    def _on_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Of a callback that nobody waits for. What clients and exits tell goes to the trace, which may be full."""
        error = context.get("exception")
        if _is_disk_lost(error):
            self._give_up(error)
        else:
            loop.default_exception_handler(context)

    def _give_up(self, error: Any) -> None:
        """A run whose trace has a hole would tell lies, so it ends where the trace ends."""
        self._failure = f"the trace cannot be written: {os.strerror(error.errno)}; the run ends here"
        self._leave(False)

    async def _ready(self) -> None:
        """CommandRefused when the nodes will never be up, TimeoutError when they are not yet."""
        await asyncio.wait_for(self._up.wait(), READY_SECONDS)
        if self._failure:
            raise CommandRefused(self._failure)

    async def _end(self, in_order: bool) -> bool:  # noqa: FBT001
        """Clients, faults, brokers, controllers, guardian, in this order. Whether nothing had to be forced."""
        lab = self._lab
        if lab.clients is not None:
            lab.clients.close()
        clean = not in_order or await self._end_in_order()
        await lab.supervisor.kill(*lab.supervisor.nodes)
        try:
            (self._folder / BALLAST).unlink(missing_ok=True)
            why = self._failure or self._abandoned
            lab.trace.write(RunEnded(clean=clean and not why, why=why), trigger="lab")
            lab.trace.close()
            update_facts(self._folder, state="abandoned" if self._abandoned else "ended")
        except (OSError, StorageFailed, RunError) as error:
            sys.stderr.write(f"the end of the run could not be written: {error}\n")
        await self._server.close()
        lab.supervisor.close()
        return clean

    async def _end_in_order(self) -> bool:
        """False when something had to be forced, or when somebody could not wait."""
        loop = asyncio.get_running_loop()
        stopping, hurry = loop.create_task(self._stop_all()), loop.create_task(self._hurry.wait())
        await asyncio.wait({stopping, hurry}, return_when=asyncio.FIRST_COMPLETED)
        was_hurried = not stopping.done()
        stopping.cancel()
        hurry.cancel()
        outcome, _ = await asyncio.gather(stopping, hurry, return_exceptions=True)
        return outcome is True and not was_hurried

    async def _stop_all(self) -> bool:
        lab = self._lab
        try:
            # Without its controllers a broker cannot leave in order, so what keeps them apart goes first.
            await asyncio.wait_for(heal(lab.desk, Heal(None)), HEAL_SECONDS)
        except (CommandRefused, TimeoutError) as error:
            sys.stderr.write(f"not all faults were reverted: {error}\n")
        heartbeat_s = lab.settings.broker_heartbeat_interval_ms / 1000
        patience_s = max(LEAVE_SECONDS, LEAVE_HEARTBEATS * heartbeat_s)
        clean = True
        for role in ("broker", "controller", "zookeeper"):
            nodes = [node for node in lab.supervisor.nodes if self._facts.roles(node)[-1] == role]
            went = await asyncio.gather(*(lab.supervisor.stop(node, patience_s) for node in nodes))
            clean = clean and all(went)
        return clean


def _is_disk_lost(error: object) -> bool:
    return isinstance(error, StorageFailed) or isinstance(error, OSError) and error.errno in TRACE_IS_LOST


def _why_no_process(error: OSError | RunError) -> str:
    """EAGAIN is what the system says when it grants no more processes. Source: fork(2)."""
    if getattr(error, "errno", None) != errno.EAGAIN:
        return str(getattr(error, "strerror", None) or error)
    return no_more_processes()


async def _main(place: Path, owner: socket.socket, lock: int) -> int:
    try:
        return await LabProcess(place, lock).run(owner)
    except (RunError, StorageFailed, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_NO_CLUSTER


def main(arguments: list[str]) -> int:
    """Run a lab in a folder that was made for it; LOCK_FD is its lock, taken."""
    if len(arguments) != 3 or not all(word.isdecimal() for word in arguments[1:]):
        sys.stderr.write("usage: python -P -m cluster.runtime.lab.process RUN_FOLDER OWNER_FD LOCK_FD\n")
        return 2
    os.set_inheritable(int(arguments[2]), False)
    return asyncio.run(_main(Path(arguments[0]), socket.socket(fileno=int(arguments[1])), int(arguments[2])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
