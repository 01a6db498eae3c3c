"""Faults of a disk that works on: fsync that lies, fails or is slow, no room, and reads that bring something else."""

from __future__ import annotations

from msgspec import Struct

from cluster.faults.names import NodeName


class FsyncLie(Struct, frozen=True):
    """fsync says yes and makes nothing durable."""

    node: NodeName
    """Whose disk."""


class FsyncLieDir(Struct, frozen=True):
    """fsync of a folder says yes and does nothing: files that are made or renamed lose their names with the power."""

    node: NodeName
    """Whose disk."""


class FsyncFail(Struct, frozen=True):
    """fsync fails with EIO. What was not durable yet never will be, also when a later fsync says yes."""

    node: NodeName
    """Whose disk."""


class FsyncSlow(Struct, frozen=True):
    """fsync takes longer."""

    node: NodeName
    """Whose disk."""
    delay_ms: int
    """Extra time for each."""


class FsyncOk(Struct, frozen=True):
    """fsync is honest, quick and works again; earlier lies stay lies."""

    node: NodeName
    """Whose disk."""


class DiskFull(Struct, frozen=True):
    """Writes past a budget fail after a short write."""

    node: NodeName
    """Whose disk."""
    budget_bytes: int = 0
    """What may still be written."""


class DiskOk(Struct, frozen=True):
    """The disk has room again; a node that stopped for it has to be started."""

    node: NodeName
    """Whose disk."""


class Flush(Struct, frozen=True):
    """Have what a node's operating system still keeps of its logs written to the disk, as it does now and then."""

    node: NodeName
    """Whose logs."""


class Misread(Struct, frozen=True):
    """A read of a topic's log from the disk brings other bytes than were written; what is in memory is right."""

    node: NodeName
    """Whose disk."""
