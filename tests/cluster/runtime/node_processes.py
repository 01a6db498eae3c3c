"""Real node processes without a lab."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cluster.model.entry import Entry
from cluster.model.settings import Settings, classroom_timing
from cluster.trace.reader import read_all

LIMIT_S = 15.0
ROOT = Path(__file__).resolve().parents[3]


class Cluster:
    """Node processes on one run folder."""

    def __init__(self, folder: Path, roles: dict[int, list[str]], settings: Settings | None = None) -> None:
        self.folder, self.roles = folder, roles
        self.settings = settings or classroom_timing()
        self.ports = dict(zip(roles, free_ports(len(roles)), strict=True))
        brokers = [node for node, parts in roles.items() if "broker" in parts]
        self.client_ports = dict(zip(brokers, free_ports(len(brokers)), strict=True))
        self.lives = dict.fromkeys(roles, -1)
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self._all: list[subprocess.Popen[bytes]] = []
        (folder / "nodes").mkdir()
        (folder / "secret").write_text("5a" * 32)

    def start_controlled(self, node: int) -> tuple[socket.socket, subprocess.Popen[bytes]]:
        lab, own = socket.socketpair()
        with own:
            return lab, self.start(node, own.fileno())

    def start(self, node: int, control_fd: int | None = None, **changes: Any) -> subprocess.Popen[bytes]:
        self.lives[node] += 1
        config = {
            "run": "test",
            "node_id": node,
            "roles": self.roles[node],
            "controllers": [n for n, r in self.roles.items() if "controller" in r],
            "brokers": [n for n, r in self.roles.items() if "broker" in r],
            "settings": asdict(self.settings),
            "incarnation": self.lives[node],
            "incarnation_id": f"{node}-{self.lives[node]}",
            "ports": self.ports,
            "client_ports": self.client_ports,
            "folder": str(self.folder),
        } | changes
        path = self.folder / "nodes" / f"{node}.json"
        path.write_text(json.dumps(config))
        command = [sys.executable, "-P", "-m", "cluster.runtime.node.process", str(path)]
        fds = () if control_fd is None else (control_fd,)
        command += [str(fd) for fd in fds]
        self.processes[node] = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, pass_fds=fds)
        self._all.append(self.processes[node])
        return self.processes[node]

    def until(self, reached: Callable[[list[Entry]], bool]) -> list[Entry]:
        deadline = time.monotonic() + LIMIT_S
        while True:
            entries = read_all(self.folder / "trace") if (self.folder / "trace").exists() else []
            if reached(entries):
                return entries
            assert time.monotonic() < deadline, "not reached"
            time.sleep(0.01)

    def end(self) -> None:
        for process in self._all:
            process.kill()
            process.communicate()


def free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports
