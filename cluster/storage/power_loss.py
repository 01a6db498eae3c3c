"""Power loss: leave of a dead node's files what its disk may have. Run only when no process has them open.

What was durable is always left. Of the rest a disk may have nothing, or more, for a system writes pages back when it
likes and in any order. Which bytes are left follows from a text alone, so that the same command does the same again.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TypeAlias

from cluster.model.record_batch import HEADER_BYTES, CorruptBatchError, read_header
from cluster.storage.books import Books
from cluster.storage.files import Files
from cluster.storage.host_files import HostFiles
from cluster.storage.segment import base_offset_of

DURABLE, PREFIX, WRITES, SECTORS = "durable", "prefix", "writes", "sectors"
"""Nothing else; a torn write: the first of the other bytes; any of the writes; any of the sectors of the last write."""
SECTOR_BYTES = 512
Losses: TypeAlias = tuple[tuple[str, int, int, int, int], ...]
"""(path, written, claimed, durable, kept) of each file, in bytes; kept counts from the start to the first gap."""
_File: TypeAlias = tuple[str, int, int, int, int]
_Extent: TypeAlias = tuple[int, int]
"""First byte (inclusive), last byte (exclusive)."""


def cut_to_durable(where: Files | Path, keep: str = DURABLE, pick: str = "") -> Losses:
    """Take away bytes that were not durable; what became of each file.

    Args:
        keep: what is left of them. Where some are, names and renames that were not synced may be left too.
        pick: with the same one the same bytes of the same files are left.

    A file whose creation is lost vanishes; a rename that is lost is undone. All that is left is durable: doing it
    twice changes nothing more.
    """
    if isinstance(where, Path) and not where.is_dir():
        return ()
    files: Files = HostFiles(where) if isinstance(where, Path) else where
    files.prepare()
    try:
        lost = tuple(_cut(files, name, keep, Random(f"{pick}/{name}")) for name in files.names())
        files.tidy()
    finally:
        files.close()
    return lost


def _cut(files: Files, name: str, keep: str, random: Random) -> _File:
    books = files.load_books(name)
    is_named = books.entry_durable or (keep != DURABLE and random.random() < 0.5)
    if not is_named:
        return _without_its_name(files, name, books)
    kept, size = books.durable, books.durable
    if books.durable < books.written:
        if keep != DURABLE:
            kept, size = _leave_some(files, name, books, keep, random)
        files.truncate(name, size)
    files.drop_before(name)
    files.save_books(name, Books(size, size, size, entry_durable=True))
    return name, books.written, books.claimed, books.durable, kept


def _without_its_name(files: Files, name: str, books: Books) -> _File:
    before = files.restore_before(name)
    if before is None:
        files.unlink(name)
        return name, books.written, books.claimed, 0, 0
    files.save_books(name, Books(before, before, before, entry_durable=True))
    return name, books.written, books.claimed, before, before


def _leave_some(files: Files, name: str, books: Books, keep: str, random: Random) -> tuple[int, int]:
    """Zero what is lost; where the first gap begins, and the size that is left."""
    start, end = books.durable, books.written
    if keep == PREFIX:
        kept = random.randint(start, end)
        lost: list[_Extent] = [(kept, end)] if kept < end else []
        is_longer = random.random() < 0.5  # the size got to the disk before the data did
    else:
        extents = _writes(files, name, start, end)
        if keep == SECTORS:
            extents = _sectors(extents[-1])
        lost = [extent for extent in extents if random.random() < 0.5]
        is_longer = keep == SECTORS
    size = end
    while not is_longer and lost and lost[-1][1] == size:
        size = lost.pop()[0]
    # A file system may write down the new size of a file, or a later page of it, before an earlier one: then zeros
    # stand where records were. A recovery that went by the length of the file would take them for a log.
    for first, last in lost:
        files.write(name, bytes(last - first), first)
    return (lost[0][0] if lost else size), size


def _writes(files: Files, name: str, start: int, end: int) -> list[_Extent]:
    """A log is written batch by batch, any other file in one piece."""
    cuts = [start]
    while base_offset_of(name) is not None and cuts[-1] < end:
        try:
            cuts.append(cuts[-1] + read_header(files.read(name, cuts[-1], HEADER_BYTES)).size_bytes)
        except CorruptBatchError:
            break
    cuts = [cut for cut in cuts if cut < end]
    return list(zip(cuts, [*cuts[1:], end], strict=True))


def _sectors(extent: _Extent) -> list[_Extent]:
    first, last = extent
    inner = range((first // SECTOR_BYTES + 1) * SECTOR_BYTES, last, SECTOR_BYTES)
    cuts = [first, *inner]
    return list(zip(cuts, [*cuts[1:], last], strict=True))
