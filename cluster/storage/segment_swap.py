"""Putting one rewritten segment in place of several, so that a death in the middle leaves either the old or the new.

The new one is written whole as `.log.swap`; from then on it counts, and the old ones go. A start that finds a whole
`.swap` ends what was begun; one that is not whole is told and dropped, and the old segments count. Source: Kafka
UnifiedLog.replaceSegments, LogLoader.completeSwapOperations; its `.cleaned` is our temporary file of a replacement.
"""

from __future__ import annotations

from collections.abc import Sequence

from cluster.model.identifiers import Offset
from cluster.model.record_batch import CorruptBatchError, batch_times, batches, check_crc
from cluster.storage.disk import Disk
from cluster.storage.segment import Segment, base_offset_of
from cluster.storage.segment_index import drop_indexes, write_indexes

SWAP = ".swap"


def swap_in(disk: Disk, sources: Sequence[Segment], data: bytes) -> Segment:
    """One segment with this data in place of these, durably; it has the name of the first."""
    swap = sources[0].name + SWAP
    disk.replace(swap, data)
    disk.fsync_dir(_folder(swap))
    return _finish(disk, swap, data, sources)


def finish_swaps(disk: Disk, folder: str) -> list[tuple[str, str, str]]:
    """End what the last life had begun. (file, what is wrong with it, what is believed instead) of each bad one."""
    damages = []
    for swap in [name for name in disk.names(folder) if name.endswith(SWAP)]:
        name, data = swap.removesuffix(SWAP), disk.read_whole(swap) or b""
        base, end_offset = base_offset_of(name), _end_of(data)
        if base is None or end_offset is None or end_offset <= base:
            damages.append((swap, "it is no whole segment", "the segments that it was to replace"))
            disk.unlink(swap)
            continue
        bases = {name: base_offset_of(name) for name in disk.names(folder)}
        old = [Segment(each, at) for each, at in bases.items() if at is not None and base <= at < end_offset]
        _finish(disk, swap, data, [Segment(name, base), *(each for each in old if each.base_offset != base)])
    return damages


def _finish(disk: Disk, swap: str, data: bytes, sources: Sequence[Segment]) -> Segment:
    for source in sources:
        drop_indexes(disk, source)
    for source in sources[1:]:
        disk.unlink(source.name)
    first = sources[0]
    disk.replace(first.name, data)
    disk.fsync_dir(_folder(swap))
    # Last of all. While it is there, a start that finds these steps half done does them again; if it went first, a
    # death here would lose what stood in the segments that are gone.
    disk.unlink(swap)
    segment, end_offset = Segment(first.name, first.base_offset, disk.now_ms()), first.base_offset
    for header, batch in batches(data):
        segment.add(header.base_offset, header.size_bytes, batch_times(batch)[1])
        end_offset = header.end_offset
    write_indexes(disk, segment, end_offset)
    return segment


def _end_of(data: bytes) -> Offset | None:
    """One past the last offset; None when it is not whole batches in order whose CRCs match."""
    end_offset: Offset = 0
    try:
        for header, batch in batches(data):
            if header.base_offset < end_offset or not check_crc(batch):
                return None
            end_offset = header.end_offset
    except CorruptBatchError:
        return None
    return end_offset


def _folder(name: str) -> str:
    return name.rpartition("/")[0]
