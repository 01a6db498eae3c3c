"""The side file of one data file: how much fsync claimed, how much is really durable.

It stands for the disk's platter, so it must survive kill -9 exactly as a page cache does: one small pwrite per change.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from msgspec import Struct

FOLDER = ".durable"
BEFORE_SUFFIX = ".before"
TEMPORARY_SUFFIX = ".tmp"
_RECORD = struct.Struct(">qqqB")
_CRC = struct.Struct(">I")
RECORD_BYTES = _RECORD.size + _CRC.size
_ENTRY, _RENAMED = 1, 2


class Books(Struct):
    """Bytes of one file, each counted from its start."""

    written: int = 0
    """In the page cache; survives kill -9."""
    claimed: int = 0
    """What fsync said is durable."""
    durable: int = 0
    """What survives power loss."""
    entry_durable: bool = False
    """Whether the directory entry survives power loss."""
    renamed: bool = False
    """Whether the present content came by a rename that is not durable yet."""

    forsaken: int = 0
    """Up to here no fsync makes anything durable that was not so before: one has failed. 0 for nowhere."""

    @property
    def settled(self) -> bool:
        """Power loss would change nothing."""
        return self.entry_durable and self.durable == self.written

    @property
    def is_forsaken(self) -> bool:
        """An fsync failed on bytes that are not durable: no later one makes them so."""
        return self.forsaken > self.durable

    def sync(self) -> None:
        """All that is written becomes durable, unless an fsync has failed since: a retry claims what it did not do.

        The system keeps the pages, calls them clean and tells of the error once. Source: "fsyncgate", Rebello and
        others, USENIX ATC 2020 (ext4 and XFS).
        """
        if not self.is_forsaken:
            self.durable = self.written

    def cut(self, size: int) -> None:
        """Fewer bytes are left."""
        self.claimed, self.durable = min(self.claimed, size), min(self.durable, size)
        self.forsaken = min(self.forsaken, size)


def flattened(name: str) -> str:
    """The side file's name for a data file's name relative to the root."""
    return name.replace("/", "+")


def unflattened(name: str) -> str:
    """The inverse of flattened."""
    return name.replace("+", "/")


def pack(books: Books) -> bytes:
    """The side file's whole content."""
    flags = _ENTRY * books.entry_durable | _RENAMED * books.renamed
    body = _RECORD.pack(books.claimed, books.durable, books.forsaken, flags)
    return body + _CRC.pack(zlib.crc32(body))


def unpack(data: bytes, written: int) -> Books:
    """Books for a file of `written` bytes; nothing is durable when the record is not sane."""
    if len(data) != RECORD_BYTES or zlib.crc32(data[: _RECORD.size]) != _CRC.unpack_from(data, _RECORD.size)[0]:
        return Books(written)
    claimed, durable, forsaken, flags = _RECORD.unpack_from(data)
    books = Books(written, claimed, durable, bool(flags & _ENTRY), bool(flags & _RENAMED), forsaken)
    books.cut(written)
    return books


def load(root: Path, name: str) -> Books:
    """The books of one existing file, read from its side file."""
    written = (root / name).stat().st_size
    try:
        record = (root / FOLDER / flattened(name)).read_bytes()
    except FileNotFoundError:
        return Books(written)
    return unpack(record, written)


def data_files(root: Path) -> list[str]:
    """Names of all data files below root, sorted; the side folder is left out."""
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(item for item in folders if item != FOLDER)
        base = Path(folder).relative_to(root)
        paths += [(base / item).as_posix() for item in names]
    return sorted(paths)
