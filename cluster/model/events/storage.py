"""Events of disks and logs."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.positional import Positional


class Fsynced(Positional, kw_only=True):
    """A log was flushed."""

    name: ClassVar[str] = "st.fsynced"
    topic: str
    partition: int
    path: str
    """File, relative to the data folder."""
    claimed_bytes: int
    """What fsync said is durable."""
    durable_bytes: int
    claimed_offset: Offset
    """Log offset (exclusive) claimed durable."""
    durable_offset: Offset
    """Log offset (exclusive) really durable."""
    lied: bool
    """True when claimed and durable differ because fsync lied."""


class LogRecovered(Positional, kw_only=True):
    """A log was scanned at start."""

    name: ClassVar[str] = "st.recovered"
    topic: str
    partition: int
    valid_bytes: int
    dropped_bytes: int
    """Cut from the tail."""
    log_end_offset: Offset
    """After the scan."""
    high_watermark: Offset
    """From the checkpoint, clamped."""
    batches: tuple[tuple[Offset, int, Epoch, tuple[str, ...]], ...]
    """(base offset, count, leader epoch, record digests) of each batch, at most the last 200."""
    why: str
    """clean, scanned, torn tail (its last batch is short), bad batch (fails its CRC, or is not the next)."""
    log_start_offset: Offset = 0
    """First offset that is kept (inclusive), from the checkpoint; a log that ended before it begins anew there."""
    claimed_offset: Offset = UNKNOWN_OFFSET
    """Exclusive: what fsync has claimed durable of it, by the disk's books; the process may have died before it could
    tell of the last claim. -1 in older traces."""


class SegmentRolled(Positional, kw_only=True):
    """A log goes on in a new file; the one before is flushed, closed, and has its index files."""

    name: ClassVar[str] = "st.segment_rolled"
    topic: str
    partition: int
    base_offset: Offset
    """Of the file that is closed."""
    end_offset: Offset
    """Exclusive; the new file begins there."""
    size_bytes: int
    """Of the file that is closed."""
    why: str
    """The setting: segment.bytes, segment.ms; or retention.ms when all that is in it is to go."""


class LogCleaned(Positional, kw_only=True):
    """A log was compacted: of each key only the newest record is left in these segments, and what could not go yet."""

    name: ClassVar[str] = "st.log_cleaned"
    topic: str
    partition: int
    dirty_offset: Offset = 0
    """From here on nothing had been compacted before (inclusive)."""
    end_offset: Offset
    """Exclusive: what was compacted now ends here."""
    segments_before: int
    segments_after: int
    bytes_before: int
    bytes_after: int
    record_count: int
    """Before, those that compaction does not look into left out."""
    removed_count: int
    records: tuple[tuple[Offset, str, int], ...]
    """(offset, digest of its key, 1 for a tombstone) of each record before; empty when there are more than told."""
    removed: tuple[Offset, ...]
    """Offsets of records that went."""
    expired: tuple[tuple[Offset, int], ...]
    """(offset, when it was allowed to go) of each tombstone among them that went because it was old; ms since 1970."""
    batches: tuple[tuple[Offset, int, Epoch, str], ...]
    """(base offset, offsets that it takes up, leader epoch, CRC as hex) of each batch that is left."""
    opaque_count: int
    """Batches that compaction does not look into: those of transactions, and what cannot be read."""
    delete_retention_ms: int
    """delete.retention.ms."""
    wall_ms: int
    """The machine's wall clock, ms since 1970."""
    is_told: bool = True
    """False when there are too many records to tell of."""


class SegmentsTrusted(Positional, kw_only=True):
    """A log was opened without reading its first segments: they were flushed and fit their index files."""

    name: ClassVar[str] = "st.segments_trusted"
    topic: str
    partition: int
    segments: int
    """How many were not read."""
    size_bytes: int
    """Of all of them together."""
    recovery_point: Offset
    """From its checkpoint (exclusive); 0 after a stop in order, which needs none."""
    scanned_from: Offset
    """First offset that was read."""


class DamageFound(Positional, kw_only=True):
    """A file holds what it cannot hold; it is not used."""

    name: ClassVar[str] = "st.damage_found"
    path: str
    """File, relative to the data folder."""
    what: str
    """What is wrong with it, in a clause."""
    instead: str
    """What is believed instead."""


class LogRemoved(Positional, kw_only=True):
    """A broker dropped a replica's log: its topic is deleted, or its replica is elsewhere now."""

    name: ClassVar[str] = "st.log_removed"
    topic: str
    partition: int
    log_end_offset: Offset
    """Exclusive: where it ended."""


class StorageError(Positional, kw_only=True):
    """The disk refused."""

    name: ClassVar[str] = "st.failed"
    errno: int
    """28 disk full, 5 I/O error."""
    what: str


class ElectionPersisted(Positional, kw_only=True):
    """The quorum-state file was written and flushed."""

    name: ClassVar[str] = "st.election_persisted"
    epoch: Epoch
    leader_id: NodeId
    """Written; -1 unknown."""
    voted_for: NodeId
    """Written; -1 none."""
    lied: bool
    """True when the disk claimed it durable and it is not."""


StorageEvent: TypeAlias = (
    Fsynced
    | LogRecovered
    | LogRemoved
    | StorageError
    | ElectionPersisted
    | SegmentRolled
    | LogCleaned
    | SegmentsTrusted
    | DamageFound
)
