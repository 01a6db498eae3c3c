"""The index files of a segment that is closed: with them a start need not read its batches.

`.index` holds (offset, position) of some batches, `.timeindex` (largest time so far, offset) of the same ones and of
the last; offsets are relative to the segment's. A check sum ends each. Whoever reads them believes nothing that does
not fit it and the segment. Source: Kafka OffsetIndex, TimeIndex; theirs are written with each batch and have no check
sum, ours when the segment is closed.
"""

from __future__ import annotations

import struct

import google_crc32c

from cluster.model.identifiers import Offset
from cluster.storage.disk import Disk
from cluster.storage.segment import SUFFIX, Segment

_OFFSET_ENTRY, _TIME_ENTRY = struct.Struct(">ii"), struct.Struct(">qi")
_SUFFIXES = INDEX, TIME_INDEX = (".index", ".timeindex")


def index_names(segment: Segment) -> tuple[str, str]:
    """The files of its index and of its time index."""
    stem = segment.name.removesuffix(SUFFIX)
    return stem + INDEX, stem + TIME_INDEX


def write_indexes(disk: Disk, segment: Segment, end_offset: Offset) -> None:
    """Write both, in place of older ones.

    Args:
        end_offset: of its last record (exclusive).
    """
    base, entries = segment.base_offset, list(segment.entries())
    last = (segment.largest_ms, end_offset - 1 - base)
    times = [(time_ms, offset - base) for offset, _, time_ms in entries]
    by_offset, by_time = index_names(segment)
    places = [(offset - base, position) for offset, position, _ in entries]
    disk.replace(by_offset, _sealed(_OFFSET_ENTRY, places))
    disk.replace(by_time, _sealed(_TIME_ENTRY, [*times, last]))


def drop_indexes(disk: Disk, segment: Segment) -> None:
    """The segment changes, or goes."""
    for name in index_names(segment):
        if disk.exists(name):
            disk.unlink(name)


def drop_strays(disk: Disk, folder: str) -> list[tuple[str, str, str]]:
    """Remove index files to which no segment belongs. (file, what is wrong with it, what is believed instead) of each.

    Source: Kafka LogLoader.loadSegmentFiles.
    """
    names = set(disk.names(folder))
    strays = [
        each for each in sorted(names) if each.endswith(_SUFFIXES) and each.rpartition(".")[0] + SUFFIX not in names
    ]
    for name in strays:
        disk.unlink(name)
    return [(name, "no segment belongs to it", "the segments that are there") for name in strays]


def take_indexes(disk: Disk, segment: Segment, written: int, end_offset: Offset, *, has_gaps: bool) -> tuple[str, str]:
    """Give a segment what its index files hold; or leave it as it is and say which of them is of no use, and why.

    Args:
        written: size of the segment's file.
        end_offset: where the next segment begins.
        has_gaps: whether its first batch may begin later than it, since the log is compacted.
    """
    by_offset, by_time = index_names(segment)
    places = _entries(disk, by_offset)
    if isinstance(places, str):
        return by_offset, places
    times = _entries(disk, by_time)
    if isinstance(times, str):
        return by_time, times
    span = end_offset - segment.base_offset
    first = (places[0][0] if has_gaps else 0, 0)
    if not _ascend(places, first, (span, written)):
        return by_offset, "its entries do not fit the segment"
    offsets = [offset for _, offset in times]
    is_late = any(one[0] > other[0] for one, other in zip(times, times[1:], strict=False))
    if is_late or offsets != [*(offset for offset, _ in places), span - 1]:
        return by_time, "its entries do not fit the index"
    base = segment.base_offset
    segment.take_entries(
        [(base + offset, position, time[0]) for (offset, position), time in zip(places, times[:-1], strict=True)]
    )
    segment.first_ms, segment.largest_ms = times[0][0], times[-1][0]
    return "", ""


def _sealed(entry: struct.Struct, entries: list[tuple[int, int]]) -> bytes:
    """All entries, and in the room of one more their check sum."""
    data = b"".join(entry.pack(*each) for each in entries)
    return data + _check_sum(data).to_bytes(entry.size, "big")


def _check_sum(data: bytes) -> int:
    check_sum: int = google_crc32c.value(data)
    return check_sum


def _entries(disk: Disk, name: str) -> list[tuple[int, int]] | str:
    data = disk.read_whole(name)
    return "it is missing" if data is None else index_entries(name, data)


def index_entries(name: str, data: bytes) -> list[tuple[int, int]] | str:
    """(relative offset, position) of an index; (largest time, relative offset) of a time index; or why it is bad."""
    entry = _TIME_ENTRY if name.endswith(TIME_INDEX) else _OFFSET_ENTRY
    entries, sealed = data[: -entry.size], data[-entry.size :]
    if not entries or len(data) % entry.size:
        return f"{len(data)} bytes are no whole number of entries"
    if int.from_bytes(sealed, "big") != _check_sum(entries):
        return "its check sum does not match"
    return list(entry.iter_unpack(entries))


def _ascend(entries: list[tuple[int, int]], first: tuple[int, int], end: tuple[int, int]) -> bool:
    """Whether they begin at first, rise in both numbers, and stay below end."""
    rises = all(one[0] < other[0] and one[1] < other[1] for one, other in zip(entries, entries[1:], strict=False))
    return entries[0] == first and rises and entries[-1][0] < end[0] and entries[-1][1] < end[1]
