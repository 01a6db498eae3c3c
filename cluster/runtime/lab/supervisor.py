"""Node processes of one run: start, order, stop, kill, pause.

Every node gets one end of a socket pair: orders come in, their fulfilment goes out, and end of file means that the lab
is gone. A guardian in its own session kills what is left when the lab dies; it works on stopped processes too.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cluster.model.identifiers import NodeId
from cluster.runtime.lab.own_code import child_environment
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.ports import Ports
from cluster.storage.host_files import HostFiles
from cluster.storage.meta_properties import format_disk

ORDER_SECONDS = 2.0
STOPPED_SECONDS = 2.0
EXIT_SECONDS = 5.0
GUARDIAN_SECONDS = 0.5
"""After that a guardian that somebody killed is replaced."""


class NodeHandle:
    """One living node process."""

    def __init__(
        self, node: NodeId, incarnation: int, process: subprocess.Popen[bytes], control: socket.socket
    ) -> None:
        self.node = node
        self.incarnation = incarnation
        """Which start, from 0."""
        self.process = process
        self.is_paused = False
        """Stopped by SIGSTOP, until a command lets it go on."""
        self.rounds: asyncio.Task[None] | None = None
        """Stops it and lets it go on in turn; None when nothing does."""
        self.is_expected_to_end = False
        """A command asked for its end."""
        self.ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Its port, once it listens; cancelled when it ends before."""
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Exit code, negative for a signal; set after it was reaped."""
        self._control = control
        self._answers: dict[int, asyncio.Future[str]] = {}
        self._count = 0
        self._writer: asyncio.StreamWriter | None = None
        self._listening = asyncio.get_running_loop().create_task(self._listen())

    async def _listen(self) -> None:
        reader, self._writer = await asyncio.open_connection(sock=self._control)
        try:
            while line := await reader.readline():
                self._hear(json.loads(line))
        except (OSError, ValueError) as error:
            sys.stderr.write(f"control link of node {self.node}: {error}\n")

    def _hear(self, told: dict[str, Any]) -> None:
        if told.get("ready") and not self.ready.done():
            self.ready.set_result(int(told["port"]))
        answer = self._answers.pop(told.get("done", -1), None)
        if answer is not None and not answer.done():
            answer.set_result(str(told.get("error", "")))

    async def order(self, what: dict[str, Any]) -> str:
        """Have an order carried out; empty when it is in force, else why not."""
        if self.is_paused or self.exited.done():
            return "it does not run"
        await asyncio.wait({self.ready, self.exited}, timeout=ORDER_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if self._writer is None or not self.ready.done() or self.ready.cancelled():
            return "it does not listen yet"
        self._count += 1
        number = self._count
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._writer.write(json.dumps({"id": number, **what}).encode() + b"\n")
        try:
            return await asyncio.wait_for(answer, ORDER_SECONDS)
        except TimeoutError:
            if self.rounds is not None:
                return ""  # it is in the socket, and read when the node runs next
            self._answers.pop(number, None)
            return f"no answer within {ORDER_SECONDS:g} s"

    def close(self) -> None:
        """Let go of the control link."""
        self._listening.cancel()
        if self.rounds is not None:
            self.rounds.cancel()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result("it has ended")
        self._answers.clear()
        if self._writer is not None:
            self._writer.close()
        else:
            self._control.close()


class Supervisor:
    """Starts and ends node processes; tells `on_exit` of each that is gone and reaped."""

    def __init__(
        self,
        folder: Path,
        facts: RunFacts,
        lock: int,
        on_exit: Callable[[NodeHandle, int], None],
        starts: Mapping[NodeId, int],
    ) -> None:
        """`starts`: how often each node was started before."""
        self._folder = folder
        self._facts = facts
        self._lock = lock
        self._on_exit = on_exit
        self._lives = {node: count - 1 for node, count in starts.items()}
        self.nodes: dict[NodeId, NodeHandle] = {}
        self._environment = child_environment()
        self._is_closed = False
        self._guardian = self._new_guardian()

    def _new_guardian(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-P", "-m", "cluster.runtime.lab.guardian"]
        guardian = subprocess.Popen(
            command, stdin=subprocess.PIPE, start_new_session=True, text=True, bufsize=1, env=self._environment
        )
        try:
            self._on_end_of(guardian, self._replace_guardian, guardian, pause_s=GUARDIAN_SECONDS)
        except OSError:
            guardian.kill()
            guardian.communicate()
            raise
        return guardian

    def _replace_guardian(self, gone: subprocess.Popen[str], _code: int) -> None:
        """Start another, told of all nodes; when the system grants no process now, it is tried again."""
        if self._is_closed or gone is not self._guardian:
            return
        try:
            self._guardian = self._new_guardian()
        except OSError:
            asyncio.get_running_loop().call_later(GUARDIAN_SECONDS, self._replace_guardian, gone, _code)
            return
        _hang_up(gone)
        for handle in self.nodes.values():
            self._tell_guardian(f"+{handle.process.pid}")

    def start(
        self, node: NodeId, ports: Ports, rules: list[dict[str, Any]], disk: dict[str, Any], clients: dict[str, Any]
    ) -> NodeHandle:
        """Start a node on the files it left, with the faults that are in force."""
        incarnation = self._lives.get(node, -1) + 1
        self._lives[node] = incarnation
        if self._facts.settings.get("dynamic_quorum"):
            format_disk(HostFiles(self._folder / "data" / str(node)), self._facts.id, node, incarnation)
        path = self._write_config(node, incarnation, ports, {"rules": rules, "disk": disk, "clients": clients})
        mine, theirs = socket.socketpair()
        try:
            named = str(path.absolute())  # where the folder is by now
            command = [sys.executable, "-P", "-m", "cluster.runtime.node.process", named, str(theirs.fileno())]
            process = self._spawn(node, command, theirs)
        except OSError:
            mine.close()
            raise
        handle = NodeHandle(node, incarnation, process, mine)
        try:
            self._on_end_of(process, self._gone, handle)
        except OSError:  # no thread: nobody would ever hear of its end
            handle.close()
            process.kill()
            process.wait()
            raise
        self._tell_guardian(f"+{process.pid}")
        self.nodes[node] = handle
        return handle

    def _spawn(self, node: NodeId, command: list[str], theirs: socket.socket) -> subprocess.Popen[bytes]:
        """Own session: ctrl-C in the terminal must not reach it. Output goes to a file: a full pipe would block it.

        The lock is inherited: it is free exactly when the last node is dead.
        """
        with (self._folder / "logs" / f"{node}.log").open("ab") as log, theirs:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=self._folder,
                env=self._environment,
                pass_fds=(theirs.fileno(), self._lock),
            )

    def _write_config(self, node: NodeId, incarnation: int, ports: Ports, faults: dict[str, Any]) -> Path:
        config = {
            "run": self._facts.id,
            "node_id": node,
            "roles": self._facts.roles(node),
            "controllers": self._facts.controllers,
            "brokers": self._facts.brokers,
            "settings": self._facts.settings,
            "incarnation": incarnation,
            "incarnation_id": secrets.token_hex(8),
            "ports": ports.nodes,
            "client_ports": ports.clients,
            "clock_shift_ns": self._facts.clock_shift_ns,
        } | faults
        path = self._folder / "nodes" / f"{node}.json"
        path.write_text(json.dumps(config))
        return path

    def _on_end_of(
        self, process: subprocess.Popen[Any], then: Callable[[Any, int], None], whose: object, pause_s: float = 0.0
    ) -> None:
        """Wait in a thread of its own: a killed child that nobody waits for still looks alive. OSError without one.

        Args:
            then: called in the loop with `whose` and the exit code, after a pause.
        """
        loop = asyncio.get_running_loop()

        def reap() -> None:
            code = process.wait()
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(loop.call_later, pause_s, then, whose, code)

        try:
            threading.Thread(target=reap, daemon=True).start()
        except RuntimeError as error:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error

    def _gone(self, handle: NodeHandle, code: int) -> None:
        self._tell_guardian(f"-{handle.process.pid}")
        handle.close()
        handle.ready.cancel()
        if self.nodes.get(handle.node) is handle:
            del self.nodes[handle.node]
        try:
            self._on_exit(handle, code)
        finally:
            handle.exited.set_result(code)

    async def kill(self, *nodes: NodeId) -> None:
        """SIGKILL them at once and wait until all are reaped."""
        handles = [self.nodes[node] for node in nodes if node in self.nodes]
        for handle in handles:
            handle.is_expected_to_end = True
            handle.process.kill()
        for handle in handles:
            await asyncio.shield(handle.exited)

    async def stop(self, node: NodeId, patience_s: float = EXIT_SECONDS) -> bool:
        """Ask it to leave in order, a stopped one after SIGCONT; SIGKILL when it does not. True when it went itself."""
        handle = self.nodes[node]
        handle.is_expected_to_end = True
        self.steady(node)
        if handle.is_paused:
            self.resume(node)
        if await handle.order({"do": "stop"}) and not handle.exited.done():
            handle.process.terminate()
        try:
            await asyncio.wait_for(asyncio.shield(handle.exited), patience_s)
        except TimeoutError:
            await self.kill(node)
            return False
        return handle.exited.result() == 0

    async def pause(self, node: NodeId) -> bool:
        """SIGSTOP, confirmed by the system; false when it ended instead."""
        handle = self.nodes[node]
        handle.is_paused = True  # from now on no round lets it go on
        handle.process.send_signal(signal.SIGSTOP)
        deadline = asyncio.get_running_loop().time() + STOPPED_SECONDS
        # The signal is sent, not obeyed. Until the system says that it stands still the node may grant one more vote,
        # and a lab that has said "paused" before would show what was not so.
        while not _has_stopped(handle.process.pid):
            if handle.exited.done() or asyncio.get_running_loop().time() > deadline:
                handle.is_paused = False
                return False
            await asyncio.sleep(0.001)
        return True

    def resume(self, node: NodeId) -> None:
        """SIGCONT."""
        handle = self.nodes[node]
        handle.is_paused = False
        handle.process.send_signal(signal.SIGCONT)

    def stutter(self, node: NodeId, run_s: float, stop_s: float) -> None:
        """SIGSTOP and SIGCONT in turn from now on, in place of older rounds."""
        self.steady(node)
        handle = self.nodes[node]
        handle.rounds = asyncio.get_running_loop().create_task(_go_round(handle, run_s, stop_s))

    def steady(self, node: NodeId) -> None:
        """No more of that; it goes on unless it is paused."""
        handle = self.nodes.get(node)
        rounds = None if handle is None else handle.rounds
        if handle is not None and rounds is not None:
            handle.rounds = None
            rounds.cancel()
            if not handle.is_paused:
                handle.process.send_signal(signal.SIGCONT)

    async def order_all(self, what: dict[str, Any]) -> dict[NodeId, str]:
        """Give every node that runs an order; why some did not carry it out. One that ended or is paused need not."""
        asked = [handle for handle in self.nodes.values() if not handle.is_paused]
        answers = await asyncio.gather(*(handle.order(what) for handle in asked))
        return {
            handle.node: why
            for handle, why in zip(asked, answers, strict=True)
            if why and not handle.exited.done() and not handle.is_paused
        }

    def _tell_guardian(self, line: str) -> None:
        assert self._guardian.stdin is not None
        with suppress(BrokenPipeError):  # it was killed; the next one is told of all nodes
            self._guardian.stdin.write(line + "\n")

    def close(self) -> None:
        """End the guardian; it kills what is left."""
        self._is_closed = True
        _hang_up(self._guardian)
        self._guardian.wait(EXIT_SECONDS)


def _hang_up(guardian: subprocess.Popen[str]) -> None:
    assert guardian.stdin is not None
    with suppress(BrokenPipeError):  # what it was never told stays in the buffer
        guardian.stdin.close()


async def _go_round(handle: NodeHandle, run_s: float, stop_s: float) -> None:
    """A paused node stands still all the time."""
    while True:
        for number, seconds in ((signal.SIGCONT, run_s), (signal.SIGSTOP, stop_s)):
            if not handle.is_paused:
                handle.process.send_signal(number)
            await asyncio.sleep(seconds)


def _has_stopped(pid: int) -> bool:
    """Whether the child is stopped, without taking its end away from whoever waits for that."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return listed.stdout.startswith("T")
    try:
        status = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return status is not None and status.si_pid == pid
