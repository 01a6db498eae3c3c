"""Reads the trace files of a run, finished or still growing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from heapq import merge
from pathlib import Path
from time import monotonic

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry, UnknownEvent
from cluster.ordinary_file import StrangeFile, open_ordinary
from cluster.trace.entry import ENTRY_BYTES_MAX, decode_entry

SCAN_SECONDS = 0.2
CHUNK_BYTES = 1 << 20
ENDING = ".trace"
_NAME = re.compile(r"([0-9]{1,9})-([0-9]{1,9})\.trace")


class TraceError(Exception):
    """A trace that cannot be trusted: names the file and the byte offset of the entry."""

    def __init__(self, path: Path, offset: int, why: str) -> None:
        super().__init__(f"{path}: byte {offset}: {why}")
        self.path = path
        """Which file."""
        self.offset = offset
        """Where the bad entry starts."""
        self.why = why
        """One clause."""


def origin_of(name: str) -> tuple[int, int]:
    """(node, incarnation) that a trace file of this name is of; (-1, -1) for another one."""
    found = _NAME.fullmatch(name)
    return (int(found[1]), int(found[2])) if found else (-1, -1)


class TraceFolder:
    """Follows all trace files of one folder."""

    __slots__ = ("_files", "_folder", "_mtime_ns", "_ready", "_run", "_scanned_at", "lost", "torn", "unknown")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, TraceFile] = {}
        self._ready: list[Entry] = []
        self._mtime_ns = -1
        self._scanned_at = float("-inf")
        self._run: str | None = None
        self.torn: dict[str, int] = {}
        """Bytes of the incomplete last entry of each file that has one."""
        self.lost: dict[str, str] = {}
        """Files that can be followed no longer, and why."""
        self.unknown = 0
        """Entries with an event of a newer version."""

    def poll(self) -> list[Entry]:
        """Complete entries since the last poll, ordered by (t_ns, node, seq).

        TraceError once for each file with garbage; entries of the others come with the next poll.
        """
        self._scan()
        for name, file in self._files.items():
            if name in self.lost:
                continue
            try:
                self._read(name, file)
            except TraceError as error:
                self.lost[name] = error.why
                raise
        ready, self._ready = self._ready, []
        ready.sort(key=lambda entry: (entry.t_ns, entry.node, entry.seq))
        return ready

    def close(self) -> None:
        """Let go of all files."""
        for file in self._files.values():
            os.close(file.handle)
        self._files.clear()

    def _scan(self) -> None:
        try:
            mtime_ns = self._folder.stat().st_mtime_ns
        except FileNotFoundError:
            return
        now = monotonic()
        if mtime_ns == self._mtime_ns and now - self._scanned_at < SCAN_SECONDS:
            return
        self._mtime_ns, self._scanned_at = mtime_ns, now
        with os.scandir(self._folder) as items:
            names = sorted(item.name for item in items if item.name.endswith(ENDING))
        for name in names:
            if name not in self._files:
                self._files[name] = TraceFile(self._folder / name)

    def _read(self, name: str, file: TraceFile) -> None:
        status = os.fstat(file.handle)
        if status.st_size < file.read_to or status.st_nlink == 0:
            self.lost[name] = "cut shorter" if status.st_nlink else "deleted"
        file.run = file.run or self._run
        while file.read_to < status.st_size and file.fill(status.st_size):
            for entry in file.take():
                self._run = entry.run
                self.unknown += isinstance(entry.event, UnknownEvent)
                self._ready.append(entry)
        if file.left:
            self.torn[name] = len(file.left)
        else:
            self.torn.pop(name, None)


class TraceFile:
    """One file: how far it is read and what is left of an incomplete entry.

    Who goes on where an earlier reading ended sets position, seq and run before the first fill.
    """

    __slots__ = ("handle", "left", "origin", "path", "position", "run", "seq")

    def __init__(self, path: Path) -> None:
        self.path = path
        """Which file."""
        try:
            self.handle = open_ordinary(path, follow=True)
            """Open for reading."""
        except StrangeFile as error:
            raise TraceError(path, 0, str(error.strerror)) from error
        self.position = 0
        """One past the last complete entry, in bytes."""
        self.left = b""
        """What was read of the next entry."""
        self.seq = 0
        """Sequence number that is due."""
        self.origin: tuple[int, int] | None = None
        """(node, incarnation) of all entries; None before the first."""
        self.run: str | None = None
        """Run of all entries; None before the first."""

    @property
    def read_to(self) -> int:
        """One past the last byte seen."""
        return self.position + len(self.left)

    def fill(self, size: int) -> int:
        """Read one more piece, not past size; the bytes got."""
        piece = os.pread(self.handle, min(CHUNK_BYTES, size - self.read_to), self.read_to)
        self.left += piece
        return len(piece)

    def take(self) -> Iterator[Entry]:
        """Each complete entry of what was read; what remains stays in left."""
        data, cursor, start = self.left, 0, self.position
        view = memoryview(data)
        try:
            while len(data) - cursor >= 4:
                size = int.from_bytes(data[cursor : cursor + 4], "big")
                if not 0 < size <= ENTRY_BYTES_MAX:
                    why = f"an entry of {size} bytes, allowed are 1 to {ENTRY_BYTES_MAX}"
                    raise TraceError(self.path, start + cursor, why)
                after = cursor + 4 + size
                if after > len(data):
                    break
                entry = self._decode(view[cursor + 4 : after], start + cursor)
                cursor = after
                yield entry
        finally:
            self.left = data[cursor:]
            self.position = start + cursor

    def _decode(self, body: memoryview, offset: int) -> Entry:
        try:
            entry = decode_entry(body)
        except DecodeError as error:
            raise TraceError(self.path, offset, str(error)) from error
        if self.run is None:
            self.run = entry.run
        if entry.run != self.run:
            raise TraceError(self.path, offset, f"run {entry.run[:60]!r} among {self.run[:60]!r}")
        if self.origin is None:
            self.origin = entry.node, entry.incarnation
        if (entry.node, entry.incarnation) != self.origin:
            raise TraceError(self.path, offset, f"node {entry.node}-{entry.incarnation} in the file of another")
        if entry.seq != self.seq:
            raise TraceError(self.path, offset, f"sequence number {entry.seq} where {self.seq} was due")
        self.seq += 1
        return entry


def read_all(folder: Path) -> list[Entry]:
    """All complete entries of a folder, ordered by (t_ns, node, seq)."""
    reader = TraceFolder(folder)
    try:
        return reader.poll()
    finally:
        reader.close()


class TraceStream:
    """All complete entries of a folder once, ordered by (t_ns, node, seq), with one piece of each file in memory."""

    __slots__ = ("_folder", "_run", "_salvages", "_until_ns", "damaged", "torn", "unknown")

    def __init__(self, folder: Path, until_ns: int | None = None, *, salvage: bool = False) -> None:
        """Take a folder.

        Args:
            until_ns: no entry after this instant is given. The clock's value when reading begins makes what is given
                of a run in progress complete: whatever caused an entry is in its file before the entry is.
            salvage: where a file turns to garbage, the stream ends there for all files instead of raising TraceError.
        """
        self._folder = folder
        self._until_ns = until_ns
        self._run: str | None = None
        self._salvages = salvage
        self.damaged: dict[str, str] = {}
        """Files that turned to garbage, and why; what is given ends before the first of them did."""
        self.torn: dict[str, int] = {}
        """Bytes of the incomplete last entry of each file that has one, once it was read."""
        self.unknown = 0
        """Entries with an event of a newer version."""

    def __iter__(self) -> Iterator[Entry]:
        """Each entry. TraceError at the first that is garbage, OSError when a file cannot be read."""
        with ExitStack() as opened:
            lanes = []
            for path in sorted(self._folder.glob(f"*{ENDING}")):
                file = TraceFile(path)
                opened.callback(os.close, file.handle)
                lanes.append(self._lane(file))
            for entry in merge(*lanes, key=lambda entry: (entry.t_ns, entry.node, entry.seq)):
                if self._until_ns is not None and entry.t_ns > self._until_ns:
                    return
                self.unknown += isinstance(entry.event, UnknownEvent)
                yield entry

    def _lane(self, file: TraceFile) -> Iterator[Entry]:
        last_ns = 0
        try:
            for entry in self._entries(file):
                last_ns = entry.t_ns
                yield entry
        except TraceError as error:
            if not self._salvages:
                raise
            self.damaged[file.path.name] = f"byte {error.offset}: {error.why}"
            self._until_ns = last_ns if self._until_ns is None else min(last_ns, self._until_ns)

    def _entries(self, file: TraceFile) -> Iterator[Entry]:
        size = os.fstat(file.handle).st_size
        while file.read_to < size:
            file.run = file.run or self._run
            if not file.fill(size):
                break
            for entry in file.take():
                self._run = entry.run
                yield entry
        if file.left:
            self.torn[file.path.name] = len(file.left)
