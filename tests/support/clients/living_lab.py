"""A lab of real processes that a test of blocking clients can command."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from cluster.cluster_spec import ClusterSpec
from cluster.lab import Answer
from cluster.model.entry import Entry
from cluster.runtime.lab.client import LabClient, launch_lab
from cluster.runtime.run.folder import read_facts
from cluster.trace.reader import read_all

COMMAND_S = 60.0


class LivingLab:
    """Three controllers and three brokers unless told otherwise, on an event loop of their own."""

    def __init__(self, home: Path, spec: ClusterSpec | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._lab: LabClient = self._await(launch_lab(home, spec or ClusterSpec(title="Client matrix")))
        self.do("topic first replicas=3")  # waits until every broker is in service
        self.folder = self._lab.run_folder
        """Of the run."""
        self.ports = read_facts(self.folder).client_ports or {}
        """For Kafka clients, by broker."""

    @property
    def bootstrap(self) -> str:
        """What clients are pointed at."""
        return ",".join(read_facts(self.folder).bootstrap)

    def do(self, command: str) -> str:
        """Carry out a command of the lab; what it said. AssertionError when it was refused."""
        answer: Answer = self._await(self._lab.send(command))
        assert answer.ok, f"{command}: {answer.text}"
        return answer.text

    def entries(self) -> list[Entry]:
        """All events so far."""
        return read_all(self.folder / "trace")

    def close(self) -> None:
        """End everything."""
        self._await(self._lab.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(COMMAND_S)
        self._loop.close()

    def _await(self, coroutine: Any) -> Any:
        future: Future[Any] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result(COMMAND_S)
