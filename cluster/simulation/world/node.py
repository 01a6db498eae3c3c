"""One life of one node on the virtual clock: when it runs, when it stands still, and how it ends."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Protocol

from cluster.links.frame import Frame
from cluster.model import exit_codes
from cluster.model.effects import Append, PersistElection
from cluster.model.entry import EventId
from cluster.model.errors import StorageFailed
from cluster.model.events import Event, MessagePlucked, ProcessReady, StorageError
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.inputs import Input, NodeStarted, StopRequested
from cluster.node.config import NodeConfig
from cluster.node.driver import Driver
from cluster.node.make_node import AnyNode
from cluster.simulation.world.clock import MachineClock
from cluster.simulation.world.disk_work import DiskWork
from cluster.simulation.world.ended import Ended
from cluster.simulation.world.endpoint import Endpoint
from cluster.simulation.world.kernel import NS_PER_MS, Action, Kernel
from cluster.simulation.world.stutter import Stutter
from cluster.simulation.world.timers import SimulatedTimers
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.node_store import NodeStore
from cluster.trace.tracer import Tracer


class Machine(Protocol):
    """What a node's life needs of the simulated machine it runs on."""

    kernel: Kernel

    def on_exit(self, node: SimulatedNode, code: int) -> None:
        """Its process has ended."""

    def crash(self, node: SimulatedNode, point: str) -> None:
        """It has reached the place where it was to die, as CRASH_POINTS names it: end it there, as a fault."""

    def on_plucked(self, event: MessagePlucked) -> None:
        """A fault has had its message here."""

    def log(self, node_id: NodeId, text: str) -> None:
        """What a process would write to its standard error."""


