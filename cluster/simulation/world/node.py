"""One life of one node on the virtual clock: inputs in, effects out, as cluster/runtime/node/process.py does it."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from cluster.links.frame import Frame
from cluster.model import exit_codes
from cluster.model.effects import (
    AdvanceLogStart,
    Append,
    AssignEpoch,
    CancelTimer,
    CheckpointHighWatermark,
    Emit,
    Flush,
    HaltNode,
    PersistElection,
    Send,
    SetTimer,
    StopNode,
    Truncate,
)
from cluster.model.entry import EventId
from cluster.model.errors import StorageFailed
from cluster.model.events import Event, ProcessReady, StorageError
from cluster.model.identifiers import NodeId
from cluster.model.inputs import Disconnected, Input, NodeStarted, Received, StopRequested, TimerFired
from cluster.node.config import NodeConfig
from cluster.node.node import Node
from cluster.replication.replica_manager import ReplicaManager
from cluster.simulation.world.clock import MachineClock
from cluster.simulation.world.disk_work import DiskWork
from cluster.simulation.world.ended import Ended
from cluster.simulation.world.endpoint import Endpoint
from cluster.simulation.world.inbox import RESPONSES, TRIGGERS, Waiting, trigger_of
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

    def log(self, node_id: NodeId, text: str) -> None:
        """What a process would write to its standard error."""


class SimulatedNode:
    """Drives one Node. Implements Party of the network and Stillness of the timers."""

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
        """Paused, or waiting for a slow disk."""
        self.store: NodeStore
        """Its files, once they are read."""
        self.endpoint: Endpoint
        """Its connections."""
        self.tracer = tracer
        """Where it tells what happens."""
        self._machine, self._files, self._clock = machine, files, clock
        self._kernel = machine.kernel
        node_id, incarnation_name = config.node_id, f"{config.node_id}-{incarnation}"
        chance = self._kernel.stream(f"timers {incarnation_name}")
        self._timers = SimulatedTimers(clock, self._kernel, self, self._on_timer, chance)
        draw = self._kernel.stream(f"disk {incarnation_name}").random
        checkpoint_ms = config.settings.high_watermark_checkpoint_interval_ms
        self.disk = DiskWork(self, self._kernel, draw, checkpoint_ms)
        """What it asks of its disk."""
        self._is_draining = False
        self._inbox: deque[Waiting] = deque()
        self._todo: Iterator[Any] = iter(())
        self._arrived: deque[tuple[Action, Any]] = deque()
        self._late: deque[tuple[Action, Any]] = deque()
        self._unsent: list[tuple[bool, NodeId, Frame]] = []
        self._node_id = node_id
        self._server: Node
        self._perform: dict[type, Callable[[Any], None]] = {}

    @property
    def server(self) -> Node | None:
        """The node itself, for looking only; None before it has read its files."""
        return self._server if self.is_ready else None

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
        self._timers.close()
        self._inbox.clear()
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

    def on_frame(self, frame: Frame) -> None:
        """A frame came in."""
        sender, message, cause = frame.sender, frame.message, frame.cause
        received = Received(sender=sender, correlation=frame.correlation, message=message)
        trigger = TRIGGERS.get((type(message), sender)) or trigger_of(type(message), sender)
        self._inbox.append((received, cause, trigger, frame.lamport))  # type: ignore[arg-type]  # it is an EventId
        if not self._is_draining:
            self._drain()

    def on_lost(self, peer: NodeId) -> None:
        """A connection this node had made is gone, or could not be made."""
        self.give(Disconnected(peer=peer), None, f"connection to {peer} lost")

    def tell(self, event: Event, trigger: str) -> None:
        """An event that stands beside the steps. What was delivered just before may have ended the node."""
        if self.exit_code is None:
            self.tracer.emit_beside(event, trigger)

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
        except (Ended, StorageFailed) as error:
            self.end_by(error)
            return
        except Exception:
            self._crash()
            return
        self.is_ready = True
        self.endpoint.listen()
        self.tracer.emit(ProcessReady(node_id=self._node_id, port=0))
        self.disk.schedule_checkpoint()
        self.give(NodeStarted(), self.tracer.cause, "start")

    def _open(self) -> None:
        config, tracer, timers, disk = self.config, self.tracer, self._timers, self.disk
        store = self.store = NodeStore(
            self._files, host_fsync=False, emit=tracer.emit, is_buffered=False, faults=disk.told
        )
        disk.open(store)
        replicas = (
            ReplicaManager(config.node_id, config.settings, config.first_correlation) if config.is_broker else None
        )
        self._server = Node(config, store, store.election, store.previous_broker_epoch, replicas)
        self._perform = {
            CancelTimer: lambda effect: timers.cancel(effect.name),
            Append: disk.append,
            Flush: lambda effect: disk.flush(effect.topic_partition),
            Truncate: lambda effect: store.truncate(effect.topic_partition, effect.end_offset),
            AssignEpoch: lambda effect: store.assign_epoch(effect.topic_partition, effect.epoch, effect.start_offset),
            AdvanceLogStart: lambda effect: store.advance_start(effect.topic_partition, effect.start_offset),
            CheckpointHighWatermark: lambda effect: store.note_high_watermark(
                effect.topic_partition, effect.high_watermark
            ),
            PersistElection: disk.persist,
            StopNode: self._stop,
            HaltNode: self._halt,
        }

    def give(self, happened: Input, cause: EventId | None, trigger: str) -> None:
        """An input of its own."""
        self._inbox.append((happened, cause, trigger, 0))
        if not self._is_draining:
            self._drain()

    def _drain(self) -> None:
        """Handle inputs until there are none, or until the node has to stand still; then send.

        What nearly every input asks for is not looked up: this loop is where a simulation spends its time.
        """
        if self.is_still or not self.is_ready:
            return
        self._is_draining = True
        perform, tracer, timers, inbox, clock = self._perform, self.tracer, self._timers, self._inbox, self._clock
        server, kernel = self._server, self._kernel
        try:
            while True:
                for effect in self._todo:
                    kind = type(effect)
                    if kind is Emit:
                        tracer.emit(effect.event, effect.decision)
                    elif kind is Send:
                        self._send(effect)
                    elif kind is SetTimer:
                        timers.set(effect.name, effect.delay_ms, effect.jitter_ms, tracer.cause)
                    else:
                        perform[kind](effect)
                        if self.is_still:
                            return
                if not inbox:
                    break
                happened, tracer.cause, tracer.trigger, lamport = inbox.popleft()
                if lamport > tracer.lamport:
                    tracer.lamport = lamport
                now_ns = kernel.now_ns if clock.is_right else clock.now_ns()
                self._todo = iter(server.handle(happened, now_ns // NS_PER_MS))
            if self._unsent:
                self._send_out()
        except (Ended, StorageFailed) as error:
            self.end_by(error)
        except Exception:
            self._crash()
        finally:
            self._is_draining = False

    def _send(self, effect: Send) -> None:
        """To itself as an input of its own, after the effects of this one; to others when the node is done."""
        tracer, own_id, target, message = self.tracer, self._node_id, effect.target, effect.message
        if target == own_id:
            received = Received(sender=own_id, correlation=effect.correlation, message=message)
            self._inbox.append((received, tracer.cause, trigger_of(type(message), own_id), 0))
            return
        frame = Frame(own_id, effect.correlation, message, tracer.cause, tracer.lamport)
        self._unsent.append((type(message) in RESPONSES, target, frame))

    def _send_out(self) -> None:
        dies = self.disk.dies
        if dies:
            self.disk.reach("before send")
        unsent, self._unsent = self._unsent, []
        endpoint = self.endpoint
        for is_answer, target, frame in unsent:
            if is_answer:
                endpoint.respond(target, frame)
            else:
                endpoint.request(target, frame)
        if dies:
            self.disk.reach("after send")

    def die(self, point: str) -> None:
        """Gone between two instructions: whatever follows in this step never happens. Ended."""
        self._machine.crash(self, point)
        raise Ended(exit_codes.KILLED)

    def wake(self) -> None:
        """Go on where it stood still."""
        self.is_still = self.is_paused or self.disk.is_blocking
        self._drain()
        for waiting in (self._arrived, self._late):
            while waiting and not self.is_still and self.exit_code is None:
                action, argument = waiting.popleft()
                action(argument)

    def _on_timer(self, name: str, cause: EventId | None) -> None:
        self.give(TimerFired(name=name), cause, f"timer {name}")

    def _stop(self, effect: StopNode) -> None:
        """Close everything in order; what was said before still leaves."""
        self.store.close(effect.broker_epoch)
        if self._unsent:
            self._send_out()
        raise Ended(0)

    def _halt(self, effect: HaltNode) -> None:
        """The protocol forbids to go on. Source: Kafka Exit.halt(1)."""
        self._machine.log(self._node_id, f"halted: {effect.why}")
        raise Ended(exit_codes.HALTED)

    def end_by(self, error: Ended | StorageFailed) -> None:
        """A node whose disk fails says so and halts; what it promised before stays true. Source: Kafka Exit.halt."""
        if isinstance(error, Ended):
            self.end(error.code)
            return
        self._machine.log(self._node_id, f"storage failed: {error.what} (errno {error.errno})")
        self.tracer.emit(StorageError(errno=error.errno, what=error.what))
        self.end(exit_codes.STORAGE_FAILED)

    def _crash(self) -> None:
        """A broken invariant or a bug: end with the traceback, never go on in an unknown state."""
        self._machine.log(self._node_id, traceback.format_exc())
        self.end(exit_codes.CRASHED)
