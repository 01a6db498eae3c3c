"""Where entries stand in the files of a run, so that those of long ago are read again instead of kept."""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path
from struct import Struct
from typing import NamedTuple, TypeAlias

from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId
from cluster.trace.entry import ENTRY_BYTES_MAX
from cluster.trace.reader import ENDING, Place, TraceError, TraceFile

Origin: TypeAlias = tuple[NodeId, int]
"""Node and incarnation: whose file it is."""
PIECE_BYTES = 1 << 16
HANDLES_MAX = 64
_length = Struct(">I").unpack_from


class Stretch(NamedTuple):
    """Entries of one file that follow each other."""

    node: NodeId
    incarnation: int
    begin: Place
    end: Place
    """Exclusive."""


class TracePlaces:
    """The files of one folder: how far each was followed, and any stretch of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handles: OrderedDict[Origin, TraceFile] = OrderedDict()
        self.reached: dict[Origin, Place] = {}
        """How far each file was followed."""

    def close(self) -> None:
        """Let go of all files."""
        for file in self._handles.values():
            os.close(file.handle)
        self._handles.clear()

    def follow(self, origin: Origin, count: int) -> Stretch | None:
        """The next so many entries of a file; None while they are not all in it.

        Only their lengths are looked at. TraceError or OSError when the file is none of ours.
        """
        file, begin = self._file(origin), self.reached.get(origin, Place(0, 0))
        position, left = begin.position, count
        while left:
            piece, at = os.pread(file.handle, PIECE_BYTES, position), 0
            last = len(piece) - 4
            if last < 0:
                return None
            while left and at <= last:
                (size,) = _length(piece, at)
                if not 0 < size <= ENTRY_BYTES_MAX:
                    raise TraceError(file.path, position + at, f"an entry of {size} bytes")
                at += 4 + size
                left -= 1
            position += at
        if position > os.fstat(file.handle).st_size:
            return None
        end = self.reached[origin] = Place(begin.seq + count, position)
        return Stretch(*origin, begin, end)

    def read(self, stretch: Stretch) -> list[Entry]:
        """All entries of a stretch. TraceError or OSError when they are not what they were."""
        origin = stretch.node, stretch.incarnation
        file = self._file(origin)
        file.left, file.run, file.newest_ns = b"", None, 0
        file.seq, file.position = stretch.begin
        file.origin = origin
        while file.read_to < stretch.end.position and file.fill(stretch.end.position):
            pass
        entries = list(file.take())
        if len(entries) != stretch.end.seq - stretch.begin.seq or file.position != stretch.end.position:
            raise TraceError(file.path, stretch.begin.position, "the file is not what it was")
        return entries

    def _file(self, origin: Origin) -> TraceFile:
        opened = self._handles.get(origin)
        if opened is None:
            opened = self._handles[origin] = TraceFile(self._folder / f"{origin[0]}-{origin[1]}{ENDING}")
            if len(self._handles) > HANDLES_MAX:
                os.close(self._handles.popitem(last=False)[1].handle)
        else:
            self._handles.move_to_end(origin)
        return opened