class SimulatedNode:
    """The process of one node. Implements World of the driver, Party of the network and Stillness of the timers."""

    def __init__(
        self,
        machine: Machine,
        config: NodeConfig,
        incarnation: int,
        files: MemoryFiles,
        clock: MachineClock,
        tracer: Tracer,
    ) -> None:
        self.config = config
        """What the node is told of itself."""
        self.incarnation = incarnation
        """Which start, from 0."""
        self.is_expected_to_end = False
        """A command asked for its end."""
        self.is_ready = False
        """Its logs are recovered and it listens."""
        self.exit_code: int | None = None
        """Once it has ended; negative for a signal."""
        self.is_paused = False
        """Stopped: no instruction runs, what arrives waits."""
        self.is_held = False
        """Stopped by a command, until another one lets it go on."""
        self.stutter: Stutter | None = None
        """Its rounds, while it runs and stands still in turn."""
        self.is_still = False
        """Paused, waiting for a slow disk, or ended."""
        self.store: NodeStore
        """Its files, once they are read."""
        self.endpoint: Endpoint
        self.on_frame: Callable[[Frame], None]
        """A frame came in."""
        self.tracer = tracer
        """Where it tells what happens."""
        self._machine, self._files, self._clock = machine, files, clock
        files.now_ms = clock.wall_ms
        self._kernel = machine.kernel
        node_id, incarnation_name = config.node_id, f"{config.node_id}-{incarnation}"
        chance = self._kernel.stream(f"timers {incarnation_name}")
        self._timers = SimulatedTimers(clock, self._kernel, self, self._on_timer, chance)
        draw = self._kernel.stream(f"disk {incarnation_name}").random
        checkpoint_ms = config.settings.high_watermark_checkpoint_interval_ms
        self.disk = DiskWork(self, self._kernel, draw, checkpoint_ms)
        """What it asks of its disk."""
        self._arrived: deque[tuple[Action, Any]] = deque()
        self._late: deque[tuple[Action, Any]] = deque()
        self._unsent: list[tuple[Callable[[NodeId, Frame], None], NodeId, Frame]] = []
        self._node_id = node_id
        self._driver: Driver

    @property
    def server(self) -> AnyNode | None:
        """The node itself, for looking only; None before it has read its files."""
        return self._driver.node if self.is_ready else None

    def begin(self, endpoint: Endpoint, boot_ns: int, flush_us: tuple[int, int], disk: Mapping[str, Any]) -> None:
        """The process is started; it reads its files a little later."""
        self.endpoint = endpoint
        self.disk.begin(flush_us, disk)
        self._kernel.after(boot_ns, self._boot, None)

    def end(self, code: int) -> None:
        """The process is gone at once."""
        if self.exit_code is not None:
            return
        self.exit_code = code
        self.is_ready = False
        self.is_still = True
        self._timers.close()
        self._arrived.clear()
        self._late.clear()
        self._unsent.clear()
        self.endpoint.leave()
        self._machine.on_exit(self, code)

    def ask_to_stop(self) -> None:
        """Leave in order."""
        self.give(StopRequested(), None, "stop command")

    def pause(self) -> None:
        """Stand still from now on."""
        self.is_paused = self.is_still = True

    def resume(self) -> None:
        """Go on: what arrived comes first, then every timer that ran out meanwhile."""
        self.is_paused = False
        if not self.disk.go_on():
            self.wake()

    def spoil_disk(self, told: Mapping[str, Any]) -> None:
        """Put disk faults in force, as FaultBook.disk tells them."""
        if self.is_ready:
            self.disk.spoil(told)
        else:
            self.disk.told = told

    def arm(self, point: str) -> None:
        """Die as soon as this one of CRASH_POINTS is reached; empty for nowhere."""
        self.disk.dies = point

    def retime(self, rate_before: int) -> None:
        """The machine's clocks go at another rate from now on."""
        self._timers.retime(rate_before)

    def on_lost(self, peer: NodeId) -> None:
        """A connection this node had made is gone, or could not be made."""
        self._driver.push_lost(peer)
        self._driver.drain()

    def tell(self, event: Event, trigger: str) -> None:
        """An event that stands beside the steps. What was delivered just before may have ended the node."""
        if self.exit_code is None:
            self.tracer.emit_beside(event, trigger)
            if isinstance(event, MessagePlucked):
                self._machine.on_plucked(event)

    def observe(self, event: Event, cause: EventId | None, lamport: int) -> None:
        """An observation of its links."""
        if self.exit_code is None:
            self.tracer.observe(event, cause, lamport)

    def defer(self, action: Action, argument: Any) -> None:
        """What arrived while it stands still."""
        self._arrived.append((action, argument))

    def defer_timer(self, action: Action, argument: Any) -> None:
        """What came due while it stands still."""
        self._late.append((action, argument))

    def _boot(self, _nothing: None) -> None:
        if self.exit_code is not None:
            return
        if self.is_still:
            self.defer_timer(self._boot, None)
            return
        self.tracer.begin(None, "start")
        try:
            self._open()
        except Exception as error:  # as a process: what does not start ends, and its exit is told
            self.fail(error)
            return
        self.is_ready = True
        self.endpoint.listen()
        self.tracer.emit(ProcessReady(node_id=self._node_id, port=0))
        self.disk.schedule_checkpoint()
        self.give(NodeStarted(), self.tracer.cause, "start")

    def _open(self) -> None:
        config, tracer = self.config, self.tracer
        store = self.store = NodeStore(
            self._files, host_fsync=False, emit=tracer.emit, is_buffered=False, faults=self.disk.told
        )
        self.disk.open(store)
        self._driver = Driver(self, config, store, tracer, self._timers)
        self.on_frame = self._driver.take_frame

    def give(self, happened: Input, cause: EventId | None, trigger: str) -> None:
        """An input of its own."""
        self._driver.push(happened, cause, trigger)
        self._driver.drain()

    def now_ms(self) -> int:
        """The monotonic clock of its machine."""
        clock = self._clock
        return (self._kernel.now_ns if clock.is_right else clock.now_ns()) // NS_PER_MS

    def request(self, target: NodeId, frame: Frame) -> None:
        """Leaves with the next send_out."""
        self._unsent.append((self.endpoint.request, target, frame))

    def respond(self, target: NodeId, frame: Frame) -> None:
        """Leaves with the next send_out."""
        self._unsent.append((self.endpoint.respond, target, frame))

    def send_out(self) -> bool:
        """Hand over what waits; that never gives the node more to do at once."""
        if self._unsent:
            traffic, leaderless = self.endpoint.traffic, self._driver.node.leaderless
            if traffic.leaderless is not leaderless:
                traffic.watch(leaderless)
            dies = self.disk.dies
            if dies:
                self.disk.reach("before send")
            unsent, self._unsent = self._unsent, []
            for send, target, frame in unsent:
                send(target, frame)
            if dies:
                self.disk.reach("after send")
        return False

    def append(self, effect: Append) -> None:
        """At once: into the page cache."""
        self.disk.append(effect)

    def flush(self, topic_partition: TopicPartition) -> None:
        """The node goes on meanwhile."""
        self.disk.flush(topic_partition)

    def persist(self, effect: PersistElection) -> None:
        """A slow disk stops the node here."""
        self.disk.persist(effect)

    def die(self, point: str) -> None:
        """Gone between two instructions: whatever follows in this step never happens. Ended."""
        self._machine.crash(self, point)
        raise Ended(exit_codes.KILLED)

    def wake(self) -> None:
        """Go on where it stood still."""
        self.is_still = self.is_paused or self.disk.is_blocking
        if self.is_ready:
            self._driver.drain()
        # What arrived before what ran out, as in a process that goes on: an event loop looks at its sockets and then at
        # its timers. The other way round a follower could begin an election though its leader's answer has long been
        # there.
        for waiting in (self._arrived, self._late):
            while waiting and not self.is_still and self.exit_code is None:
                action, argument = waiting.popleft()
                action(argument)

    def stop(self, broker_epoch: int) -> NoReturn:
        """Close everything in order; what was said before still leaves."""
        self.store.close(broker_epoch)
        self.send_out()
        raise Ended(0)

    def halt(self, why: str) -> NoReturn:
        """The protocol forbids to go on. Source: Kafka Exit.halt(1)."""
        self._machine.log(self._node_id, f"halted: {why}")
        raise Ended(exit_codes.HALTED)

    def fail(self, error: Exception) -> None:
        """A broken invariant or a bug: end with the traceback, never go on in an unknown state."""
        if isinstance(error, Ended | StorageFailed):
            self.end_by(error)
            return
        self._machine.log(self._node_id, traceback.format_exc())
        self.end(exit_codes.CRASHED)

    def _on_timer(self, name: str, cause: EventId | None) -> None:
        self._driver.push_timer(name, cause)
        self._driver.drain()

    def end_by(self, error: Ended | StorageFailed) -> None:
        """A node whose disk fails says so and halts; what it promised before stays true. Source: Kafka Exit.halt."""
        if isinstance(error, Ended):
            self.end(error.code)
            return
        self._machine.log(self._node_id, f"storage failed: {error.what} (errno {error.errno})")
        self.tracer.emit(StorageError(errno=error.errno, what=error.what))
        self.end(exit_codes.STORAGE_FAILED)
