"""Descriptors of files that are used again and again: never more than a few, however many files a disk holds."""

from __future__ import annotations

import errno
import os
from collections import OrderedDict
from pathlib import Path

HELD_MAX = 64
"""Files held open at a time. A broker has five for each of the 50 partitions of __consumer_offsets alone."""
_FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
_NO_DESCRIPTOR = (errno.EMFILE, errno.ENFILE)


class HeldFiles:
    """Open files by name, relative to a root. The one that was used longest ago is closed for the next."""

    __slots__ = ("_handles", "_root")

    def __init__(self, root: Path) -> None:
        self._root = root
        self._handles: OrderedDict[str, int] = OrderedDict()

    def get(self, name: str, flags: int = 0) -> int:
        """The descriptor of a file, good until the next call. OSError when it cannot be opened.

        Args:
            flags: for opening it, besides those for reading and writing.
        """
        handle = self._handles.get(name)
        if handle is not None:
            self._handles.move_to_end(name)
            return handle
        while len(self._handles) >= HELD_MAX:
            self._close_oldest()
        handle = self._handles[name] = self.open(name, flags)
        return handle

    def open(self, name: str, flags: int = 0) -> int:
        """A descriptor of the caller's own. Where the system grants no more, held files make room."""
        while True:
            try:
                return os.open(self._root / name, _FLAGS | flags, 0o600)
            except OSError as error:
                if error.errno not in _NO_DESCRIPTOR or not self._handles:
                    raise
            self._close_oldest()

    def drop(self, name: str) -> None:
        """Let go of one file, if it is held."""
        handle = self._handles.pop(name, None)
        if handle is not None:
            os.close(handle)

    def close(self) -> None:
        """Let go of all."""
        while self._handles:
            self._close_oldest()

    def _close_oldest(self) -> None:
        _, handle = self._handles.popitem(last=False)
        os.close(handle)
