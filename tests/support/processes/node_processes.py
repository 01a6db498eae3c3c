"""Real node processes without a lab."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cluster.model.entry import Entry
from cluster.model.settings import Settings, classroom_timing
from cluster.runtime.lab.own_code import child_environment
from cluster.runtime.run.folder import private_folder
from cluster.runtime.run.ports import Ports, blocks, reserve
from cluster.trace.reader import read_all
from tests.support.processes.watching import until

LIMIT_S = 30.0


class Cluster:
    """Node processes on one run folder."""

    def __init__(self, folder: Path, roles: dict[int, list[str]], settings: Settings | None = None) -> None:
        self.folder, self.roles = folder, roles
        self.settings = settings or classroom_timing()
        brokers = tuple(node for node, parts in roles.items() if "broker" in parts)
        self._reserved, block = reserved_block(len(roles) + len(brokers))
        known = Ports.of_block(tuple(roles), brokers, block)
        self.ports, self.client_ports = known.nodes, known.clients
        self.lives = dict.fromkeys(roles, -1)
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self._all: list[subprocess.Popen[bytes]] = []
        (folder / "nodes").mkdir()
        (folder / "data").mkdir()
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
        } | changes
        path = self.folder / "nodes" / f"{node}.json"
        path.write_text(json.dumps(config))
        command = [sys.executable, "-P", "-m", "cluster.runtime.node.process", str(path)]
        fds = () if control_fd is None else (control_fd,)
        command += [str(fd) for fd in fds]
        self.processes[node] = subprocess.Popen(
            command, cwd=self.folder, env=child_environment(), stderr=subprocess.PIPE, pass_fds=fds
        )
        self._all.append(self.processes[node])
        return self.processes[node]

    def until(self, reached: Callable[[list[Entry]], bool]) -> list[Entry]:
        """All entries, once they say so."""
        trace, entries = self.folder / "trace", list[Entry]()

        def look() -> bool:
            entries[:] = read_all(trace) if trace.exists() else []
            return reached(entries)

        until(look, LIMIT_S, "what the processes tell")
        return entries

    def end(self) -> None:
        for process in self._all:
            process.kill()
            process.communicate()
        os.close(self._reserved)


def reserved_block(count: int) -> tuple[int, tuple[int, ...]]:
    """Ports and a lock on them, as a lab takes them: any connection may take one that the system hands out."""
    for block in blocks(count, None):
        lock = reserve(block, private_folder())
        if lock is not None:
            return lock, block
    raise AssertionError("no block of ports is free")
