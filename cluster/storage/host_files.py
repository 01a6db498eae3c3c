"""Files of the host. Writes go straight to them, so kill -9 keeps what was written, as a page cache does."""

from __future__ import annotations

import fcntl
import os
import sys
import time
from pathlib import Path

from cluster.storage import books as ledger
from cluster.storage.books import BEFORE_SUFFIX, FOLDER, TEMPORARY_SUFFIX, Books, flattened, unflattened
from cluster.storage.held_files import HeldFiles


class HostFiles:
    """The files below one folder, with a side file of books for each. Implements Files."""

    __slots__ = ("_held", "_saved", "root")

    def __init__(self, root: Path) -> None:
        self.root = root
        self._held = HeldFiles(root)
        self._saved: dict[str, bytes] = {}

    def prepare(self) -> None:
        """Make the folder, not those above it, when it is missing, and remove what an unfinished replacement left."""
        self.root.mkdir(mode=0o700, exist_ok=True)
        (self.root / FOLDER).mkdir(mode=0o700, exist_ok=True)
        for name in ledger.data_files(self.root):
            if name.endswith(TEMPORARY_SUFFIX):
                (self.root / name).unlink()

    def names(self) -> list[str]:
        """All data files, sorted."""
        return ledger.data_files(self.root)

    def now_ms(self) -> int:
        """The machine's wall clock."""
        return time.time_ns() // 1_000_000

    def modified_ms(self, name: str) -> int:
        """As the host dates it."""
        return (self.root / name).stat().st_mtime_ns // 1_000_000

    def create(self, name: str) -> None:
        """Make an empty file. FileExistsError when there is one."""
        (self.root / name).parent.mkdir(mode=0o700, exist_ok=True)
        os.close(self._held.open(name, os.O_CREAT | os.O_EXCL))

    def write(self, name: str, data: bytes, position: int) -> None:
        """Write all of data from position on."""
        _write_all(self._held.get(name), data, position)

    def read(self, name: str, position: int, size: int) -> bytes:
        """Up to size bytes from position."""
        return os.pread(self._held.get(name), size, position)

    def truncate(self, name: str, size: int) -> None:
        """Cut to size bytes."""
        os.ftruncate(self._held.get(name), size)

    def unlink(self, name: str) -> None:
        """Remove a file, its books and its earlier content."""
        side = _side(name)
        for each in (name, side):
            self._held.drop(each)
            (self.root / each).unlink(missing_ok=True)
        self._before(name).unlink(missing_ok=True)
        self._saved.pop(name, None)

    def sync(self, name: str) -> None:
        """Have a file's data on the platter."""
        _sync(self._held.get(name))

    def sync_folder(self, folder: str) -> None:
        """Have a folder's entries on the platter."""
        handle = os.open(self.root / folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def stage(self, name: str, data: bytes, *, sync: bool) -> None:
        """Write what is to replace a file beside it."""
        self._temporary(name).parent.mkdir(mode=0o700, exist_ok=True)
        handle = self._held.open(name + TEMPORARY_SUFFIX, os.O_CREAT | os.O_TRUNC)
        try:
            _write_all(handle, data, 0)
            if sync:
                _sync(handle)
        finally:
            os.close(handle)

    def commit(self, name: str) -> None:
        """Rename what was staged to its name."""
        self._temporary(name).rename(self.root / name)
        self._held.drop(name)

    def keep_before(self, name: str) -> None:
        """Keep the present content until drop_before."""
        self._before(name).unlink(missing_ok=True)
        self._before(name).hardlink_to(self.root / name)

    def drop_before(self, name: str) -> None:
        """Forget the earlier content, if any is kept."""
        self._before(name).unlink(missing_ok=True)

    def restore_before(self, name: str) -> int | None:
        """Put the earlier content back; its size in bytes, None when none is kept."""
        before = self._before(name)
        if not before.exists():
            return None
        before.replace(self.root / name)
        return (self.root / name).stat().st_size

    def load_books(self, name: str) -> Books:
        """What its side file says."""
        return ledger.load(self.root, name)

    def save_books(self, name: str, books: Books) -> None:
        """Write its side file, when that changes anything."""
        record = ledger.pack(books)
        if self._saved.get(name) == record:
            return
        os.pwrite(self._held.get(_side(name), os.O_CREAT), record, 0)
        self._saved[name] = record

    def tidy(self) -> None:
        """Drop side files without a data file, kept content, and folders that became empty."""
        kept = set(self.names())
        for side in sorted((self.root / FOLDER).iterdir()):
            if side.name.endswith(BEFORE_SUFFIX) or unflattened(side.name) not in kept:
                side.unlink()
        for folder in sorted(self.root.iterdir()):
            if folder.is_dir() and folder.name != FOLDER and not any(folder.iterdir()):
                folder.rmdir()

    def close(self) -> None:
        """Let go of all files; nothing is synced."""
        self._held.close()

    def _before(self, name: str) -> Path:
        return self.root / FOLDER / (flattened(name) + BEFORE_SUFFIX)

    def _temporary(self, name: str) -> Path:
        return self.root / (name + TEMPORARY_SUFFIX)


def _side(name: str) -> str:
    """Where the books of a data file are."""
    return f"{FOLDER}/{flattened(name)}"


def _write_all(handle: int, data: bytes, position: int) -> None:
    view = memoryview(data)
    done = 0
    while done < len(data):
        done += os.pwrite(handle, view[done:], position + done)


def _sync(handle: int) -> None:
    """Have a file's data on the platter: fdatasync, or what macOS needs for that."""
    if sys.platform == "darwin":
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(handle)
