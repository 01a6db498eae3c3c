"""Reads the trace files of a run, finished or still growing."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from heapq import merge
from operator import attrgetter
from pathlib import Path
from struct import Struct
from time import monotonic
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry, UnknownEvent
from cluster.model.events import Event, ProcessStarted, QuorumBooted
from cluster.model.identifiers import (
    FIRST_CLIENT_ID,
    FIRST_CONTROLLER_ID,
    LAB_ID,
    LAST_BROKER_ID,
    LAST_CONTROLLER_ID,
    SCRIPT_ID,
    NodeId,
)
from cluster.ordinary_file import StrangeFile, open_ordinary
from cluster.trace.entry import ENTRY_BYTES_MAX, decode_entry

FILES_MAX = 4096
"""One for each start of each node: a storm of many hours."""
SCAN_SECONDS = 0.2
FOREVER_NS = (1 << 63) - 1
CHUNK_BYTES = 1 << 20
FIRST_BYTES, PIECE_BYTES = 1 << 12, 1 << 17
"""Of each file that a stream merges, all of them at once: first just enough to know when it begins."""
ENDING = ".trace"
NODES = frozenset((*range(1, LAST_BROKER_ID + 1), *range(FIRST_CONTROLLER_ID, LAST_CONTROLLER_ID + 1)))
WRITERS = NODES | {LAB_ID, FIRST_CLIENT_ID, SCRIPT_ID}
NAMING_KINDS = frozenset((ProcessStarted, QuorumBooted))
"""Events that strange_node looks into."""
in_order = attrgetter("t_ns", "node", "seq")
"""What entries of several files are sorted by."""
_size = Struct(">I").unpack_from
"""Of the length before an entry."""
_NAME = re.compile(r"([0-9]{1,9})-([0-9]{1,9})\.trace")


class TraceError(Exception):
    """A trace that cannot be trusted: names the file and the byte offset of the entry."""

    def __init__(self, path: Path, offset: int, why: str) -> None:
        super().__init__(f"{path}: byte {offset}: {why}")
        self.path = path
        self.offset = offset
        """Where the bad entry starts."""
        self.why = why


def origin_of(name: str) -> tuple[int, int]:
    """(node, incarnation) that a trace file of this name is of; (-1, -1) for another one."""
    parts = _NAME.fullmatch(name)
    return (int(parts[1]), int(parts[2])) if parts else (-1, -1)


class Place(NamedTuple):
    """Between two entries of one file."""

    seq: int
    """Of the entry after it."""
    position: int
    """Of that entry, in bytes."""


class TraceFolder:
    """Follows all trace files of one folder."""

    __slots__ = (
        "_files", "_folder", "_mtime_ns", "_ready", "_run", "_scanned_at", "_starts", "lost", "torn", "unknown",
    )  # fmt: skip

    def __init__(self, folder: Path, starts: Mapping[tuple[int, int], Place] = MappingProxyType({})) -> None:
        """Take a folder. starts: for each file, by node and incarnation, where it goes on; else at its beginning."""
        self._folder = folder
        self._starts = starts
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

    def poll(self, until_ns: int = FOREVER_NS) -> list[Entry]:
        """Complete entries since the last poll, ordered by (t_ns, node, seq); younger ones come with a later poll.

        Files that grow are read one after another, so an effect in one may be read before its cause in another. Who
        gives the time at which the poll begins, by the run's clock, gets each cause before its effects.
        TraceError once for each file with garbage; entries of the others come with the next poll.
        """
        self._scan()
        for name, file in self._files.items():
            if name in self.lost:
                continue
            try:
                self._ready.extend(self._read(name, file))
            except TraceError as error:
                self.lost[name] = error.why
                raise
        self._ready.sort(key=in_order)
        end = bisect_right(self._ready, until_ns, key=attrgetter("t_ns"))
        ready, self._ready = self._ready[:end], self._ready[end:]
        return ready

    def fresh_bytes(self) -> int:
        """How much was written since the last poll."""
        self._scan()
        return sum(max(0, os.fstat(file.handle).st_size - file.read_to) for file in self._files.values())

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
        for path in trace_files(self._folder):
            if path.name not in self._files:
                self._files[path.name] = TraceFile(path, self._starts.get(origin_of(path.name)))

    def each(self) -> Iterator[Entry]:
        """The same entries in the same order, without having all of them in memory; to be taken to the end.

        TraceError at the end when a file has garbage; entries of the others were given.
        """
        self._scan()
        troubles: list[TraceError] = []
        lanes = [self._lane(name, file, troubles) for name, file in self._files.items() if name not in self.lost]
        yield from merge(*lanes, key=in_order)
        if troubles:
            raise troubles[0]

    def _lane(self, name: str, file: TraceFile, troubles: list[TraceError]) -> Iterator[Entry]:
        try:
            yield from self._read(name, file, PIECE_BYTES)
        except TraceError as error:
            self.lost[name] = error.why
            troubles.append(error)

    def _read(self, name: str, file: TraceFile, most: int = CHUNK_BYTES) -> Iterator[Entry]:
        status = os.fstat(file.handle)
        if status.st_size < file.read_to or status.st_nlink == 0:
            self.lost[name] = "cut shorter" if status.st_nlink else "deleted"
        file.run = file.run or self._run
        while file.read_to < status.st_size and file.fill(status.st_size, most):
            for entry in file.take():
                self._run = entry.run
                self.unknown += isinstance(entry.event, UnknownEvent)
                yield entry
        if file.left:
            self.torn[name] = len(file.left)
        else:
            self.torn.pop(name, None)


class TraceFile:
    """One file: how far it is read and what is left of an incomplete entry.

    Who goes on where an earlier reading ended gives that place; newest_ns, origin and run may be set before a fill.
    """

    __slots__ = ("handle", "left", "newest_ns", "origin", "path", "position", "run", "seq")

    def __init__(self, path: Path, start: Place | None = None) -> None:
        self.path = path
        try:
            self.handle = open_ordinary(path, follow=True)
        except StrangeFile as error:
            raise TraceError(path, 0, str(error.strerror)) from error
        self.seq, self.position = start or Place(0, 0)
        """Sequence number that is due, and one past the last complete entry, in bytes."""
        self.left = b""
        """What was read of the next entry."""
        self.newest_ns = 0
        """Time of the last entry: the next one's is this or later."""
        self.origin: tuple[int, int] | None = None
        """(node, incarnation) of all entries; None before the first."""
        self.run: str | None = None
        """Run of all entries; None before the first."""

    @property
    def read_to(self) -> int:
        """One past the last byte seen."""
        return self.position + len(self.left)

    def fill(self, size: int, most: int = CHUNK_BYTES) -> int:
        """Read one more piece, not past size and of so many bytes at most; the bytes got."""
        piece = os.pread(self.handle, min(most, size - self.read_to), self.read_to)
        self.left += piece
        return len(piece)

    def take(self) -> Iterator[Entry]:
        """Each complete entry of what was read; what remains stays in left."""
        data, cursor, start = self.left, 0, self.position
        view = memoryview(data)
        try:
            while len(data) - cursor >= 4:
                (size,) = _size(data, cursor)
                if not 0 < size <= ENTRY_BYTES_MAX:
                    why = f"an entry of {size} bytes, allowed are 1 to {ENTRY_BYTES_MAX}"
                    raise TraceError(self.path, start + cursor, why)
                after = cursor + 4 + size
                if after > len(data):
                    break
                entry = self._decode(view[cursor + 4 : after], start + cursor)
                cursor = after
                self.position = start + cursor
                yield entry
        finally:
            self.left = data[cursor:]
            self.position = start + cursor

    def _decode(self, body: memoryview, offset: int) -> Entry:
        try:
            entry = decode_entry(body)
        except DecodeError as error:
            raise TraceError(self.path, offset, str(error)) from error
        is_next = entry.seq == self.seq and entry.t_ns >= self.newest_ns and entry.run == self.run
        if not is_next or (entry.node, entry.incarnation) != self.origin or type(entry.event) in NAMING_KINDS:
            self._check(entry, offset)
        self.seq += 1
        self.newest_ns = entry.t_ns
        return entry

    def _check(self, entry: Entry, offset: int) -> None:
        """TraceError when it cannot follow; the first one says whose file it is."""
        if self.run is None:
            self.run = entry.run
        if entry.run != self.run:
            raise TraceError(self.path, offset, f"run {entry.run[:60]!r} among {self.run[:60]!r}")
        if self.origin is None:
            self.origin = entry.node, entry.incarnation
            if entry.node not in WRITERS:
                raise TraceError(self.path, offset, _no_node(entry.node))
        if (entry.node, entry.incarnation) != self.origin:
            raise TraceError(self.path, offset, f"node {entry.node}-{entry.incarnation} in the file of another")
        if entry.seq != self.seq:
            raise TraceError(self.path, offset, f"sequence number {entry.seq} where {self.seq} was due")
        if entry.t_ns < self.newest_ns:
            raise TraceError(self.path, offset, _clock_went_back(entry, self.newest_ns))
        if (strange := strange_node(entry.event)) is not None:
            raise TraceError(self.path, offset, _no_node(strange))


