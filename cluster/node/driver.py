"""What drives a node, whatever its world is made of: an inbox, a loop, and the effects in their order.

Each input is handled to its end before the next. What a node asks for is done in the order of the list: what must be on
disk is there before anything is sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeAlias

from cluster.fetch_sessions.session_cache import FetchSessionCache
from cluster.links.frame import Frame
from cluster.model.effects import (
    AdoptEpoch,
    AdvanceLogStart,
    Append,
    AssignEpoch,
    CancelTimer,
    CheckpointHighWatermark,
    CleanLog,
    DeleteSnapshots,
    Emit,
    Flush,
    HaltNode,
    InstallSnapshot,
    PersistElection,
    ReadWallClock,
    RollSegment,
    Send,
    SetTimer,
    StopNode,
    Truncate,
    WriteSnapshot,
)
from cluster.model.entry import EventId
from cluster.model.events import TimerSet
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.inputs import Disconnected, Input, Received, TimerFired, WallClockRead
from cluster.model.messages import MESSAGES, SessionFetchRequest
from cluster.node.config import NodeConfig
from cluster.node.make_node import make_node
from cluster.node.node import Node
from cluster.raft.timers import CHECK_TIMER, ELECTION_TIMER, FETCH_TIMER
from cluster.replication.fetch_sessions import SessionReplicaManager
from cluster.replication.replica_manager import ReplicaManager
from cluster.storage.node_store import NodeStore
from cluster.trace.tracer import Tracer

DECIDING = {ELECTION_TIMER: "election", FETCH_TIMER: "fetch", CHECK_TIMER: "check_quorum"}
"""Timers that are told, and their names there."""
TOLD_EVERY_MS = 250
"""One that begins anew with each fetch is told so often at most."""
NS_PER_MS = 1_000_000


class Told(NamedTuple):
    """A timer that runs, as it was told last."""

    length_ms: int
    at_ms: int


class ToldTimers:
    """What was said of the timers that run."""

    __slots__ = ("_told", "_tracer")

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._told: dict[str, Told] = {}

    def began(self, name: str, length_ns: int, now_ms: int) -> None:
        """One of the deciding timers begins, or begins anew."""
        length_ms, before = round(length_ns / NS_PER_MS), self._told.get(name)
        if before is not None and before.length_ms == length_ms and 0 <= now_ms - before.at_ms < TOLD_EVERY_MS:
            return
        self._told[name] = Told(length_ms, now_ms)
        self._tracer.observe(TimerSet(timer=DECIDING[name], length_ms=length_ms), self._tracer.cause)

    def ended(self, name: str) -> None:
        """A timer has run out or was cancelled: the next time is told again."""
        self._told.pop(name, None)


RESPONSES = frozenset(kind for name, kind in MESSAGES.items() if name.endswith("Response"))
Waiting: TypeAlias = tuple[Input, EventId | None, str, int]
"""An input, the event that led to it, what set it off, and the logical clock it came with."""


class _Triggers(dict[tuple[type, NodeId], str]):
    """What is said of each message of a kind from a node: made once, since nearly every input has one."""

    def __missing__(self, key: tuple[type, NodeId]) -> str:
        self[key] = f"{key[0].__name__} from {key[1]}"
        return self[key]


_triggers = _Triggers()


class NamedTimers(Protocol):
    """The timers of one node."""

    def set(self, name: str, delay_ms: int, jitter_ms: int, cause: EventId | None) -> int:
        """Fire in delay_ms, up to jitter_ms later (exclusive), instead of one of that name. The delay drawn, in ns."""

    def cancel(self, name: str) -> None:
        """Forget it, if it is set."""


class World(Protocol):
    """What a node runs in: it knows the time, a disk, a network, and how a process ends."""

    is_still: bool
    """Whether no instruction of the node runs now: it is stopped, waits for its disk, or has ended."""

    def now_ms(self) -> int:
        """A monotonic clock."""

    def request(self, target: NodeId, frame: Frame) -> None:
        """Have a request leave with the next send_out."""

    def respond(self, target: NodeId, frame: Frame) -> None:
        """Have an answer leave with the next send_out."""

    def send_out(self) -> bool:
        """Let all leave that waits; whether that gave the node more to do."""

    def append(self, effect: Append) -> None:
        """Write batches to a log."""

    def flush(self, topic_partition: TopicPartition) -> None:
        """Have a log durable; answered by the input Flushed."""

    def persist(self, effect: PersistElection) -> None:
        """Have an election durable before the next effect."""

    def stop(self, broker_epoch: int) -> None:
        """End in order. Nothing is done after it."""

    def halt(self, why: str) -> None:
        """End at once, because the protocol forbids to go on. Nothing is done after it. Source: Kafka Exit.halt(1)."""

    def fail(self, error: Exception) -> None:
        """End at once, while the error is handled: a disk failed, an invariant is broken, or the process was ended."""


class Driver:
    """Drives one Node: inbox in, effects out."""

    __slots__ = ("_inbox", "_kraft", "_perform", "_timers", "_todo", "_told_timers", "_tracer", "_world",
                 "fetch_sessions", "is_draining", "node")  # fmt: skip

    def __init__(self, world: World, config: NodeConfig, store: NodeStore, tracer: Tracer, timers: NamedTimers) -> None:
        slots = config.settings.fetch_session_slots
        self.fetch_sessions = FetchSessionCache(slots, config.incarnation_id, world.now_ms)
        """What this broker remembers of all that fetch in sessions."""
        replicas = self._replicas(config) if config.is_broker else None
        self.node = make_node(
            config, store, store.election, store.previous_broker_epoch, replicas, store.snapshots, store.directory_id
        )
        self._kraft = self.node if isinstance(self.node, Node) else None
        self.is_draining = False
        """Whether it is in the middle of its inputs."""
        self._world, self._tracer, self._timers = world, tracer, timers
        self._told_timers = ToldTimers(tracer)
        self._inbox: deque[Waiting] = deque()
        self._todo: Iterator[Any] = iter(())
        self._perform: dict[type, Callable[[Any], None]] = {
            CancelTimer: self._cancel_timer,
            Append: world.append,
            Flush: lambda effect: world.flush(effect.topic_partition),
            Truncate: lambda effect: store.truncate(effect.topic_partition, effect.end_offset),
            AssignEpoch: lambda effect: store.assign_epoch(effect.topic_partition, effect.epoch, effect.start_offset),
            AdoptEpoch: lambda effect: store.adopt_epoch(effect.topic_partition, effect.epoch),
            AdvanceLogStart: lambda effect: store.advance_start(effect.topic_partition, effect.start_offset),
            WriteSnapshot: lambda effect: store.write_snapshot(effect.snapshot_id, effect.data),
            InstallSnapshot: lambda effect: store.install_snapshot(effect.snapshot_id, effect.data),
            DeleteSnapshots: lambda effect: store.delete_snapshots(effect.before),
            CleanLog: lambda effect: store.clean(effect),
            RollSegment: lambda effect: store.roll(effect.topic_partition, effect.why),
            ReadWallClock: lambda _effect: self._read_wall_clock(store),
            CheckpointHighWatermark: lambda effect: store.note_high_watermark(
                effect.topic_partition, effect.high_watermark
            ),
            PersistElection: world.persist,
            StopNode: lambda effect: world.stop(effect.broker_epoch),
            HaltNode: lambda effect: world.halt(effect.why),
        }

    def _replicas(self, config: NodeConfig) -> ReplicaManager:
        node_id, settings, first_correlation = config.node_id, config.settings, config.first_correlation
        if settings.fetch_sessions:
            return SessionReplicaManager(node_id, settings, self.fetch_sessions, first_correlation)
        return ReplicaManager(node_id, settings, first_correlation)

    def push(self, happened: Input, cause: EventId | None, trigger: str) -> None:
        """An input for the next drain."""
        self._inbox.append((happened, cause, trigger, 0))

    def push_frame(self, frame: Frame) -> None:
        """A message for the next drain."""
        sender, message = frame.sender, frame.message
        received = Received(sender=sender, correlation=frame.correlation, message=message)
        self._inbox.append((received, frame.cause, _triggers[type(message), sender], frame.lamport))

    def take_frame(self, frame: Frame) -> None:
        """A message, handled at once where the node does not stand still."""
        self.push_frame(frame)
        self.drain()

    def push_timer(self, name: str, cause: EventId | None) -> None:
        """A timer has run out."""
        self._told_timers.ended(name)
        self.push(TimerFired(name=name), cause, f"timer {name}")

    def push_lost(self, peer: NodeId) -> None:
        """A connection this node had made is gone, or could not be made."""
        self.push(Disconnected(peer=peer), None, f"connection to {peer} lost")

    def drain(self) -> None:
        """Handle inputs until there are none, or until the node has to stand still; then let frames leave.

        What nearly every input asks for is not looked up: this loop is where a simulation spends its time. Effects that
        are left when the node stands still are done first when it goes on. Proposals are settled inside the node.
        """
        world, perform, tracer, timers, inbox = self._world, self._perform, self._tracer, self._timers, self._inbox
        if self.is_draining or world.is_still:
            return
        self.is_draining = True
        handle, kraft, is_caught_up = self.node.handle, self._kraft, False
        try:
            while True:
                for effect in self._todo:
                    kind = type(effect)
                    if kind is Emit:
                        tracer.emit(effect.event, effect.decision)
                    elif kind is Send:
                        self._send(effect)
                    elif kind is SetTimer:
                        length_ns = timers.set(effect.name, effect.delay_ms, effect.jitter_ms, tracer.cause)
                        if effect.name in DECIDING:
                            self._told_timers.began(effect.name, length_ns, world.now_ms())
                    else:
                        perform[kind](effect)
                        # What is left stays in its order for later: it may be the answer to the vote that this slow
                        # disk is still writing, and nothing may overtake that.
                        if world.is_still:
                            return
                # Before any other input. A follower hears in one answer of records and that they are committed, and its
                # log holds them only now, when the effects are done: else the next input would be judged by older
                # metadata than the node knows to be committed. Once for each input: what cannot be applied yet must not
                # stop the others.
                if kraft is not None and kraft.is_behind and not is_caught_up:
                    is_caught_up = True
                    self._todo = iter(kraft.catch_up(world.now_ms()))
                elif inbox:
                    happened, tracer.cause, tracer.trigger, lamport = inbox.popleft()
                    if lamport > tracer.lamport:
                        tracer.lamport = lamport
                    is_caught_up = False
                    self._todo = iter(handle(happened, world.now_ms()))
                elif not world.send_out() and not inbox:
                    break
        except Exception as error:  # a broken invariant or a bug: the node must end, never go on in an unknown state
            world.fail(error)
        finally:
            self.is_draining = False

    def _read_wall_clock(self, store: NodeStore) -> None:
        self.push(WallClockRead(wall_ms=store.disk.now_ms()), self._tracer.cause, "the wall clock")

    def _cancel_timer(self, effect: CancelTimer) -> None:
        self._timers.cancel(effect.name)
        self._told_timers.ended(effect.name)

    def _send(self, effect: Send) -> None:
        """To itself as an input of its own, after the effects of this one; to others over the network."""
        tracer, own_id, target, message = self._tracer, self.node.config.node_id, effect.target, effect.message
        if target == own_id:
            received = Received(sender=own_id, correlation=effect.correlation, message=message)
            self.push(received, tracer.cause, _triggers[type(message), own_id])
            return
        # A session's fetch says what several steps have led to, not this one alone.
        cause = tracer.newest if type(message) is SessionFetchRequest else tracer.cause
        frame = Frame(own_id, effect.correlation, message, cause, tracer.lamport)
        if type(message) in RESPONSES:
            self._world.respond(target, frame)
        else:
            self._world.request(target, frame)
