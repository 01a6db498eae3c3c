"""Built-in clients inside the lab process: their connections to the nodes, their timers, their events."""

from __future__ import annotations

import asyncio
import time
from random import Random

from cluster.commands.clients import Clients, Job, is_awaited
from cluster.commands.world import ClientCommand
from cluster.faults.effects_on_links import LinkRules
from cluster.lab import Answer
from cluster.language.members import MemberOrder
from cluster.language.topics import Load
from cluster.links.frame import Frame
from cluster.model.entry import EventId
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId
from cluster.model.settings import Settings
from cluster.runtime.connections import Connections
from cluster.runtime.timers import Timers
from cluster.trace.writer import TraceWriter


class ClientHost:
    """Runs one client for each command; all share the host's connections. Implements Carrier."""

    def __init__(
        self,
        ports: dict[NodeId, int],
        secret: bytes,
        brokers: tuple[NodeId, ...],
        controllers: tuple[NodeId, ...],
        settings: Settings,
        trace: TraceWriter,
        worked_before: int = 0,
    ) -> None:
        """`worked_before`: clients that the run has seen."""
        self._clients = Clients(brokers, controllers, settings, trace, self, worked_before)
        self._timers = Timers(asyncio.get_running_loop(), self._clients.on_timer, Random())
        self._connections = Connections(
            FIRST_CLIENT_ID,
            secret,
            ports,
            patience_ms=settings.request_timeout_ms,
            deliver=self._on_frames,
            emit=self._clients.tell_of_links,
            lost=self._clients.on_lost,
            observe=trace.observe,
            clock=trace.now_ns,
        )

    async def run(self, command: ClientCommand, cause: EventId | None = None) -> Answer:
        """Carry out one command; done when its outcome is known, or at once when it is not to be waited for."""
        outcome: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def done(job: Job) -> None:
            outcome.set_result(job.answer())

        if isinstance(command, MemberOrder):
            return self._clients.order(command, cause)
        if isinstance(command, Load):
            return self._clients.load(command, cause)
        job = self._clients.begin(command, cause, done)
        if not is_awaited(command):
            return Answer(True, f"{job.name} is at it")
        return await outcome

    def apply(self, rules: LinkRules) -> None:
        """Obey link faults."""
        self._connections.apply(rules)

    def close(self) -> None:
        """Drop all connections; commands that still wait are told so."""
        self._clients.close()
        self._timers.close()
        self._connections.close()

    def now_ms(self) -> int:
        """The machine's monotonic clock."""
        return time.monotonic_ns() // 1_000_000

    def request(self, target: NodeId, frame: Frame) -> None:
        """Over the host's own connection to that node."""
        self._connections.request(target, frame)

    def set_timer(self, name: str, delay_ms: int, jitter_ms: int, cause: EventId | None) -> None:
        """On the event loop."""
        self._timers.set(name, delay_ms, jitter_ms, cause)

    def cancel_timer(self, name: str) -> None:
        """Forget it, if it is set."""
        self._timers.cancel(name)

    def flush(self) -> None:
        """One write for each connection."""
        self._connections.flush()

    def _on_frames(self, frames: list[Frame]) -> None:
        for frame in frames:
            self._clients.on_frame(frame)
