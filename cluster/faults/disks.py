"""Faults of a disk that works on: fsync that lies, fails or is slow, no room, and reads that bring something else."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.faults.names import NodeName


@dataclass(frozen=True, slots=True)
class FsyncLie:
    """fsync says yes and makes nothing durable."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class FsyncLieDir:
    """fsync of a folder says yes and does nothing: files that are made or renamed lose their names with the power."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class FsyncFail:
    """fsync fails with EIO. What was not durable yet never will be, also when a later fsync says yes."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class FsyncSlow:
    """fsync takes longer."""

    node: NodeName
    """Whose disk."""
    delay_ms: int
    """Extra time for each."""


@dataclass(frozen=True, slots=True)
class FsyncOk:
    """fsync is honest, quick and works again; earlier lies stay lies."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class DiskFull:
    """Writes past a budget fail after a short write."""

    node: NodeName
    """Whose disk."""
    budget_bytes: int = 0
    """What may still be written."""


@dataclass(frozen=True, slots=True)
class DiskOk:
    """The disk has room again; a node that stopped for it has to be started."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class Misread:
    """A read of a topic's log from the disk brings other bytes than were written; what is in memory is right."""

    node: NodeName
    """Whose disk."""
