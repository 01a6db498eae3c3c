"""Built-in clients inside the lab process: their commands, their connections to the nodes, their events."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from itertools import count
from random import Random

from cluster.clients.client import Client
from cluster.commands.client_jobs import Outcome, client_name, request_of, summary
from cluster.commands.world import ClientCommand
from cluster.faults.catalogue import Produce
from cluster.lab import Answer
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.entry import EventId
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId
from cluster.model.inputs import Disconnected, Input, Received
from cluster.model.inputs import TimerFired as Fired
from cluster.model.settings import Settings
from cluster.runtime.connections import Connections
from cluster.runtime.timers import Timers
from cluster.trace.tracer import Tracer
from cluster.trace.writer import TraceWriter
from cluster.wire.frame import Frame

CORRELATION_BITS = 32


@dataclass(slots=True)
class _Job:
    """One command until it is done."""

    client: Client
    node_id: NodeId
    done: asyncio.Future[None]
    outcome: Outcome = field(default_factory=Outcome)


class ClientHost:
    """Runs one client for each command; all share the host's connections."""

    def __init__(
        self,
        ports: dict[NodeId, int],
        secret: bytes,
        brokers: tuple[NodeId, ...],
        controllers: tuple[NodeId, ...],
        settings: Settings,
        trace: TraceWriter,
    ) -> None:
        self._brokers, self._controllers, self._settings = brokers, controllers, settings
        self._tracer = Tracer(trace)
        self._jobs: dict[int, _Job] = {}
        self._numbers = count(1)
        self._timers = Timers(asyncio.get_running_loop(), self._on_timer, Random())
        self._connections = Connections(
            FIRST_CLIENT_ID,
            secret,
            ports,
            patience_ms=settings.request_timeout_ms,
            deliver=self._on_frames,
            emit=lambda _event, _trigger: None,
            lost=self._on_lost,
        )

    async def run(self, command: ClientCommand, cause: EventId | None = None) -> Answer:
        """Carry out one command; done when its outcome is known, or at once when it is not to be waited for."""
        number = next(self._numbers)
        name = client_name(command, number)
        node_id = FIRST_CLIENT_ID + number
        client = Client(
            name,
            node_id,
            self._brokers,
            self._controllers,
            self._settings,
            first_correlation=number << CORRELATION_BITS,
        )
        job = self._jobs[number] = _Job(client, node_id, asyncio.get_running_loop().create_future())
        self._give(number, request_of(command), cause, f"command to {name}")
        if isinstance(command, Produce) and not command.wait:
            return Answer(True, f"{name} is at it")
        await job.done
        return (
            summary(command, job.outcome)
            if client.idle
            else Answer(False, f"the run ends before {name} has its answer")
        )

    def close(self) -> None:
        """Drop all connections; commands that still wait are told so."""
        jobs, self._jobs = self._jobs, {}
        for job in jobs.values():
            job.done.set_result(None)
        self._timers.close()
        self._connections.close()

    def _give(self, number: int, happened: Input, cause: EventId | None, trigger: str, lamport: int = 0) -> None:
        job = self._jobs.get(number)
        if job is None:
            return
        self._tracer.begin(cause, trigger, lamport)
        for effect in job.client.handle(happened, time.monotonic_ns() // 1_000_000):
            self._perform(number, job, effect)
        self._connections.flush()
        if job.client.idle:
            del self._jobs[number]
            job.done.set_result(None)

    def _perform(self, number: int, job: _Job, effect: Effect) -> None:
        match effect:
            case Emit(event=event, decision=decision):
                self._tracer.emit(event, decision)
                job.outcome.note(event)
            case Send(target=target, message=message, correlation=correlation):
                frame = Frame(job.node_id, correlation, message, self._tracer.cause, self._tracer.lamport)
                self._connections.request(target, frame)
            case SetTimer(name=name, delay_ms=delay_ms, jitter_ms=jitter_ms):
                self._timers.set(f"{number}:{name}", delay_ms, jitter_ms, self._tracer.cause)
            case CancelTimer(name=name):
                self._timers.cancel(f"{number}:{name}")
            case _:
                raise AssertionError(f"a client does not ask for {effect}")

    def _on_timer(self, name: str, cause: EventId | None) -> None:
        number, _, own_name = name.partition(":")
        self._give(int(number), Fired(name=own_name), cause, f"timer {own_name}")

    def _on_frames(self, frames: list[Frame]) -> None:
        for frame in frames:
            cause = None if frame.cause is None else EventId(*frame.cause)
            received = Received(sender=frame.sender, correlation=frame.correlation, message=frame.message)
            trigger = f"{type(frame.message).__name__} from {frame.sender}"
            self._give(frame.correlation >> CORRELATION_BITS, received, cause, trigger, frame.lamport)

    def _on_lost(self, peer: NodeId) -> None:
        for number in list(self._jobs):
            self._give(number, Disconnected(peer=peer), None, f"connection to {peer} lost")
