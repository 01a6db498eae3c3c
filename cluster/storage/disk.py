"""A node's disk: files, books of what fsync claimed and what is durable. Faults of it are in disk_faults.py.

Writes go to the files, so kill -9 keeps them. A buffered disk keeps appends back until write_out(), which its owner
calls before anything leaves the process: a kill then loses only what nobody was told of. Only the books know what power
loss would take away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster.model.errors import StorageFailed
from cluster.storage.books import Books
from cluster.storage.disk_faults import DiskFaults
from cluster.storage.files import Files
from cluster.storage.host_files import HostFiles

NO_SPACE = 28
IO_ERROR = 5
KEPT_BYTES_MAX = 1 << 20


class Disk:
    """All file access of one node, relative to its data folder. Names use "/" and never "+"."""

    __slots__ = (
        "_books",
        "_files",
        "_is_buffered",
        "_kept",
        "_kept_bytes",
        "_kept_name",
        "faults",
        "host_fsync",
        "on_rename",
    )

    def __init__(self, files: Files | Path, *, host_fsync: bool = False, is_buffered: bool = False) -> None:
        """A folder of the host stands for its files."""
        self._files = HostFiles(files) if isinstance(files, Path) else files
        self._is_buffered = is_buffered
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._kept_name = ""
        self.host_fsync = host_fsync
        """Also call the host's fsync."""
        self.faults = DiskFaults()
        """What is wrong with it now."""
        self.on_rename: Callable[[str], None] = _unnoticed
        """Called before and after what is to replace a file is put in its place."""
        with _failing("open", "data folder"):
            self._files.prepare()
            self._books = {name: self._files.load_books(name) for name in self._files.names()}

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return name in self._books

    def books(self, name: str) -> Books:
        """What is written, claimed and durable of one file."""
        return self._books[name]

    def names(self, folder: str) -> list[str]:
        """Names of the files directly in a folder, sorted, relative to the root; "" for the root itself."""
        return sorted(name for name in self._books if name.rpartition("/")[0] == folder)

    def folders(self) -> list[str]:
        """Names of all folders that hold a file, sorted; the root is not among them."""
        return sorted({folder for name in self._books if (folder := name.rpartition("/")[0])})

    def now_ms(self) -> int:
        """The wall clock of the machine, by which files are dated; ms since 1970."""
        return self._files.now_ms()

    def modified_ms(self, name: str) -> int:
        """When a file was written last, by that clock."""
        self.write_out()
        with _failing("look at", name):
            return self._files.modified_ms(name)

    def create(self, name: str) -> None:
        """Make an empty file; power loss takes it away until its directory is synced."""
        with _failing("create", name):
            self._files.create(name)
        self._books[name] = Books()
        self._save(name)

    def append(self, name: str, data: bytes) -> None:
        """Write at the end. StorageFailed 28 after a short write when the budget does not suffice."""
        size = len(data)
        allowed = size if self.faults.budget_bytes is None else self.faults.take(size)
        is_cut = allowed < size
        taken = data[:allowed] if is_cut else data
        if self._is_buffered:
            self._keep(name, taken)
            if is_cut or self._kept_bytes > KEPT_BYTES_MAX:
                self.write_out()
        else:
            books = self._books[name]
            books.written += allowed
            self._write(name, taken, books.written - allowed)
        if is_cut:
            raise StorageFailed(NO_SPACE, f"append {name}")

    def _keep(self, name: str, data: bytes) -> None:
        if self._kept_name != name:
            self.write_out()
            self._kept_name = name
        self._kept.append(data)
        self._kept_bytes += len(data)
        self._books[name].written += len(data)

    def write_out(self) -> None:
        """Write what was kept back, in one system call."""
        if not self._kept:
            return
        name, size = self._kept_name, self._kept_bytes
        data = self._kept[0] if len(self._kept) == 1 else b"".join(self._kept)
        self._kept.clear()
        self._kept_bytes = 0
        self._write(name, data, self._books[name].written - size)

    def _write(self, name: str, data: bytes, position: int) -> None:
        try:
            self._files.write(name, data, position)
        except OSError as error:
            raise StorageFailed(error.errno or IO_ERROR, f"append {name}") from error

    def read(self, name: str, position: int, size: int) -> bytes:
        """Up to size bytes from position."""
        self.write_out()
        with _failing("read", name):
            return self._files.read(name, position, size)

    def read_whole(self, name: str) -> bytes | None:
        """The whole content; None when there is no such file."""
        return self.read(name, 0, self._books[name].written) if name in self._books else None

    def fsync(self, name: str) -> Books:
        """Claim all written bytes durable; they are unless the disk lies. StorageFailed 5 when it fails."""
        self.write_out()
        books = self._books[name]
        if self.faults.failing:
            books.forsaken = books.written
            self._save(name)
            raise StorageFailed(IO_ERROR, f"fsync {name}")
        if self.host_fsync and not self.faults.lying:
            with _failing("fsync", name):
                self._files.sync(name)
        books.claimed = books.written
        if not self.faults.lying:
            books.sync()
        self._save(name)
        return books

    def fsync_dir(self, folder: str) -> None:
        """Make creations and renames in a folder durable, unless the disk lies. "" is the root. StorageFailed 5."""
        if self.faults.failing:
            raise StorageFailed(IO_ERROR, f"fsync {folder or 'data folder'}")
        if self.faults.lies:
            return
        if self.host_fsync:
            with _failing("fsync", folder):
                self._files.sync_folder(folder)
        for name in self.names(folder):
            books = self._books[name]
            if books.entry_durable or (books.renamed and books.durable < books.written):
                continue
            books.entry_durable, books.renamed = True, False
            self._save(name)
            self._files.drop_before(name)

    def truncate(self, name: str, size: int) -> None:
        """Cut to size bytes; what is cut never comes back."""
        self.write_out()
        books = self._books[name]
        books.cut(size)
        self._save(name)
        with _failing("truncate", name):
            self._files.truncate(name, size)
        books.written = size

    def replace(self, name: str, data: bytes) -> None:
        """Put data in place of the whole file: temporary file, fsync, rename. Durable after fsync_dir."""
        self.write_out()
        allowed = self.faults.take(len(data))
        if allowed < len(data):
            self.faults.give_back(allowed)
            raise StorageFailed(NO_SPACE, f"replace {name}")
        if self.faults.failing:
            self.faults.give_back(allowed)
            raise StorageFailed(IO_ERROR, f"fsync {name}")
        with _failing("replace", name):
            self._files.stage(name, data, sync=self.host_fsync and not self.faults.lying)
            self.on_rename("before rename")
            self._keep_before(name)
            self._files.commit(name)
            self.on_rename("after rename")
        self.faults.give_back(self._books[name].written if name in self._books else 0)
        self._books[name] = Books(len(data), len(data), 0 if self.faults.lying else len(data), renamed=True)
        self._save(name)

    def unlink(self, name: str) -> None:
        """Remove a file; it stays removed after power loss."""
        self.write_out()
        with _failing("unlink", name):
            self._files.unlink(name)
        gone = self._books.pop(name, None)
        self.faults.give_back(gone.written if gone else 0)

    def close(self) -> None:
        """Let go of all files; nothing is synced."""
        self.write_out()
        self._files.close()

    def _keep_before(self, name: str) -> None:
        books = self._books.get(name)
        if books is None:
            return
        if books.settled:
            self._files.keep_before(name)
        books.claimed, books.durable, books.entry_durable, books.renamed = 0, 0, False, True
        self._save(name)

    def _save(self, name: str) -> None:
        with _failing("note", name):
            self._files.save_books(name, self._books[name])


def _unnoticed(_place: str) -> None:
    """Nobody looks."""


@contextmanager
def _failing(what: str, name: str) -> Iterator[None]:
    """Turn the host's own errors into StorageFailed."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(error.errno or 5, f"{what} {name}") from error
