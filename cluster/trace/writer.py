"""Writes one node start's trace: one system call per event, nothing kept back."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic_ns, time_ns

import msgpack

from cluster.model.codec import to_plain
from cluster.model.decision import Decision
from cluster.model.errors import StorageFailed
from cluster.model.events import Event
from cluster.model.identifiers import NodeId
from cluster.trace.entry import ENTRY_BYTES_MAX, EventId


class TraceWriter:
    """Appends events to a new file; what is written survives kill -9 of the writer."""

    __slots__ = ("_head", "_incarnation", "_node", "_pack", "_seq", "_stream", "path")

    def __init__(self, path: Path, run: str, node: NodeId, incarnation: int) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        self._stream = os.open(path, flags, 0o600)
        self._node, self._incarnation = node, incarnation
        self._head = (run, node, incarnation)
        self._seq = 0
        self._pack = msgpack.Packer(unicode_errors="replace").pack

    def write(
        self,
        event: Event,
        *,
        decision: Decision | None = None,
        cause: EventId | None = None,
        trigger: str = "",
        lamport: int = 0,
    ) -> EventId:
        """Append one event; its name in the run. StorageFailed 28 when the host's disk is full."""
        seq = self._seq
        why = None if decision is None else to_plain(decision)
        body: bytes = self._pack(
            (*self._head, seq, monotonic_ns(), time_ns(), lamport, cause, trigger, why, event.name, to_plain(event))
        )
        size = len(body)
        if size > ENTRY_BYTES_MAX:
            raise ValueError(f"a trace entry of {size} bytes is longer than {ENTRY_BYTES_MAX}")
        if os.write(self._stream, size.to_bytes(4, "big") + body) != size + 4:
            raise StorageFailed(28, f"append {self.path.name}")
        self._seq = seq + 1
        return EventId(self._node, self._incarnation, seq)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._stream)
