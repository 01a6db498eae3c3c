"""A whole node as an operating system process: `python -P -m cluster.runtime.node.process CONFIG.json [CONTROL_FD]`.

It works in the folder of its run, and opens all files below that: wherever the folder is moved to, and whatever takes
its place. CONFIG.json is RUN_FOLDER/nodes/N.json; that it is written in full tells people whose process this is.

Each event is in the trace before the effects after it (cluster/node/driver.py).
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NoReturn

from cluster.faults.effects_on_links import LinkRules, from_plain
from cluster.links.frame import Frame
from cluster.model import exit_codes
from cluster.model.effects import Append, PersistElection
from cluster.model.entry import EventId
from cluster.model.errors import StorageFailed
from cluster.model.events import ProcessReady, StorageError
from cluster.model.identifiers import EDGE_ID, FIRST_EDGE_CORRELATION, NodeId, TopicPartition
from cluster.model.inputs import Flushed, NodeStarted, StopRequested
from cluster.model.messages import Message
from cluster.node.driver import RESPONSES, Driver
from cluster.runtime.connections import Connections
from cluster.runtime.kafka.client_faults import ClientFaults, client_faults
from cluster.runtime.kafka.door import KafkaDoor
from cluster.runtime.node.busy_poll import busy_poll
from cluster.runtime.node.config import ConfigError, ProcessConfig, read_config
from cluster.runtime.node.control_link import ControlLink, Order, open_control
from cluster.runtime.system_limits import left_for_clients
from cluster.runtime.timers import Timers
from cluster.storage.disk_faults import DiskFaults
from cluster.storage.node_store import NodeStore
from cluster.trace.tracer import Tracer
from cluster.trace.writer import TraceWriter

if TYPE_CHECKING:
    from cluster.runtime.kafka.front import KafkaFront


def say(text: str) -> None:
    """Write a line. The log may lie on the very disk that is full: then the exit code says it alone."""
    with suppress(OSError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


GOODBYE_S = 0.05
"""How long closing connections may still send."""


class NodeProcess:
    """The process of one node. Implements World of the driver."""

    def __init__(self, config: ProcessConfig) -> None:
        self._config = config
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._on_error)
        self.stopped: asyncio.Future[int] = self._loop.create_future()
        """The exit code, once the node has stopped in order."""
        writer = None
        if config.node.settings.trace:
            path = config.folder / "trace" / f"{config.node.node_id}-{config.incarnation}.trace"
            whose = config.run, config.node.node_id, config.incarnation
            writer = TraceWriter(path, *whose, is_buffered=True, shift_ns=config.clock_shift_ns)
        self._tracer = Tracer(writer)
        self._tracer.begin(None, "start")
        self._timers = Timers(self._loop, self._on_timer, Random())
        self._busy_poll = busy_poll(self._loop)
        self.is_still = False
        self._link: ControlLink | None = None
        try:
            self._open()
        except StorageFailed as error:
            self._storage_failed(error)

    def _open(self) -> None:
        config = self._config
        node_id, settings = config.node.node_id, config.node.settings
        root = config.folder / "data" / str(node_id)
        self._disk = NodeStore(root, host_fsync=settings.host_fsync, emit=self._tracer.emit, faults=config.disk)
        self._tracer.before_flush(self._disk.write_out)
        self._driver = Driver(self, config.node, self._disk, self._tracer, self._timers)
        self._connections = Connections(
            node_id,
            config.secret,
            config.ports,
            patience_ms=settings.request_timeout_ms,
            deliver=self._on_frames,
            emit=self._tracer.emit_beside,
            lost=self._on_disconnected,
            observe=self._tracer.observe if settings.trace else None,
            clock=self._now_ns if config.clock_shift_ns else time.monotonic_ns,
        )
        self._kafka = KafkaDoor(self._is_in_service, self._make_front, drain=self._drain, crash=self._crash)

    def _now_ns(self) -> int:
        """The clock of a run that was resumed."""
        return time.monotonic_ns() + self._config.clock_shift_ns

    def _is_in_service(self) -> bool:
        return self._config.node.node_id in self._driver.node.image.unfenced_brokers()

    def _make_front(self) -> KafkaFront:
        from cluster.runtime.kafka.front import KafkaFront
        from cluster.runtime.kafka.view import Views

        root = str((self._config.folder / "data" / str(self._config.node.node_id)).absolute())
        views = Views(self._driver.node, self._config.run, self._config.client_ports, root, self._driver.fetch_sessions)
        node, tracer, affordable, login = self._driver.node, self._tracer, left_for_clients(), self._config.login
        push, forward, drain = self._driver.push, self._forward, self._drain
        return KafkaFront(
            node, views, tracer, push=push, forward=forward, drain=drain, say=say, affordable=affordable, login=login
        )

    async def start(self, control_fd: int | None) -> None:
        """Obey the lab, listen, say so, begin."""
        config = self._config
        node_id = config.node.node_id
        self._connections.apply(LinkRules(map(from_plain, config.rules)))
        if control_fd is not None:
            self._link = await open_control(control_fd, self._on_order, self._on_lab_lost)
        port = await self._connections.listen(config.ports[node_id])
        if node_id in config.client_ports:
            self._kafka.bind(config.client_ports[node_id], client_faults(config.clients))
        self._loop.add_signal_handler(signal.SIGTERM, self._request_stop, "SIGTERM")
        self._tracer.emit(ProcessReady(node_id=node_id, port=port))
        self._tracer.flush()
        if self._link is not None:
            self._link.tell({"ready": True, "port": port})
        self._schedule_checkpoint()
        self._driver.push(NodeStarted(), self._tracer.cause, "start")
        self._drain()

    def _drain(self) -> None:
        """Have the node handle its inputs, then write to the sockets."""
        if self._driver.is_draining:
            return
        began_ns = time.monotonic_ns()
        self._driver.drain()
        if self._busy_poll is not None:
            self._busy_poll.rest(began_ns)

    def now_ms(self) -> int:
        """The machine's monotonic clock."""
        return time.monotonic_ns() // 1_000_000

    def request(self, target: NodeId, frame: Frame) -> None:
        """Leaves with the next send_out."""
        self._connections.request(target, frame)

    def respond(self, target: NodeId, frame: Frame) -> None:
        """To a node, or to a Kafka client of this one."""
        if target == EDGE_ID:
            self._kafka.answered(frame.correlation, frame.message)
        else:
            self._connections.respond(target, frame)

    def send_out(self) -> bool:
        """Files first, then events, then frames: what leaves this process is written and told before."""
        self._connections.watch(self._driver.node.leaderless)
        # A kill between two of these loses only what nobody was told. Frames before files: a follower would have
        # acknowledged a record that is in no file. Frames before events: others would act on what no trace tells of.
        self._disk.write_out()
        self._tracer.flush()
        self._connections.flush()
        self._kafka.flush()
        return self._kafka.is_waiting

    def append(self, effect: Append) -> None:
        """In the file with the next send_out."""
        self._disk.append(effect.topic_partition, effect.records)

    def _forward(self, target: NodeId, correlation: int, message: Message) -> None:
        """Ask another node for a Kafka client."""
        frame = Frame(self._config.node.node_id, correlation, message, self._tracer.cause, self._tracer.lamport)
        self._connections.request(target, frame)
        self._connections.flush()

    def persist(self, effect: PersistElection) -> None:
        """A slow disk stops the node here, as it stops Kafka's raft thread."""
        if self._disk.disk.faults.slow_ms:
            time.sleep(self._disk.disk.faults.slow_ms / 1000)
        self._disk.persist(effect)

    def flush(self, topic_partition: TopicPartition) -> None:
        """At once, or as late as a slow disk would."""
        slow_ms = self._disk.disk.faults.slow_ms
        if slow_ms:
            flush, trigger = partial(self._flush_now, topic_partition), f"slow flush of {topic_partition}"
            self._loop.call_later(slow_ms / 1000, self._flush_late, flush, self._tracer.cause, trigger)
        else:
            self._flush_now(topic_partition)

    def _flush_now(self, topic_partition: TopicPartition) -> None:
        if not self._disk.holds(topic_partition):
            return  # its topic was deleted, or it was moved to other brokers, while a slow disk was to flush it
        if self._disk.disk.host_fsync:
            self.send_out()  # what may leave before the flush does not wait for the disk
        flushed = Flushed(topic_partition=topic_partition, end_offset=self._disk.flush(topic_partition))
        self._driver.push(flushed, self._tracer.cause, f"flush of {topic_partition}")

    def _flush_late(self, flush: Callable[[], None], cause: EventId | None, trigger: str) -> None:
        if self.is_still:
            return
        self._tracer.begin(cause, trigger)
        try:
            flush()
        except StorageFailed as error:
            self._storage_failed(error)
        self._drain()

    def _on_timer(self, name: str, cause: EventId | None) -> None:
        self._driver.push_timer(name, cause)
        self._drain()

    def _on_frames(self, frames: list[Frame]) -> None:
        for frame in frames:
            if frame.correlation >= FIRST_EDGE_CORRELATION and type(frame.message) in RESPONSES:
                self._kafka.answered(frame.correlation, frame.message)
            else:
                self._driver.push_frame(frame)
        self._drain()

    def _on_disconnected(self, peer: NodeId) -> None:
        if not self.is_still:
            self._kafka.on_lost(peer)
            self._driver.push_lost(peer)
            self._drain()

    def _on_order(self, order: Order) -> None:
        match order.get("do"):
            case "links":
                self._connections.apply(LinkRules(map(from_plain, order["rules"])))
            case "reset":
                self._connections.reset(int(order["peer"]), "fault")
            case "disk":
                self._disk.disk.faults = DiskFaults.of(order)
            case "flush":
                self._flush_late(self._disk.flush_all, None, "flush command")
            case "clients":
                self._kafka.apply(client_faults(order))
            case "blackhole":
                self._connections.silence()
                self._kafka.apply(ClientFaults(is_cut=True))
            case "stop":
                self._request_stop("stop command")
            case unknown:
                raise ValueError(f"unknown order {unknown}")

    def _on_lab_lost(self) -> None:
        if not self.is_still:
            self._exit(exit_codes.LAB_GONE)

    def _request_stop(self, trigger: str) -> None:
        self._driver.push(StopRequested(), None, trigger)
        self._drain()

    def _schedule_checkpoint(self) -> None:
        interval_ms = self._config.node.settings.high_watermark_checkpoint_interval_ms
        self._loop.call_later(interval_ms / 1000, self._checkpoint)

    def _checkpoint(self) -> None:
        if self.is_still:
            return
        try:
            self._disk.checkpoint()
        except StorageFailed as error:
            self._storage_failed(error)
        self._schedule_checkpoint()

    def stop(self, broker_epoch: int) -> None:
        """Close everything in order; what was said before still leaves."""
        self.is_still = True
        self._timers.close()
        self._disk.close(broker_epoch)
        self.send_out()
        self._connections.close()
        self._kafka.close()
        self._loop.call_later(GOODBYE_S, self.stopped.set_result, 0)

    def _storage_failed(self, error: StorageFailed) -> NoReturn:
        """A node whose disk fails says so and halts; what it promised before stays true. Source: Kafka Exit.halt."""
        say(f"storage failed: {error.what} (errno {error.errno})")
        with suppress(StorageFailed):
            self._tracer.emit(StorageError(errno=error.errno, what=error.what))
        self._exit(exit_codes.STORAGE_FAILED)

    def halt(self, why: str) -> NoReturn:
        """The protocol forbids to go on. Source: Kafka Exit.halt(1)."""
        say(f"halted: {why}")
        self._exit(exit_codes.HALTED)

    def fail(self, error: Exception) -> NoReturn:
        """A disk has failed, or an invariant is broken."""
        if isinstance(error, StorageFailed):
            self._storage_failed(error)
        self._crash()

    def _crash(self) -> NoReturn:
        """A broken invariant or a bug: halt with the traceback, never go on in an unknown state."""
        say(traceback.format_exc())
        self._exit(exit_codes.CRASHED)

    def _exit(self, code: int) -> NoReturn:
        """End at once; events are kept, frames are not sent."""
        try:
            with suppress(StorageFailed):
                self._tracer.flush()
        finally:
            # Not sys.exit: that would close the sockets in order, with what waits in them. To the others a node that
            # halts is to look like one that was killed: what it had not sent by now was never said.
            os._exit(code)

    def _on_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Of a callback that nobody waits for: a node whose events cannot be written does not go on without them."""
        error = context.get("exception")
        if isinstance(error, StorageFailed):
            self._storage_failed(error)
        loop.default_exception_handler(context)


async def run(config: ProcessConfig, control_fd: int | None) -> int:
    """Run until the node has stopped; the exit code."""
    process = NodeProcess(config)
    try:
        await process.start(control_fd)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return exit_codes.PORT_TAKEN if error.errno == errno.EADDRINUSE else exit_codes.LAB_GONE
    return await process.stopped


def main(arguments: list[str]) -> int:
    """Read the config file and run."""
    if len(arguments) not in (1, 2) or not all(word.isdecimal() for word in arguments[1:]):
        sys.stderr.write("usage: python -P -m cluster.runtime.node.process CONFIG.json [CONTROL_FD]\n")
        return exit_codes.BAD_CONFIG
    try:
        config = read_config(Path(*Path(arguments[0]).parts[-2:]))
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return exit_codes.BAD_CONFIG
    control_fd = int(arguments[1]) if len(arguments) == 2 else None
    try:
        import uvloop
    except ImportError:
        return asyncio.run(run(config, control_fd))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run(config, control_fd))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
