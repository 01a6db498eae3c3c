"""Writes one node start's trace: each event is in the file before anything it led to leaves the process."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic_ns, time_ns

from cluster.model.codec import pack
from cluster.model.entry import EventId
from cluster.model.errors import StorageFailed
from cluster.model.events import Event
from cluster.model.identifiers import NodeId
from cluster.model.ruling import Decision
from cluster.trace.entry import ENTRY_BYTES_MAX

BUFFER_BYTES_MAX = 1 << 16


class EntryFile:
    """Appends whole encoded entries to a new file; for entries that were given their envelope elsewhere."""

    __slots__ = ("_stream", "path", "waiting")

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream = _open_new(path)
        self.waiting: list[bytes] = []
        """Entries with their lengths, put here by whoever has them; in the file after the next flush."""

    def flush(self, least: int = 1) -> None:
        """Write what waits, if it is so many entries at least. StorageFailed 28 when the host's disk is full."""
        if len(self.waiting) >= least:
            _write(self._stream, b"".join(self.waiting), self.path)
            self.waiting.clear()

    def close(self) -> None:
        """Write what was kept back and let go of the file."""
        self.flush()
        os.close(self._stream)


def _open_new(path: Path) -> int:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _write(stream: int, data: bytes, path: Path) -> None:
    try:
        written = os.write(stream, data)
    except OSError as error:
        raise StorageFailed(error.errno or errno.EIO, f"append {path.name}") from error
    if written != len(data):
        # Half an entry at the end may come of a kill; in the middle it would be damage once space is free again.
        os.ftruncate(stream, os.fstat(stream).st_size - written)
        raise StorageFailed(errno.ENOSPC, f"append {path.name}")


class TraceWriter:
    """Appends events to a new file; what is written survives kill -9 of the writer.

    A buffered writer keeps events back until flush(), which its owner calls before it sends anything: then a kill loses
    only what nobody has seen. An unbuffered one makes one system call for each event.
    """

    __slots__ = (
        "_head",
        "_incarnation",
        "_is_buffered",
        "_node",
        "_seq",
        "_shift_ns",
        "_size",
        "_stream",
        "_waiting",
        "before_flush",
        "path",
    )

    def __init__(
        self, path: Path, run: str, node: NodeId, incarnation: int, *, is_buffered: bool = False, shift_ns: int = 0
    ) -> None:
        """`shift_ns`: from the machine's monotonic clock to the run's, which stands still while a run is over."""
        self.path = path
        self._shift_ns = shift_ns
        self._stream = _open_new(path)
        self._node, self._incarnation = node, incarnation
        self._head = (run, node, incarnation)
        self._seq = 0
        self._is_buffered = is_buffered
        self._waiting: list[bytes] = []
        self._size = 0
        self.before_flush: Callable[[], None] | None = None
        """Does what must be done before what the events tell of is told."""

    def write(
        self,
        event: Event,
        decision: Decision | None = None,
        cause: EventId | None = None,
        trigger: str = "",
        lamport: int = 0,
    ) -> EventId:
        """Append one event; its name in the run. StorageFailed 28 when the host's disk is full."""
        seq = self._seq
        t_ns = monotonic_ns() + self._shift_ns
        body = pack((*self._head, seq, t_ns, time_ns(), lamport, cause, trigger, decision, event.name, event))
        size = len(body)
        if size > ENTRY_BYTES_MAX:
            raise ValueError(f"a trace entry of {size} bytes is longer than {ENTRY_BYTES_MAX}")
        self._waiting.append(size.to_bytes(4, "big") + body)
        self._size += size + 4
        self._seq = seq + 1
        if not self._is_buffered or self._size > BUFFER_BYTES_MAX:
            self.flush()
        return EventId(self._node, self._incarnation, seq)

    def now_ns(self) -> int:
        """The run's clock."""
        return monotonic_ns() + self._shift_ns

    def observe(self, event: Event, cause: EventId | None, lamport: int) -> None:
        """Append an observation."""
        self.write(event, None, cause, "", lamport)

    def flush(self) -> None:
        """Write what was kept back, in one system call. StorageFailed 28 when the host's disk is full."""
        if not self._waiting:
            return
        if self.before_flush is not None:
            self.before_flush()
        data = self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting)
        _write(self._stream, data, self.path)  # what the disk does not take now it may take later: no number is lost
        self._waiting.clear()
        self._size = 0

    def close(self) -> None:
        """Write what was kept back and let go of the file."""
        self.flush()
        os.close(self._stream)
