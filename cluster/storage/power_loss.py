"""Power loss: cut a dead node's files back to what was durable. Run only when no process has them open."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from cluster.storage.books import Books
from cluster.storage.files import Files
from cluster.storage.host_files import HostFiles

Losses: TypeAlias = tuple[tuple[str, int, int, int, int], ...]
"""(path, written, claimed, durable, kept) of each file, in bytes."""


def cut_to_durable(where: Files | Path) -> Losses:
    """Take away every byte that was not durable; what became of each file.

    A file whose creation was not synced vanishes; a rename that was not synced is undone. Doing it twice changes
    nothing more.
    """
    if isinstance(where, Path) and not where.is_dir():
        return ()
    files: Files = HostFiles(where) if isinstance(where, Path) else where
    files.prepare()
    try:
        lost = tuple(_cut(files, name) for name in files.names())
        files.tidy()
    finally:
        files.close()
    return lost


def _cut(files: Files, name: str) -> tuple[str, int, int, int, int]:
    books = files.load_books(name)
    if books.entry_durable:
        kept = books.durable
        if kept < books.written:
            files.truncate(name, kept)
    else:
        before = files.restore_before(name)
        if before is None:
            files.unlink(name)
            return name, books.written, books.claimed, 0, 0
        kept = before
    files.save_books(name, Books(kept, kept, kept, entry_durable=True))
    return name, books.written, books.claimed, kept, kept