def _clock_went_back(entry: Entry, newest_ns: int) -> str:
    event = f"event {entry.node}-{entry.incarnation}#{entry.seq}"
    if not newest_ns:
        return f"{event}: its clock shows {entry.t_ns} ns, before the run's beginning"
    return f"{event}: its clock goes back from {newest_ns} to {entry.t_ns} ns"


def strange_node(event: Event | UnknownEvent) -> NodeId | None:
    """The first node that no run can have among those of which a reader makes something to follow."""
    match event:
        case ProcessStarted():
            named: tuple[NodeId, ...] = (event.node_id,)
        case QuorumBooted():
            named = event.voters
        case _:
            return None
    return next((node for node in named if node not in NODES), None)


def _no_node(node: NodeId) -> str:
    controllers = f"controllers {FIRST_CONTROLLER_ID} to {LAST_CONTROLLER_ID}"
    return f"no node {node}: brokers have 1 to {LAST_BROKER_ID}, {controllers}"


def trace_files(folder: Path) -> list[Path]:
    """The trace files of a run, by name. TraceError when there are more than a run can have."""
    paths = sorted(folder.glob(f"*{ENDING}"))
    if len(paths) > FILES_MAX:
        raise TraceError(folder, 0, f"{len(paths)} trace files, a run has {FILES_MAX} at most")
    return paths


