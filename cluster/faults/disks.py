"""Faults of disks: fsync that lies, fails or is slow, no room, reads that bring something else, damage."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from cluster.faults.fault import DISK, Deed, DiskFault, OfNode
from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.words import Log, Node, Word, duration, one_of, whole

TOGETHER = {"fsync": "Make a disk lie about files or about folders, fail, be slow, or behave again."}


SPOILS = ("flip", "cut", "rename")
"""What may befall a snapshot."""


def _budget(text: str, where: str) -> int:
    return w.size_bytes(text, where, least=0)


class FsyncLie(DiskFault, verb="fsync lie", state="lies", flag="lying", swarm=0.12, excuses=True):
    """fsync says yes and makes nothing durable."""

    deed = Deed("you made the disk of {n} lie about what is written", "the disk of {n} lies about what is written")


class FsyncLieDir(
    DiskFault, verb="fsync lie-dir", state="lies-dir", mark="LIES", flag="lying_dir", swarm=0.06, excuses=True
):
    """fsync of a folder says yes and does nothing: files that are made or renamed lose their names with the power."""

    deed = Deed("you made the disk of {n} lie about file names", "the disk of {n} lies about file names")


class FsyncFail(DiskFault, verb="fsync fail", state="fails", flag="failing", swarm=0.06, excuses=True):
    """fsync fails with EIO. What was not durable yet never will be, also when a later fsync says yes."""

    deed = Deed("you made the disk of {n} fail", "the disk of {n} fails")


class FsyncOk(Command, verb="fsync ok"):
    """fsync is honest, quick and works again; earlier lies stay lies."""

    node: Node


class FsyncSlow(DiskFault, verb="fsync slow", state="slow", mark="slow", swarm=0.6):
    """fsync takes longer."""

    deed = Deed("you made the disk of {n} slow", "the disk of {n} is slow")

    delay_ms: Annotated[int, duration("500ms", "100ms", "500ms", "2s")]
    """Extra time for each."""

    def add_to(self, told: dict[str, Any]) -> None:
        """Delays add up."""
        told["slow_ms"] += self.delay_ms


class DiskFull(
    DiskFault,
    verb="disk-full",
    help="Let writes fail once so many more bytes are written.",
    state="full",
    swarm=0.12,
    excuses=True,
):
    """Writes past a budget fail after a short write."""

    deed = Deed("you filled the disk of {n}", "the disk of {n} is full")

    budget_bytes: Annotated[
        int,
        Word("bytes", _budget, offers=("4096", "64KiB"), label="bytes",
             is_always_written=False),
    ] = 0  # fmt: skip
    """What may still be written."""

    def add_to(self, told: dict[str, Any]) -> None:
        """The smallest budget holds."""
        before = told["budget_bytes"]
        told["budget_bytes"] = self.budget_bytes if before is None else min(before, self.budget_bytes)


class DiskOk(Command, verb="disk-ok", help="Give the disk room again, and let it read right."):
    """The disk has room again; a node that stopped for it has to be started."""

    node: Node


class Flush(Command, verb="flush", help="Have a node's logs written to its disk, as a system does by itself."):
    """Have what a node's operating system still keeps of its logs written to the disk, as it does now and then."""

    node: Node


class Misread(
    DiskFault,
    verb="misread",
    help="Let reads from a disk bring other bytes than were written.",
    state="misreads",
    flag="misreading",
):
    """A read of a topic's log from the disk brings other bytes than were written; what is in memory is right."""

    deed = Deed("you made the disk of {n} misread", "the disk of {n} misreads")


class Damage(OfNode, family=DISK, excuses=True):
    """Something is done to the disk of a node that is down, at once and for good."""

    lasts: ClassVar[bool] = False


class Wipe(Damage, verb="wipe", help="Take away every file of a node that is down."):
    """Take away every file of a node that is down, as if its disk had been replaced."""

    deed = Deed("you wiped the disk of {n}", "the disk of {n} was wiped")


class Tear(Damage, verb="tear", help="Cut the last batch of a log short; the node is down."):
    """Cut the last batch of a log short, as a write that power loss interrupts; the node is down."""

    deed = Deed("you tore the end off a log of {n}", "the end of a log of {n} was torn off")

    topic_partition: Log


class Rot(Damage, verb="rot", help="Flip a bit in the batch that holds an offset; the node is down."):
    """Flip a bit of a log; the node is down."""

    deed = Deed("you flipped a bit in a log of {n}", "a bit in a log of {n} has flipped")

    topic_partition: Log
    offset: Annotated[int, Word("OFFSET", whole(0, 1 << 39))]
    """In the batch that holds this one."""


class SpoilSnapshot(Damage, verb="spoil-snapshot", help="Make a node's newest snapshot bad; the node is down."):
    """Flip a bit of a node's newest metadata snapshot, cut it short, or give it another name; the node is down."""

    deed = Deed("you made a snapshot of {n} bad", "a snapshot of {n} has gone bad")

    how: Annotated[str, Word("|".join(SPOILS), one_of(*SPOILS), offers=SPOILS)]


DISK_FAULTS = tuple(DiskFault.__subclasses__())
"""All that make a disk misbehave until they are healed."""
