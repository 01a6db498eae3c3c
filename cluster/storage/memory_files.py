"""Files in memory, for the simulation: they outlive the node that wrote them, and only power loss takes bytes away."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from cluster.storage.books import Books


class MemoryFiles:
    """The files of one simulated node over all its lives. Implements Files."""

    __slots__ = ("_before", "_books", "_data", "_modified_ms", "_staged", "now_ms")

    def __init__(self) -> None:
        self.now_ms: Callable[[], int] = int
        """The wall clock of the machine that has them; 0 until it is given one."""
        self._modified_ms: dict[str, int] = {}
        self._data: dict[str, bytearray] = {}
        self._books: dict[str, Books] = {}
        self._before: dict[str, bytes] = {}
        self._staged: dict[str, bytes] = {}

    def prepare(self) -> None:
        """Remove what an unfinished replacement left."""
        self._staged.clear()

    def names(self) -> list[str]:
        """All data files, sorted."""
        return sorted(self._data)

    def create(self, name: str) -> None:
        """Make an empty file. FileExistsError when there is one."""
        if name in self._data:
            raise FileExistsError(17, "File exists")
        self._data[name] = bytearray()
        self._modified_ms[name] = self.now_ms()

    def modified_ms(self, name: str) -> int:
        """When it was made or written last; 0 when nobody knows."""
        return self._modified_ms.get(name, 0)

    def write(self, name: str, data: bytes, position: int) -> None:
        """Write all of data from position on."""
        self._modified_ms[name] = self.now_ms()
        held = self._data[name]
        if position == len(held):
            held += data
        else:
            held[position : position + len(data)] = data

    def read(self, name: str, position: int, size: int) -> bytes:
        """Up to size bytes from position."""
        return bytes(self._data[name][position : position + size])

    def truncate(self, name: str, size: int) -> None:
        """Cut to size bytes."""
        del self._data[name][size:]

    def unlink(self, name: str) -> None:
        """Remove a file, its books and its earlier content."""
        for kept in (self._data, self._books, self._before, self._modified_ms):
            kept.pop(name, None)

    def sync(self, name: str) -> None:
        """There is no platter below memory; the books say what is durable."""

    def sync_folder(self, folder: str) -> None:
        """As sync."""

    def stage(self, name: str, data: bytes, *, sync: bool) -> None:
        """Keep what is to replace a file."""
        self._staged[name] = data

    def commit(self, name: str) -> None:
        """Put it in place."""
        self._data[name] = bytearray(self._staged.pop(name))

    def keep_before(self, name: str) -> None:
        """Keep the present content until drop_before."""
        self._before[name] = bytes(self._data[name])

    def drop_before(self, name: str) -> None:
        """Forget the earlier content, if any is kept."""
        self._before.pop(name, None)

    def restore_before(self, name: str) -> int | None:
        """Put the earlier content back; its size in bytes, None when none is kept."""
        before = self._before.pop(name, None)
        if before is None:
            return None
        self._data[name] = bytearray(before)
        return len(before)

    def load_books(self, name: str) -> Books:
        """The books as last saved, for what is written now."""
        written = len(self._data[name])
        books = replace(self._books.get(name, Books()), written=written)
        books.cut(written)
        return books

    def save_books(self, name: str, books: Books) -> None:
        """Remember them; the object itself, which only the node's disk changes."""
        self._books[name] = books

    def tidy(self) -> None:
        """Nothing that was kept for a rename outlives power loss."""
        self._before.clear()

    def close(self) -> None:
        """Nothing is held open."""