def read_all(folder: Path) -> list[Entry]:
    """All complete entries of a folder, ordered by (t_ns, node, seq)."""
    reader = TraceFolder(folder)
    try:
        return reader.poll()
    finally:
        reader.close()


Due: TypeAlias = tuple[int, NodeId, int, int, Entry, int]
"""An entry of a lane after what it is sorted by: time, node, number, lane. Last the position after it in its file."""


class TraceStream:
    """All complete entries of a folder once, ordered by (t_ns, node, seq), with one piece of each file in memory."""

    __slots__ = ("_folder", "_run", "_salvages", "_starts", "_until_ns", "damaged", "reached", "torn", "unknown")

    def __init__(
        self,
        folder: Path,
        until_ns: int | None = None,
        *,
        starts: Mapping[tuple[int, int], Place] = MappingProxyType({}),
        salvage: bool = False,
    ) -> None:
        """Take a folder.

        Args:
            starts: for each file, by node and incarnation, what is given of it first; else its first entry.
            until_ns: no entry after this instant is given. The clock's value when reading begins makes what is given
                of a run in progress complete: whatever caused an entry is in its file before the entry is.
            salvage: where a file turns to garbage, the stream ends there for all files instead of raising TraceError.
        """
        self._folder = folder
        self._until_ns = until_ns
        self._run: str | None = None
        self._salvages = salvage
        self._starts = starts
        self.reached = dict(starts)
        """For each file, by node and incarnation, what would be given of it next."""
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
            for lane, path in enumerate(trace_files(self._folder)):
                file = TraceFile(path, self._starts.get(origin_of(path.name)))
                opened.callback(os.close, file.handle)
                lanes.append(self._lane(file, lane))
            for t_ns, node, seq, _, entry, position in merge(*lanes):
                if self._until_ns is not None and t_ns > self._until_ns:
                    return
                self.unknown += type(entry.event) is UnknownEvent
                self.reached[node, entry.incarnation] = Place(seq + 1, position)
                yield entry

    def _lane(self, file: TraceFile, lane: int) -> Iterator[Due]:
        """Each entry of a file."""
        last_ns, size, most = 0, os.fstat(file.handle).st_size, FIRST_BYTES
        try:
            while file.read_to < size:
                file.run = file.run or self._run
                if not file.fill(size, most):
                    break
                most = PIECE_BYTES
                for entry in file.take():
                    self._run, last_ns = entry.run, entry.t_ns
                    yield last_ns, entry.node, entry.seq, lane, entry, file.position
        except TraceError as error:
            if not self._salvages:
                raise
            self.damaged[file.path.name] = f"byte {error.offset}: {error.why}"
            self._until_ns = last_ns if self._until_ns is None else min(last_ns, self._until_ns)
            return
        if file.left:
            self.torn[file.path.name] = len(file.left)
