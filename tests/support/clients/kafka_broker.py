"""One combined node of its own, with a lab's control link and a listener for Kafka clients."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from cluster.model.entry import Entry
from cluster.model.settings import classroom_timing
from tests.support.processes.node_processes import Cluster


class Broker:
    """One combined node with a lab's control link."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        known = replace(classroom_timing(), **settings)
        self.cluster = Cluster(folder, {1: ["controller", "broker"]}, known)
        self._lab, self.process = self.cluster.start_controlled(1)
        self._lines = self._lab.makefile("r")
        self._count = 0
        assert json.loads(self._lines.readline())["ready"]
        self.port = self.cluster.client_ports[1]

    def order(self, **what: Any) -> None:
        self._count += 1
        self._lab.sendall(json.dumps({"do": "clients", "id": self._count, **what}).encode() + b"\n")
        assert json.loads(self._lines.readline()) == {"done": self._count}

    def told(self, name: str, **fields: Any) -> list[Any]:
        """The events of this name with these values, once there is one."""

        def found(entries: list[Entry]) -> list[Any]:
            events = [entry.event for entry in entries if entry.event.name == name]
            return [each for each in events if all(getattr(each, key) == value for key, value in fields.items())]

        return found(self.cluster.until(lambda entries: bool(found(entries))))

    def end(self) -> None:
        self._lines.close()
        self._lab.close()
        self.cluster.end()

    def resident_kib(self) -> int | None:
        """Memory of its process; None where the system does not tell."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return None
        return int(next(line for line in status.read_text().splitlines() if line.startswith("VmRSS")).split()[1])
