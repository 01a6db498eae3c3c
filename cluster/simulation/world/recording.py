"""Every event of a simulated run, in the order in which it happened, for whoever wants to hear of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from cluster.model.entry import Entry, EventId
from cluster.model.events import Event
from cluster.model.identifiers import NodeId
from cluster.model.ruling import Decision
from cluster.simulation.world.clock import MachineClock
from cluster.simulation.world.kernel import WALL_START_NS, Kernel
from cluster.trace.entry import encode_entry
from cluster.trace.writer import EntryFile

Listener: TypeAlias = Callable[[Entry], Any]
"""Told of an entry the moment it is written: for what has to act then and there."""
Reader: TypeAlias = Callable[[Sequence[Entry]], Any]
"""Given many entries at a time, in order: for what only looks."""
UNREAD_MAX, LOOK_EVERY = 1_024, 64
"""So many entries are kept for the readers, give or take what comes until a writer's next 64th. A reader that does them
in one go finds its code and data in the caches of the processor, where the nodes put theirs meanwhile: nodes, checker
and trace files that take turns at each entry cost a sixth more.
"""
WAITING_MIN = 256
"""A trace file is not written for fewer entries, unless somebody wants to read it."""
_named = tuple.__new__
"""Makes a named tuple at half the cost of its own constructor."""


class Recording:
    """Gives events their envelope and hands them on. Nothing is kept for long or encoded unless somebody does."""

    __slots__ = ("_kernel", "_read_count", "listeners", "observes", "readers", "run", "unread")

    def __init__(self, run: str, kernel: Kernel, *, observes: bool = True) -> None:
        self.run = run
        """Id of the run."""
        self.observes = observes
        """Whether observations of messages and timers are told, too."""
        self.listeners: list[Listener] = []
        """Told of each entry at once, in order."""
        self.readers: list[Reader] = []
        """Given the entries in order, once there are many of them or somebody has them catch up."""
        self.unread: list[Entry] = []
        """Not given to the readers yet."""
        self._read_count = 0
        self._kernel = kernel

    @property
    def count(self) -> int:
        """Events so far."""
        return self._read_count + len(self.unread)

    def catch_up(self) -> None:
        """Give the readers all that has happened so far: call it before what a reader knows is used."""
        if self.unread:
            entries = self.unread.copy()
            self.unread.clear()
            self._read_count += len(entries)
            for reader in self.readers:
                reader(entries)

    def writer(self, node: NodeId, incarnation: int, clock: MachineClock | None = None) -> RecordingWriter:
        """Where one start of a node tells what happens; without a clock of its own it is never wrong about time."""
        return RecordingWriter(self, clock or MachineClock(self._kernel), self._kernel, node, incarnation)


class RecordingWriter:
    """The events of one start. Implements Writer of cluster.trace.tracer."""

    __slots__ = ("_clock", "_incarnation", "_kernel", "_listeners", "_node", "_recording", "_run", "_seq", "_unread",
                 "before_flush")  # fmt: skip

    def __init__(
        self, recording: Recording, clock: MachineClock, kernel: Kernel, node: NodeId, incarnation: int
    ) -> None:
        self._recording, self._clock, self._kernel = recording, clock, kernel
        self._run, self._unread, self._listeners = recording.run, recording.unread, recording.listeners
        self._node, self._incarnation = node, incarnation
        self._seq = 0
        self.before_flush: Callable[[], None] | None = None
        """Never needed: an event is told the moment it happens."""

    def write(
        self,
        event: Event,
        decision: Decision | None = None,
        cause: EventId | None = None,
        trigger: str = "",
        lamport: int = 0,
    ) -> EventId:
        """Tell one event; its name in the run."""
        kernel, node, incarnation, seq = self._kernel, self._node, self._incarnation, self._seq
        self._seq = count = seq + 1
        now_ns = kernel.now_ns = kernel.now_ns + 1
        entry = Entry(
            self._run,
            node,
            incarnation,
            seq,
            now_ns,
            WALL_START_NS + now_ns if self._clock.is_right else self._clock.wall_ns(),
            lamport,
            cause,
            trigger,
            decision,
            event,
        )
        unread = self._unread
        unread.append(entry)
        if not count % LOOK_EVERY and len(unread) >= UNREAD_MAX:
            self._recording.catch_up()
        for listener in self._listeners:
            listener(entry)
        return _named(EventId, (node, incarnation, seq))

    def observe(self, event: Event, cause: EventId | None, lamport: int) -> None:
        """Tell an observation, if they are wanted. The virtual clock stands still: the run is the same without it."""
        if not self._recording.observes:
            return
        self._kernel.now_ns -= 1
        self.write(event, None, cause, "", lamport)

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Nothing is held open."""


class TraceFiles:
    """A reader that writes trace files as node processes do, so that whoever reads those of a run reads these too."""

    __slots__ = ("_files", "_folder")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[tuple[NodeId, int], EntryFile] = {}

    def __call__(self, entries: Iterable[Entry]) -> None:
        """Append each entry to the file of its writer."""
        files = self._files
        for entry in entries:
            key = entry.node, entry.incarnation
            file = files[key] if key in files else self._open(*key)
            file.waiting.append(encode_entry(entry))
        for file in files.values():
            file.flush(WAITING_MIN)

    def _open(self, node: NodeId, incarnation: int) -> EntryFile:
        self._close_earlier(node)
        file = self._files[node, incarnation] = EntryFile(self._folder / f"{node}-{incarnation}.trace")
        return file

    def _close_earlier(self, node: NodeId) -> None:
        """The starts before have said their last word."""
        for key in [key for key in self._files if key[0] == node]:
            self._files.pop(key).close()

    def flush(self) -> None:
        """Have everything in the files."""
        for file in self._files.values():
            file.flush()

    def close(self) -> None:
        """Write what is left and let go of the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()


class Fingerprint:
    """A reader that boils the whole trace down to one number: equal for equal runs, to the byte."""

    __slots__ = ("_hash",)

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def __call__(self, entries: Iterable[Entry]) -> None:
        """Take in entries as they would stand in a trace file."""
        for entry in entries:
            self._hash.update(encode_entry(entry))

    def __str__(self) -> str:
        return self._hash.hexdigest()
