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


class LogRemoved(Positional, kw_only=True):
    """A broker dropped a replica's log, because its topic is deleted."""

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


StorageEvent: TypeAlias = Fsynced | LogRecovered | LogRemoved | StorageError | ElectionPersisted
