"""What a simulated node asks of its disk: it takes time, it may fail, and it may be the last thing the node does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from cluster.model.effects import Append, PersistElection
from cluster.model.entry import EventId
from cluster.model.errors import StorageFailed
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import Flushed, Input
from cluster.simulation.world.ended import Ended
from cluster.simulation.world.kernel import NS_PER_MS, Action, Kernel
from cluster.simulation.world.network import NS_PER_US
from cluster.storage.disk_faults import DiskFaults
from cluster.storage.node_store import NodeStore
from cluster.trace.tracer import Tracer

Asked = tuple[TopicPartition, EventId | None, str]
"""A log to flush, the event that asked for it, and the trigger to tell."""


class Life(Protocol):
    """The process that works with the disk."""

    is_still: bool
    """Whether no instruction of it runs now."""
    is_paused: bool
    """Whether that is because somebody stopped it."""
    exit_code: int | None
    """Once it has ended."""
    tracer: Tracer
    """Where it tells what happens."""

    def defer_timer(self, action: Action, argument: Any) -> None:
        """Do this once it goes on."""

    def end_by(self, error: Ended | StorageFailed) -> None:
        """It ends here."""

    def die(self, point: str) -> None:
        """It was to die at this place. Ended."""

    def give(self, happened: Input, cause: EventId | None, trigger: str) -> None:
        """An input for the node."""

    def wake(self) -> None:
        """Go on where it stood still."""


class DiskWork:
    """The disk of one life of a node."""

    __slots__ = (
        "_checkpoint_ns",
        "_draw",
        "_flush_us",
        "_kernel",
        "_life",
        "_unfinished",
        "dies",
        "is_blocking",
        "store",
        "told",
    )

    def __init__(self, life: Life, kernel: Kernel, draw: Callable[[], float], checkpoint_ms: int) -> None:
        self._life, self._kernel, self._draw = life, kernel, draw
        self._checkpoint_ns = checkpoint_ms * NS_PER_MS
        self._flush_us = (0, 0)
        self._unfinished: PersistElection | None = None
        self.store: NodeStore
        """Its files, once they are read."""
        self.told: Mapping[str, Any] = {}
        """Faults in force, as FaultBook.disk tells them."""
        self.dies = ""
        """One of CRASH_POINTS; empty for nowhere."""
        self.is_blocking = False
        """Whether the node waits for it."""

    def begin(self, flush_us: tuple[int, int], told: Mapping[str, Any]) -> None:
        """How long an fsync takes, and the faults in force."""
        self._flush_us, self.told = flush_us, told

    def open(self, store: NodeStore) -> None:
        """The files are read."""
        self.store = store
        store.disk.on_rename = self.reach

    def spoil(self, told: Mapping[str, Any]) -> None:
        """Put disk faults in force."""
        self.told = told
        self.store.disk.faults = DiskFaults.of(told)

    def reach(self, point: str) -> None:
        """The node has come to a place of its code. Ended when it is to die there."""
        if self.dies == point:
            self._life.die(point)

    def append(self, effect: Append) -> None:
        """At once: into the page cache."""
        if self.dies:
            self.reach("before append")
        self.store.append(effect.topic_partition, effect.records)
        if self.dies:
            self.reach("after append")

    def flush(self, topic_partition: TopicPartition) -> None:
        """The node goes on meanwhile and is told when it is done."""
        least, most = self._flush_us
        wait_ns = (least + int(self._draw() * (most - least))) * NS_PER_US
        slow_ms = self.store.disk.faults.slow_ms
        trigger = f"slow flush of {topic_partition}" if slow_ms else f"flush of {topic_partition}"
        asked = (topic_partition, self._life.tracer.cause, trigger)
        self._kernel.after(wait_ns + slow_ms * NS_PER_MS, self._on_flushed, asked)

    def _on_flushed(self, asked: Asked) -> None:
        life = self._life
        if life.exit_code is not None:
            return
        if life.is_still:
            life.defer_timer(self._on_flushed, asked)
            return
        topic_partition, cause, trigger = asked
        if not self.store.holds(topic_partition):
            return  # its topic was deleted, or it was moved to other brokers
        life.tracer.begin(cause, trigger)
        try:
            self.reach("before flush")
            end_offset = self.store.flush(topic_partition)
            self.reach("after flush")
        except (Ended, StorageFailed) as error:
            life.end_by(error)
            return
        flushed = Flushed(topic_partition=topic_partition, end_offset=end_offset)
        life.give(flushed, life.tracer.cause, f"flush of {topic_partition}")

    def flush_all(self) -> None:
        """All logs, because a command wants it."""
        life = self._life
        life.tracer.begin(None, "flush command")
        try:
            self.store.flush_all()
        except (Ended, StorageFailed) as error:
            life.end_by(error)

    def persist(self, effect: PersistElection) -> None:
        """A slow disk stops the node here, as it stops Kafka's raft thread."""
        slow_ms = self.store.disk.faults.slow_ms
        if not slow_ms:
            self._write_vote(effect)
            return
        self.is_blocking = self._life.is_still = True
        self._kernel.after(slow_ms * NS_PER_MS, self._on_persisted, effect)

    def go_on(self) -> bool:
        """The node was stopped and goes on; whether it was in the middle of writing."""
        unfinished, self._unfinished = self._unfinished, None
        if unfinished is not None:
            self._on_persisted(unfinished)
        return unfinished is not None

    def _on_persisted(self, effect: PersistElection) -> None:
        life = self._life
        if life.exit_code is not None:
            return
        if life.is_paused:
            self._unfinished = effect
            return
        self.is_blocking = False
        try:
            self._write_vote(effect)
        except (Ended, StorageFailed) as error:
            life.end_by(error)
            return
        life.wake()

    def _write_vote(self, effect: PersistElection) -> None:
        self.reach("before vote")
        self.store.persist(effect)
        self.reach("after vote")

    def schedule_checkpoint(self) -> None:
        """Write the high watermarks down in a while, again and again."""
        self._kernel.after(self._checkpoint_ns, self._checkpoint, None)

    def _checkpoint(self, _nothing: None) -> None:
        life = self._life
        if life.exit_code is not None:
            return
        if life.is_still:
            life.defer_timer(self._checkpoint, None)
            return
        try:
            self.store.checkpoint()
        except (Ended, StorageFailed) as error:
            life.end_by(error)
            return
        self.schedule_checkpoint()
