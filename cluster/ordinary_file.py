"""Opens and reads files that somebody else may have put there: ordinary ones only, and no more of them than allowed.

What stat says of a size is not believed: a device says 0 and has no end.
"""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path

PIECE_BYTES = 1 << 16
_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}


class StrangeFile(OSError):
    """Not what can be read: no ordinary file, a link, or too large. strerror is one clause for people."""

    def __init__(self, why: str, path: Path) -> None:
        super().__init__(errno.EINVAL, why, str(path))


def open_ordinary(path: Path, *, follow: bool = False) -> int:
    """A descriptor to read an ordinary file by. It never waits for whoever writes into a pipe.

    StrangeFile for anything else, and for a link unless links are followed; OSError when the system refuses.
    """
    return _opened(path, follow=follow, pipes=False)


def read_ordinary(path: Path, size_max: int, *, follow: bool = False) -> bytes:
    """All bytes of an ordinary file. StrangeFile also for one that is larger than size_max bytes."""
    return _read(path, size_max, _opened(path, follow=follow, pipes=False))


def read_ordinary_or_pipe(path: Path, size_max: int) -> bytes:
    """All bytes of an ordinary file, or of a pipe that somebody writes into, to the end; links are followed."""
    return _read(path, size_max, _opened(path, follow=True, pipes=True))


def _opened(path: Path, *, follow: bool, pipes: bool) -> int:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
    try:
        handle = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise StrangeFile("a link, and links are not followed here", path) from error
        if error.errno == errno.ENXIO:
            raise StrangeFile("not an ordinary file but a socket", path) from error
        raise
    kind = stat.S_IFMT(os.fstat(handle).st_mode)
    if kind == stat.S_IFREG or (pipes and kind == stat.S_IFIFO):
        return handle
    os.close(handle)
    raise StrangeFile(f"not an ordinary file but {_KINDS.get(kind, 'a device')}", path)


def _read(path: Path, size_max: int, handle: int) -> bytes:
    content, waiting = bytearray(), select.poll()
    waiting.register(handle, select.POLLIN)
    try:
        while len(content) <= size_max:
            try:
                piece = os.read(handle, min(PIECE_BYTES, size_max + 1 - len(content)))
            except BlockingIOError:
                waiting.poll()
                continue
            if not piece:
                break
            content += piece
        if len(content) > size_max:
            raise StrangeFile(f"larger than {size_max} bytes, not read", path)
        if not content and stat.S_ISFIFO(os.fstat(handle).st_mode):
            raise StrangeFile("a pipe that nobody writes into", path)
    finally:
        os.close(handle)
    return bytes(content)
