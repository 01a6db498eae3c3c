"""One pass of compaction over the closed segments of a log: of each key the newest record stays.

Rewritten segments go into their places from the oldest on, so that no older value of a key is ever without the newer
one that stands for it, or the tombstone. What is left of a batch keeps its offsets, its epoch and its producer. A batch
without a record goes, but for three kinds that stay empty: the first of a leader epoch, since logs are compared by
epochs; the last five of a producer, since its leader knows them by these; and the last of a file, so that a file that
is missing can be told from one that was compacted. Kafka keeps the last of each active producer, and of a pass.
How long tombstones stay is in tombstones.py. Source: Kafka Cleaner.cleanInto, buildOffsetMap.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Sequence

from msgspec import Struct, field

from cluster.model.effects import CleanLog
from cluster.model.events.storage import LogCleaned
from cluster.model.identifiers import Epoch, Offset
from cluster.model.record_batch import (
    NO_PRODUCER,
    BatchHeader,
    CorruptBatchError,
    Record,
    batches,
    copies,
    delete_horizon_ms,
    is_opaque,
    numbered_records,
    thinned,
)
from cluster.storage.disk import Disk
from cluster.storage.segment import Segment
from cluster.storage.segment_swap import swap_in
from cluster.storage.tombstones import NO_HORIZON, is_tombstone, may_go

BATCHES_OF_A_PRODUCER = 5
TOLD_MAX = 5_000
"""Records of which one event tells at most."""


class _Log(Struct):
    """What a pass has found in the segments."""

    newest: dict[bytes, Offset] = field(default_factory=dict)
    kept_empty: set[Offset] = field(default_factory=set)
    """Base offsets of batches that stay even without a record."""
    opaque_count: int = 0
    records: list[tuple[Offset, str, int]] = field(default_factory=list)
    removed: list[Offset] = field(default_factory=list)
    expired: list[tuple[Offset, int]] = field(default_factory=list)
    left: list[tuple[Offset, int, Epoch, str]] = field(default_factory=list)


def compact(
    disk: Disk, segments: Sequence[Segment], asked: CleanLog, segment_bytes: int
) -> tuple[list[Segment], LogCleaned]:
    """Rewrite closed segments that lie side by side; small ones become one. What stands in their place, and what went.

    Args:
        segments: all below the end that is asked for.
        segment_bytes: largest size of one that is made of several.
    """
    contents = [copies(disk.read(each.name, 0, each.size)) for each in segments]
    log = _look(contents)
    rewritten = [_rewrite(log, content, asked.delete_retention_ms, asked.wall_ms) for content in contents]
    made: list[Segment] = []
    for group in _groups([len(data) for data in rewritten], segment_bytes):
        sources, data = segments[group[0] : group[-1] + 1], b"".join(rewritten[group[0] : group[-1] + 1])
        is_same = len(sources) == 1 and data == b"".join(batch for _, batch in contents[group[0]])
        made.append(sources[0] if is_same else swap_in(disk, sources, data))
    is_told = len(log.records) <= TOLD_MAX
    return made, LogCleaned(
        topic=asked.topic_partition.topic,
        partition=asked.topic_partition.partition,
        end_offset=asked.end_offset,
        segments_before=len(segments),
        segments_after=len(made),
        bytes_before=sum(each.size for each in segments),
        bytes_after=sum(map(len, rewritten)),
        record_count=len(log.records),
        removed_count=len(log.removed),
        records=tuple(log.records) if is_told else (),
        removed=tuple(log.removed) if is_told else (),
        expired=tuple(log.expired) if is_told else (),
        batches=tuple(log.left) if is_told else (),
        opaque_count=log.opaque_count,
        delete_retention_ms=asked.delete_retention_ms,
        wall_ms=asked.wall_ms,
        is_told=is_told,
    )


def _look(contents: Sequence[Sequence[tuple[BatchHeader, bytes]]]) -> _Log:
    """The newest offset of each key, and which batches have to stay."""
    log, epoch = _Log(), -1
    producers: dict[int, deque[Offset]] = {}
    for content in contents:
        log.kept_empty.add(content[-1][0].base_offset)
        for header, batch in content:
            if header.leader_epoch > epoch:
                log.kept_empty.add(header.base_offset)
                epoch = header.leader_epoch
            if header.producer_id != NO_PRODUCER:
                last = producers.setdefault(header.producer_id, deque(maxlen=BATCHES_OF_A_PRODUCER))
                last.append(header.base_offset)
            records = _records(batch)
            if records is None:
                log.opaque_count += 1
                continue
            for offset, record in records:
                if record.key is not None:
                    log.newest[record.key] = offset
                log.records.append((offset, key_digest(record.key), int(is_tombstone(record))))
    log.kept_empty.update(base for last in producers.values() for base in last)
    return log


def _records(batch: bytes) -> list[tuple[Offset, Record]] | None:
    """None of a batch that is not looked into: of a transaction, or one that cannot be read."""
    try:
        return None if is_opaque(batch) else numbered_records(batch)
    except CorruptBatchError:
        return None


def _rewrite(log: _Log, content: Sequence[tuple[BatchHeader, bytes]], delete_retention_ms: int, wall_ms: int) -> bytes:
    """What is left of one segment."""
    rest = []
    for header, batch in content:
        left = _drop_superseded(log, header, batch, wall_ms, wall_ms + delete_retention_ms)
        if left:
            rest.append(left)
    for header, _ in batches(b"".join(rest)):
        log.left.append((header.base_offset, header.count, header.leader_epoch, f"{header.crc:08x}"))
    return b"".join(rest)


def _drop_superseded(log: _Log, header: BatchHeader, batch: bytes, wall_ms: int, horizon_ms: int) -> bytes:
    """One batch with what stays of it; nothing when it goes.

    Args:
        horizon_ms: when tombstones may go that nobody has seen before.
    """
    records = _records(batch)
    if records is None:
        return batch
    known_ms, kept, has_tombstones = delete_horizon_ms(batch), set(), False
    for offset, record in records:
        if stays(log.newest, offset, record):
            # Batches of transactions are not looked into, and stay as they are. An older value of this key may be in
            # one of them: without its tombstone the key would be there again, for whoever reads the log from its start.
            if not is_tombstone(record) or not may_go(known_ms, wall_ms) or log.opaque_count:
                kept.add(offset)
                has_tombstones |= is_tombstone(record)
                continue
            log.expired.append((offset, known_ms))
        log.removed.append(offset)
    if not kept and header.base_offset not in log.kept_empty:
        return b""
    is_first = has_tombstones and known_ms == NO_HORIZON
    if len(kept) == header.records and not is_first:
        return batch
    return thinned(batch, kept, horizon_ms if is_first else NO_HORIZON)


def stays(newest: dict[bytes, Offset], offset: Offset, record: Record) -> bool:
    """Whether no later record has its key. One without a key stays: nothing stands for it."""
    return record.key is None or newest[record.key] <= offset


def key_digest(key: bytes | None) -> str:
    """How events name a key; empty for none."""
    return "" if key is None else f"{zlib.crc32(key):08x}"


def _groups(sizes: Sequence[int], size_max: int) -> list[list[int]]:
    """Indexes of neighbours that fit into one segment together. Source: Kafka Cleaner.groupSegmentsBySize."""
    groups: list[list[int]] = []
    size = 0
    for index, each in enumerate(sizes):
        if groups and size + each <= size_max:
            groups[-1].append(index)
            size += each
        else:
            groups.append([index])
            size = each
    return groups
