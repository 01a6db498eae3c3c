"""A node's disk: plain files, books of what fsync claimed and what is durable, and the faults a learner can inject.

Writes go to the real file, so kill -9 keeps them. A buffered disk keeps appends back until write_out(), which its owner
calls before anything leaves the process: a kill then loses only what nobody was told of. Only the books know what power
loss would take away.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster.model.errors import StorageFailed
from cluster.storage import books as ledger
from cluster.storage.books import BEFORE_SUFFIX, FOLDER, TEMPORARY_SUFFIX, Books, flattened

NO_SPACE = 28
KEPT_BYTES_MAX = 1 << 20
_OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Disk:
    """All file access of one node, relative to its data folder. Names use "/" and never "+"."""

    __slots__ = (
        "_books",
        "_files",
        "_is_buffered",
        "_kept",
        "_kept_bytes",
        "_kept_name",
        "_saved",
        "_sides",
        "budget_bytes",
        "host_fsync",
        "lying",
        "root",
        "slow_ms",
    )

    def __init__(self, root: Path, *, host_fsync: bool = False, is_buffered: bool = False) -> None:
        self.root = root
        self.host_fsync = host_fsync
        """Also call the host's fsync."""
        self._is_buffered = is_buffered
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._kept_name = ""
        self.lying = False
        """fsync returns success and does nothing."""
        self.slow_ms = 0
        """Delay of each fsync; the world waits, the disk does not."""
        self.budget_bytes: int | None = None
        """Bytes that can still be written before the disk is full; None for no limit."""
        self._files: dict[str, int] = {}
        self._sides: dict[str, int] = {}
        self._books: dict[str, Books] = {}
        self._saved: dict[str, bytes] = {}
        with _failing("open", str(root.name)):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            (root / FOLDER).mkdir(mode=0o700, exist_ok=True)
            for name in ledger.data_files(root):
                self._adopt(name)

    def _adopt(self, name: str) -> None:
        if name.endswith(TEMPORARY_SUFFIX):
            (self.root / name).unlink()
            return
        self._books[name] = ledger.load(self.root, name)

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return name in self._books

    def books(self, name: str) -> Books:
        """What is written, claimed and durable of one file."""
        return self._books[name]

    def names(self, folder: str) -> list[str]:
        """Names of the files directly in a folder, sorted, relative to the root; "" for the root itself."""
        return sorted(name for name in self._books if name.rpartition("/")[0] == folder)

    def create(self, name: str) -> None:
        """Make an empty file; power loss takes it away until its directory is synced."""
        with _failing("create", name):
            (self.root / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._files[name] = os.open(self.root / name, _OPEN | os.O_EXCL, 0o600)
        self._books[name] = Books()
        self._save(name)

    def append(self, name: str, data: bytes) -> None:
        """Write at the end. StorageFailed 28 after a short write when the budget does not suffice."""
        if self._kept_name != name:
            self.write_out()
        allowed = self._take(len(data))
        is_cut = allowed < len(data)
        self._kept_name = name
        self._kept.append(data[:allowed] if is_cut else data)
        self._kept_bytes += allowed
        self._books[name].written += allowed
        if is_cut or not self._is_buffered or self._kept_bytes > KEPT_BYTES_MAX:
            self.write_out()
        if is_cut:
            raise StorageFailed(NO_SPACE, f"append {name}")

    def write_out(self) -> None:
        """Write what was kept back, in one system call."""
        if not self._kept:
            return
        name, size = self._kept_name, self._kept_bytes
        data = self._kept[0] if len(self._kept) == 1 else b"".join(self._kept)
        self._kept.clear()
        self._kept_bytes = 0
        with _failing("append", name):
            _write_all(self._file(name), data, self._books[name].written - size)

    def read(self, name: str, position: int, size: int) -> bytes:
        """Up to size bytes from position."""
        self.write_out()
        with _failing("read", name):
            return os.pread(self._file(name), size, position)

    def read_whole(self, name: str) -> bytes | None:
        """The whole content; None when there is no such file."""
        return self.read(name, 0, self._books[name].written) if name in self._books else None

    def fsync(self, name: str) -> Books:
        """Claim all written bytes durable; they are unless the disk lies."""
        self.write_out()
        books = self._books[name]
        if self.host_fsync and not self.lying:
            with _failing("fsync", name):
                _sync(self._file(name))
        books.claimed = books.written
        if not self.lying:
            books.durable = books.written
        self._save(name)
        return books

    def fsync_dir(self, folder: str) -> None:
        """Make creations and renames in a folder durable, unless the disk lies. "" is the root."""
        if self.lying:
            return
        if self.host_fsync:
            with _failing("fsync", folder):
                _fsync_path(self.root / folder)
        for name in self.names(folder):
            books = self._books[name]
            if books.entry_durable or (books.renamed and books.durable < books.written):
                continue
            books.entry_durable, books.renamed = True, False
            self._save(name)
            self._before(name).unlink(missing_ok=True)

    def truncate(self, name: str, size: int) -> None:
        """Cut to size bytes; what is cut never comes back."""
        self.write_out()
        books = self._books[name]
        books.claimed, books.durable = min(books.claimed, size), min(books.durable, size)
        self._save(name)
        with _failing("truncate", name):
            os.ftruncate(self._file(name), size)
        books.written = size

    def replace(self, name: str, data: bytes) -> None:
        """Put data in place of the whole file: temporary file, fsync, rename. Durable after fsync_dir."""
        self.write_out()
        allowed = self._take(len(data))
        temporary = self.root / (name + TEMPORARY_SUFFIX)
        with _failing("replace", name):
            temporary.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(temporary, _OPEN | os.O_TRUNC, 0o600)
            _write_all(handle, data[:allowed], 0)
            if allowed < len(data):
                os.close(handle)
                temporary.unlink()
                self._give_back(allowed)
                raise StorageFailed(NO_SPACE, f"replace {name}")
            if self.host_fsync and not self.lying:
                _sync(handle)
            self._keep_before(name)
            temporary.rename(self.root / name)
        self._give_back(self._books[name].written if name in self._books else 0)
        self._close_file(name)
        self._files[name] = handle
        self._books[name] = Books(len(data), len(data), 0 if self.lying else len(data), renamed=True)
        self._save(name)

    def unlink(self, name: str) -> None:
        """Remove a file; it stays removed after power loss."""
        self.write_out()
        with _failing("unlink", name):
            self._close_file(name)
            (self.root / name).unlink(missing_ok=True)
            side = self._sides.pop(name, None)
            if side is not None:
                os.close(side)
            (self.root / FOLDER / flattened(name)).unlink(missing_ok=True)
            self._before(name).unlink(missing_ok=True)
        self._saved.pop(name, None)
        gone = self._books.pop(name, None)
        self._give_back(gone.written if gone else 0)

    def close(self) -> None:
        """Let go of all files; nothing is synced."""
        self.write_out()
        for handle in (*self._files.values(), *self._sides.values()):
            os.close(handle)
        self._files.clear()
        self._sides.clear()

    def _keep_before(self, name: str) -> None:
        books = self._books.get(name)
        if books is None:
            return
        if books.settled:
            self._before(name).unlink(missing_ok=True)
            self._before(name).hardlink_to(self.root / name)
        books.claimed, books.durable, books.entry_durable, books.renamed = 0, 0, False, True
        self._save(name)

    def _before(self, name: str) -> Path:
        return self.root / FOLDER / (flattened(name) + BEFORE_SUFFIX)

    def _take(self, size: int) -> int:
        if self.budget_bytes is None:
            return size
        allowed = min(size, max(0, self.budget_bytes))
        self.budget_bytes -= allowed
        return allowed

    def _give_back(self, size: int) -> None:
        if self.budget_bytes is not None:
            self.budget_bytes += size

    def _file(self, name: str) -> int:
        handle = self._files.get(name)
        if handle is None:
            handle = self._files[name] = os.open(self.root / name, _OPEN & ~os.O_CREAT, 0o600)
        return handle

    def _close_file(self, name: str) -> None:
        handle = self._files.pop(name, None)
        if handle is not None:
            os.close(handle)

    def _save(self, name: str) -> None:
        record = ledger.pack(self._books[name])
        if self._saved.get(name) == record:
            return
        handle = self._sides.get(name)
        if handle is None:
            handle = self._sides[name] = os.open(self.root / FOLDER / flattened(name), _OPEN, 0o600)
        os.pwrite(handle, record, 0)
        self._saved[name] = record


def _write_all(handle: int, data: bytes, position: int) -> int:
    view = memoryview(data)
    done = 0
    while done < len(data):
        done += os.pwrite(handle, view[done:], position + done)
    return done


def _sync(handle: int) -> None:
    """Have a file's data on the platter: fdatasync, or what macOS needs for that."""
    if sys.platform == "darwin":
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(handle)


def _fsync_path(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _failing(what: str, name: str) -> Iterator[None]:
    """Turn the host's own errors into StorageFailed."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(error.errno or 5, f"{what} {name}") from error
