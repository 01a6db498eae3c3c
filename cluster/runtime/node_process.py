"""One node as a process: `python -P -m cluster.runtime.node_process CONFIG.json`. It does what the node asks."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from cluster.model.effects import (
    Append,
    AssignEpoch,
    CancelTimer,
    CheckpointHighWatermark,
    Effect,
    Emit,
    Flush,
    PersistElection,
    Send,
    SetTimer,
    StopNode,
    Truncate,
)
from cluster.model.election_state import ElectionState
from cluster.model.errors import StorageFailed
from cluster.model.events import Event, ProcessReady, StorageError
from cluster.model.identifiers import METADATA, NodeId
from cluster.model.inputs import Flushed, Input, NodeStarted, Received, TimerFired
from cluster.model.settings import Settings
from cluster.node.node import Node
from cluster.runtime.links import Link
from cluster.storage.clean_shutdown import leave_marker, take_marker
from cluster.storage.disk import Disk
from cluster.storage.election_file import read_election, write_election
from cluster.storage.log import open_log, topic_directory
from cluster.trace.entry import EventId
from cluster.trace.writer import TraceWriter
from cluster.wire.frame import Frame, encode_frame

EXIT_STORAGE = 74


class NodeProcess:
    """The world around one node: clock, timers, links, disk, trace."""

    def __init__(self, config: dict[str, Any], secret: bytes) -> None:
        folder = Path(config["folder"])
        self.node_id: NodeId = config["node_id"]
        self._ports = {int(node): port for node, port in config["ports"].items()}
        self._secret = secret
        trace = folder / "trace" / f"{self.node_id}-{config['incarnation']}.trace"
        self._trace = TraceWriter(trace, config["run"], self.node_id, config["incarnation"])
        self._disk = Disk(folder / "data" / str(self.node_id))
        marker = take_marker(self._disk)
        directory = topic_directory(METADATA)
        self._log, recovered = open_log(self._disk, directory, METADATA, clean=marker is not None, high_watermark=0)
        self._cause: EventId | None = None
        self._trigger = "start"
        self._lamport = 0
        self._emit(recovered)
        self._node = Node(
            self.node_id,
            tuple(config["roles"]),
            tuple(config["controllers"]),
            Settings(**config["settings"]),
            self._log,
            read_election(self._disk),
            config["incarnation_id"],
            -1 if marker is None else marker,
        )
        self._inbox: deque[tuple[Input, EventId | None, str]] = deque()
        self._busy = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._outgoing: dict[NodeId, Link] = {}
        self._connecting: dict[NodeId, list[bytes]] = {}
        self._incoming: dict[NodeId, Link] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Listen, start, and serve until the node may leave."""
        port = self._ports[self.node_id]
        server = await asyncio.get_running_loop().create_server(
            lambda: Link(self.node_id, self._secret, self._arrived), "127.0.0.1", port, reuse_address=True
        )
        self._emit(ProcessReady(node_id=self.node_id, port=port))
        self._put(NodeStarted(), None, "start")
        await self._stopped.wait()
        server.close()

    def _arrived(self, link: Link, frame: Frame) -> None:
        if frame.sender != link.peer:
            link.abort()
            return
        if not type(frame.message).__name__.endswith("Response"):
            self._incoming[link.peer] = link
        self._lamport = max(self._lamport, frame.lamport)
        cause = None if frame.cause is None else EventId(*frame.cause)
        happened = Received(sender=frame.sender, correlation=frame.correlation, message=frame.message)
        self._put(happened, cause, f"{type(frame.message).__name__} from {frame.sender}")

    def _put(self, happened: Input, cause: EventId | None, trigger: str) -> None:
        """One input at a time; what arrives meanwhile waits."""
        self._inbox.append((happened, cause, trigger))
        if self._busy:
            return
        self._busy = True
        try:
            while self._inbox:
                happened, self._cause, self._trigger = self._inbox.popleft()
                for effect in self._node.handle(happened, time.monotonic_ns() // 1_000_000):
                    self._perform(effect)
        except StorageFailed as failed:
            self._emit(StorageError(errno=failed.errno, what=failed.what))
            sys.stderr.write(f"storage failed: {failed}\n")
            sys.stderr.flush()
            raise SystemExit(EXIT_STORAGE) from failed
        finally:
            self._busy = False

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Emit(event=event, decision=decision):
                self._lamport += 1
                self._cause = self._trace.write(
                    event, decision=decision, cause=self._cause, trigger=self._trigger, lamport=self._lamport
                )
            case Send(target=target, message=message, correlation=correlation):
                frame = Frame(self.node_id, correlation, message, self._cause, self._lamport)
                self._send(target, encode_frame(frame), answer=type(message).__name__.endswith("Response"))
            case SetTimer(name=name, delay_ms=delay_ms, jitter_ms=jitter_ms):
                self._set_timer(name, delay_ms, jitter_ms)
            case CancelTimer(name=name):
                self._cancel_timer(name)
            case PersistElection(epoch=epoch, leader_id=leader_id, voted_for=voted_for):
                write_election(self._disk, ElectionState(epoch=epoch, leader_id=leader_id, voted_for=voted_for))
            case Append(records=records):
                self._log.append(records)
            case Truncate(end_offset=end_offset):
                self._log.truncate(end_offset)
            case AssignEpoch(epoch=epoch, start_offset=start_offset):
                self._log.assign_epoch(epoch, start_offset)
            case Flush():
                self._emit(self._log.flush())
                done = Flushed(topic_partition=METADATA, end_offset=self._log.flushed_offset)
                self._inbox.append((done, self._cause, "fsync"))
            case StopNode(broker_epoch=broker_epoch):
                self._log.close()
                leave_marker(self._disk, broker_epoch)
                self._stopped.set()
            case CheckpointHighWatermark():
                pass  # the quorum learns its high watermark anew from the leader
            case _:
                raise AssertionError(effect)

    def _emit(self, event: Event) -> None:
        self._lamport += 1
        self._cause = self._trace.write(event, cause=self._cause, trigger=self._trigger, lamport=self._lamport)

    def _cancel_timer(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _set_timer(self, name: str, delay_ms: int, jitter_ms: int) -> None:
        self._cancel_timer(name)
        drawn_ms = delay_ms + (random.randrange(jitter_ms) if jitter_ms else 0)
        self._timers[name] = asyncio.get_running_loop().call_later(drawn_ms / 1000, self._fire, name, self._cause)

    def _fire(self, name: str, cause: EventId | None) -> None:
        self._timers.pop(name, None)
        self._put(TimerFired(name=name), cause, f"timer {name}")

    def _send(self, target: NodeId, data: bytes, *, answer: bool) -> None:
        link = (self._incoming if answer else self._outgoing).get(target)
        if link is not None and link.is_open:
            link.write(data)
        elif not answer and target in self._ports:
            waiting = self._connecting.setdefault(target, [])
            waiting.append(data)
            if len(waiting) == 1:
                task = asyncio.ensure_future(self._connect(target))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _connect(self, target: NodeId) -> None:
        """Connect once; what waited is sent, or lost when nobody listens."""
        loop = asyncio.get_running_loop()
        try:
            _, link = await loop.create_connection(
                lambda: Link(self.node_id, self._secret, self._arrived, target=target), "127.0.0.1", self._ports[target]
            )
            if await link.ready:
                self._outgoing[target] = link
                for data in self._connecting[target]:
                    link.write(data)
        except OSError:
            return
        finally:
            del self._connecting[target]


async def _main(config: dict[str, Any]) -> None:
    secret = bytes.fromhex((Path(config["folder"]) / "secret").read_text())
    await NodeProcess(config, secret).run()


if __name__ == "__main__":
    asyncio.run(_main(json.loads(Path(sys.argv[1]).read_text())))
