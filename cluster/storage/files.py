"""What a disk needs of the files below one data folder, whether a host keeps them or the memory of a simulation."""

from __future__ import annotations

from typing import Protocol

from cluster.storage.books import Books


class Files(Protocol):
    """Files by name, relative to the folder, with "/" and never "+". OSError when the host refuses.

    They survive the end of a node, as a page cache does, and so does what is said about them in the books.
    """

    def prepare(self) -> None:
        """Make the folder, not those above it, when it is missing, and remove what an unfinished replacement left."""

    def names(self) -> list[str]:
        """All data files, sorted."""

    def now_ms(self) -> int:
        """The wall clock of the machine, in ms since 1970."""

    def modified_ms(self, name: str) -> int:
        """When a file was written last, by that clock."""

    def create(self, name: str) -> None:
        """Make an empty file. FileExistsError when there is one."""

    def write(self, name: str, data: bytes, position: int) -> None:
        """Write all of data from position on."""

    def read(self, name: str, position: int, size: int) -> bytes:
        """Up to size bytes from position."""

    def truncate(self, name: str, size: int) -> None:
        """Cut to size bytes."""

    def unlink(self, name: str) -> None:
        """Remove a file, its books and its earlier content."""

    def sync(self, name: str) -> None:
        """Have a file's data on the host's platter."""

    def sync_folder(self, folder: str) -> None:
        """Have a folder's entries on the host's platter; "" is the root."""

    def stage(self, name: str, data: bytes, *, sync: bool) -> None:
        """Write what is to replace a file beside it."""

    def commit(self, name: str) -> None:
        """Rename what was staged to its name."""

    def keep_before(self, name: str) -> None:
        """Keep the present content until drop_before: power loss may bring it back."""

    def drop_before(self, name: str) -> None:
        """Forget the earlier content, if any is kept."""

    def restore_before(self, name: str) -> int | None:
        """Put the earlier content back; its size in bytes, None when none is kept."""

    def load_books(self, name: str) -> Books:
        """What is known of one file; nothing is durable when nothing is known."""

    def save_books(self, name: str, books: Books) -> None:
        """Remember the books of one file."""

    def tidy(self) -> None:
        """After power loss: drop books without a file, kept content, and folders that became empty."""

    def close(self) -> None:
        """Let go of all files; nothing is synced."""
