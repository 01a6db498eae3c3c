"""A lab of real processes, owned by the process that launched it; a guardian ends the nodes when the owner dies."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from cluster.lab import Answer
from cluster.model.events import (
    CommandRejected,
    FaultApplied,
    FaultInjected,
    FaultReverted,
    ProcessExited,
    ProcessStarted,
    RunEnded,
    RunStarted,
)
from cluster.model.identifiers import NodeId
from cluster.model.settings import Settings, classroom_timing
from cluster.trace.writer import TraceWriter

FIRST_PORT = 19092
LAST_PORT = 32000
LAB_ID = 0
EXIT_WAIT_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LabConfig:
    """What to start."""

    home: Path
    """Folder of all runs."""
    controllers: int = 3
    """How many; numbered from 101."""
    brokers: int = 3
    """How many; numbered from 1."""
    settings: Settings = classroom_timing()
    """Timers and switches."""
    title: str = "Free lab"
    """Shown on screen."""


class ProcessLab:
    """Starts, kills, pauses and restarts node processes, and writes what it did to the trace."""

    def __init__(self, config: LabConfig) -> None:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        self.run = f"{stamp}-{secrets.token_hex(2)}"
        self.run_folder = config.home / "runs" / self.run
        for name in ("trace", "data", "logs", "nodes"):
            (self.run_folder / name).mkdir(parents=True, mode=0o700)
        self._secret = self.run_folder / "secret"
        handle = os.open(self._secret, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.write(handle, secrets.token_hex(32).encode())
        os.close(handle)
        self._config = config
        self.controllers = tuple(range(101, 101 + config.controllers))
        self.brokers = tuple(range(1, 1 + config.brokers))
        ports = _free_ports(len(self.controllers) + len(self.brokers))
        self._ports = dict(zip((*self.controllers, *self.brokers), ports, strict=True))
        self._trace = TraceWriter(self.run_folder / "trace" / "0-0.trace", self.run, LAB_ID, 0)
        self._processes: dict[NodeId, subprocess.Popen[bytes]] = {}
        self._lives = dict.fromkeys(self._ports, 0)
        self._paused: dict[NodeId, int] = {}
        self._fault_count = 0
        command = [sys.executable, "-P", "-m", "cluster.runtime.guardian"]
        self._guardian = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, text=True, bufsize=1)

    def start(self) -> None:
        """Start all nodes."""
        settings = json.dumps(asdict(self._config.settings))
        self._trace.write(RunStarted(config=settings, world="processes", title=self._config.title))
        for node in self._ports:
            self._spawn(node)

    def _spawn(self, node: NodeId) -> None:
        life = self._lives[node]
        roles = ("controller",) if node in self.controllers else ("broker",)
        config = {
            "run": self.run,
            "node_id": node,
            "roles": roles,
            "controllers": self.controllers,
            "brokers": self.brokers,
            "settings": asdict(self._config.settings),
            "incarnation": life,
            "incarnation_id": secrets.token_hex(8),
            "ports": self._ports,
            "folder": str(self.run_folder.resolve()),
        }
        path = self.run_folder.resolve() / "nodes" / f"{node}.json"
        path.write_text(json.dumps(config))
        with (self.run_folder / "logs" / f"{node}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "cluster.runtime.node_process", str(path)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._tell_guardian(f"+{process.pid}")
        self._processes[node] = process
        self._lives[node] = life + 1
        started = ProcessStarted(node_id=node, roles=roles, incarnation_number=life, pid=process.pid)
        self._trace.write(started, trigger="lab")

    def _tell_guardian(self, line: str) -> None:
        assert self._guardian.stdin is not None
        self._guardian.stdin.write(line + "\n")

    async def send(self, text: str) -> Answer:
        """Carry out kill, restart, pause or resume of one node; everything else is refused with one clear line."""
        words = text.split()
        verbs = {"kill": self._kill, "restart": self._restart, "pause": self._pause, "resume": self._resume}
        if len(words) != 2 or words[0] not in verbs:
            return self._refuse(text, f"unknown command; this lab knows {', '.join(verbs)}, each with a node")
        if not words[1].isdecimal() or int(words[1]) not in self._ports:
            return self._refuse(text, f"no node {words[1]}; there are {', '.join(map(str, self._ports))}")
        why = verbs[words[0]](int(words[1]), text)
        return self._refuse(text, why) if why else Answer(True, f"done: {text}")

    def _refuse(self, text: str, why: str) -> Answer:
        self._trace.write(CommandRejected(command=text[:200], why=why))
        return Answer(False, why)

    def _inject(self, kind: str, node: NodeId, text: str) -> int:
        self._fault_count += 1
        injected = FaultInjected(fault_id=self._fault_count, kind=kind, arguments=str(node), command=text)
        self._cause = self._trace.write(injected, trigger="command")
        return self._fault_count

    def _kill(self, node: NodeId, text: str) -> str:
        process = self._processes.get(node)
        if process is None:
            return f"node {node} is not running"
        number = self._inject("Kill", node, text)
        process.kill()
        self._reap(node, process)
        self._trace.write(FaultApplied(fault_id=number, kind="Kill", arguments=str(node)), cause=self._cause)
        return ""

    def _reap(self, node: NodeId, process: subprocess.Popen[bytes]) -> None:
        code = process.wait(EXIT_WAIT_S)
        del self._processes[node]
        self._paused.pop(node, None)
        self._tell_guardian(f"-{process.pid}")
        life = self._lives[node] - 1
        self._trace.write(ProcessExited(node_id=node, incarnation_number=life, exit_code=code, expected=True))

    def _restart(self, node: NodeId, text: str) -> str:
        if node in self._processes:
            return f"node {node} is running; kill it first"
        self._spawn(node)
        return ""

    def _pause(self, node: NodeId, text: str) -> str:
        process = self._processes.get(node)
        if process is None or node in self._paused:
            return f"node {node} is not running"
        self._paused[node] = self._inject("Pause", node, text)
        process.send_signal(signal.SIGSTOP)
        self._trace.write(
            FaultApplied(fault_id=self._paused[node], kind="Pause", arguments=str(node)), cause=self._cause
        )
        return ""

    def _resume(self, node: NodeId, text: str) -> str:
        number = self._paused.pop(node, None)
        if number is None:
            return f"node {node} is not paused"
        self._processes[node].send_signal(signal.SIGCONT)
        self._trace.write(FaultReverted(fault_id=number, kind="Pause", arguments=str(node)), trigger=text)
        return ""

    async def close(self) -> None:
        """End every node and the guardian; nothing is left running."""
        for node, process in list(self._processes.items()):
            process.kill()
            self._reap(node, process)
        self._trace.write(RunEnded(clean=True))
        self._trace.close()
        assert self._guardian.stdin is not None
        self._guardian.stdin.close()
        self._guardian.wait(EXIT_WAIT_S)


def _free_ports(count: int) -> list[int]:
    """A block of ports below the ephemeral range that nobody listens on. OSError when there is none."""
    for first in range(FIRST_PORT, LAST_PORT, 20):
        block = list(range(first, first + count))
        if all(_is_free(port) for port in block):
            return block
    raise OSError(f"no {count} free ports between {FIRST_PORT} and {LAST_PORT}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


async def launch_lab(config: LabConfig, *, detached: bool = False) -> ProcessLab:
    """Start a lab that lives as long as this process. ValueError when asked to outlive it."""
    if detached:
        raise ValueError("a lab cannot outlive the process that launched it")
    lab = ProcessLab(config)
    lab.start()
    await asyncio.sleep(0)
    return lab
