"""Power loss: cut a dead node's files back to what was durable. Run only when no process has them open."""

from __future__ import annotations

import os
from pathlib import Path

from cluster.storage.books import (
    BEFORE_SUFFIX,
    FOLDER,
    TEMPORARY_SUFFIX,
    Books,
    data_files,
    flattened,
    load,
    save,
    unflattened,
)


def cut_to_durable(root: Path) -> tuple[tuple[str, int, int, int, int], ...]:
    """Take away every byte that was not durable; (path, written, claimed, durable, kept) of each file.

    A file whose creation was not synced vanishes; a rename that was not synced is undone. Doing it twice changes
    nothing more.
    """
    if not root.is_dir():
        return ()
    (root / FOLDER).mkdir(mode=0o700, exist_ok=True)
    lost = tuple(_cut(root, name) for name in data_files(root) if not _is_temporary(root, name))
    _tidy(root)
    return lost


def _is_temporary(root: Path, name: str) -> bool:
    if name.endswith(TEMPORARY_SUFFIX):
        (root / name).unlink()
        return True
    return False


def _cut(root: Path, name: str) -> tuple[str, int, int, int, int]:
    path, books = root / name, load(root, name)
    before = root / FOLDER / (flattened(name) + BEFORE_SUFFIX)
    if books.entry_durable:
        kept = books.durable
        if kept < books.written:
            os.truncate(path, kept)
    elif before.exists():
        before.replace(path)
        kept = path.stat().st_size
    else:
        path.unlink()
        (root / FOLDER / flattened(name)).unlink(missing_ok=True)
        return name, books.written, books.claimed, 0, 0
    save(root, name, Books(kept, kept, kept, entry_durable=True))
    return name, books.written, books.claimed, kept, kept


def _tidy(root: Path) -> None:
    """Drop side files without a data file, pre-images that are settled, and folders that became empty."""
    kept = set(data_files(root))
    for side in sorted((root / FOLDER).iterdir()):
        if side.name.endswith(BEFORE_SUFFIX) or unflattened(side.name) not in kept:
            side.unlink()
    for folder in sorted(root.iterdir()):
        if folder.is_dir() and folder.name != FOLDER and not any(folder.iterdir()):
            folder.rmdir()
