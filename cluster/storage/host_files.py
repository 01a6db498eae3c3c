"""Files of the host. Writes go straight to them, so kill -9 keeps what was written, as a page cache does."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

from cluster.storage import books as ledger
from cluster.storage.books import BEFORE_SUFFIX, FOLDER, TEMPORARY_SUFFIX, Books, flattened, unflattened

_OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class HostFiles:
    """The files below one folder, with a side file of books for each. Implements Files."""

    __slots__ = ("_files", "_saved", "_sides", "_staged", "root")

    def __init__(self, root: Path) -> None:
        self.root = root
        """The data folder."""
        self._files: dict[str, int] = {}
        self._sides: dict[str, int] = {}
        self._staged: dict[str, int] = {}
        self._saved: dict[str, bytes] = {}

    def prepare(self) -> None:
        """Make the folder when it is missing, and remove what an unfinished replacement left."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.root / FOLDER).mkdir(mode=0o700, exist_ok=True)
        for name in ledger.data_files(self.root):
            if name.endswith(TEMPORARY_SUFFIX):
                (self.root / name).unlink()

    def names(self) -> list[str]:
        """All data files, sorted."""
        return ledger.data_files(self.root)

    def create(self, name: str) -> None:
        """Make an empty file. FileExistsError when there is one."""
        (self.root / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._files[name] = os.open(self.root / name, _OPEN | os.O_EXCL, 0o600)

    def write(self, name: str, data: bytes, position: int) -> None:
        """Write all of data from position on."""
        _write_all(self._file(name), data, position)

    def read(self, name: str, position: int, size: int) -> bytes:
        """Up to size bytes from position."""
        return os.pread(self._file(name), size, position)

    def truncate(self, name: str, size: int) -> None:
        """Cut to size bytes."""
        os.ftruncate(self._file(name), size)

    def unlink(self, name: str) -> None:
        """Remove a file, its books and its earlier content."""
        self._close_file(name)
        (self.root / name).unlink(missing_ok=True)
        side = self._sides.pop(name, None)
        if side is not None:
            os.close(side)
        self._side(name).unlink(missing_ok=True)
        self._before(name).unlink(missing_ok=True)
        self._saved.pop(name, None)

    def sync(self, name: str) -> None:
        """Have a file's data on the platter."""
        _sync(self._file(name))

    def sync_folder(self, folder: str) -> None:
        """Have a folder's entries on the platter."""
        handle = os.open(self.root / folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def stage(self, name: str, data: bytes, *, sync: bool) -> None:
        """Write what is to replace a file beside it."""
        temporary = self._temporary(name)
        temporary.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(temporary, _OPEN | os.O_TRUNC, 0o600)
        self._staged[name] = handle
        _write_all(handle, data, 0)
        if sync:
            _sync(handle)

    def commit(self, name: str) -> None:
        """Rename what was staged to its name."""
        self._temporary(name).rename(self.root / name)
        self._close_file(name)
        self._files[name] = self._staged.pop(name)

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
        handle = self._sides.get(name)
        if handle is None:
            handle = self._sides[name] = os.open(self._side(name), _OPEN, 0o600)
        os.pwrite(handle, record, 0)
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
        for handle in (*self._files.values(), *self._sides.values(), *self._staged.values()):
            os.close(handle)
        self._files.clear()
        self._sides.clear()
        self._staged.clear()

    def _side(self, name: str) -> Path:
        return self.root / FOLDER / flattened(name)

    def _before(self, name: str) -> Path:
        return self.root / FOLDER / (flattened(name) + BEFORE_SUFFIX)

    def _temporary(self, name: str) -> Path:
        return self.root / (name + TEMPORARY_SUFFIX)

    def _file(self, name: str) -> int:
        handle = self._files.get(name)
        if handle is None:
            handle = self._files[name] = os.open(self.root / name, _OPEN & ~os.O_CREAT, 0o600)
        return handle

    def _close_file(self, name: str) -> None:
        handle = self._files.pop(name, None)
        if handle is not None:
            os.close(handle)


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
