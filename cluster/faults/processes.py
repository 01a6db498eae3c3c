"""Commands that end, stop and start processes."""

from __future__ import annotations

from typing import Annotated, Final

from cluster.faults.fault import CROSS, STILL, Deed, Fault, OfNode
from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.words import CommandError, Known, Node, Nodes, Word, key, one_of, whole

DURABLE: Final = "durable"
KEEPS = (DURABLE, "prefix", "writes", "sectors")
"""What power loss may leave of bytes that were not durable."""
CRASH_PLACES = ("vote", "append", "flush", "rename", "send")
"""quorum-state is written, a batch is written, an fsync is done, a file takes another's place, frames leave."""
CRASH_POINTS = tuple(f"{side} {place}" for place in CRASH_PLACES for side in ("before", "after"))
STUTTER_LEAST_MS = 20
"""Of either part of its round: what is shorter, the scheduler of a busy machine blurs."""


def _part_ms(text: str, where: str) -> int:
    part_ms = w.duration_ms(text, where)
    if part_ms < STUTTER_LEAST_MS:
        raise CommandError("duration out of range", where, text, f"{STUTTER_LEAST_MS}ms to 60s, for example 50ms")
    return part_ms


def _point(text: str, where: str) -> str:
    if text not in CRASH_POINTS:
        raise CommandError("no such place", where, text, ", ".join(CRASH_POINTS))
    return text


class Kill(OfNode, verb="kill", help="End a node with SIGKILL; its files stay as written.", swarm=0.6):
    """SIGKILL: the process is gone at any instruction; what it wrote to files stays."""

    deed = Deed("you killed {n}", "{n} was killed", glyph=CROSS)


class Stop(OfNode, verb="stop", help="Ask a node to leave in order: leaderships move away first.", swarm=0.6):
    """A controlled shutdown: leaderships move away first, then the process ends in order."""

    deed = Deed("you asked {n} to leave", "{n} was asked to leave", glyph=CROSS)


class Start(Command, verb="start", help="Start a node that is down, on its own files."):
    """Start a node that is down, on the files it left."""

    node: Node


class Restart(Command, verb="restart", help="Start a node again; one that runs is killed first."):
    """Start a node that is down; kill one that runs and start it again."""

    node: Node


class Pause(OfNode, verb="pause", help="Stop a node's process with SIGSTOP; the others only see silence.", swarm=0.6):
    """SIGSTOP: no instruction runs, the kernel still accepts bytes, clocks go on."""

    deed = Deed("you paused {n}", "{n} was paused", over="{n} goes on", glyph=STILL)


class Resume(Command, verb="resume", help="Let a node that is paused or stutters go on."):
    """SIGCONT: undo of Pause and of Stutter."""

    node: Node


class Stutter(
    OfNode, verb="stutter", help="Starve a node of its CPU: it runs and stands still in turn, with SIGSTOP and SIGCONT."
):
    """SIGSTOP and SIGCONT in turn: the process runs for a while and stands still for a while, over and over."""

    deed = Deed("you starve {n} of its CPU", "{n} is starved of its CPU", over="{n} has its CPU again")

    run_ms: Annotated[int, Word("RUN", _part_ms, "{}ms".format, ("50ms", "200ms"))]
    """How long it runs each time."""
    stop_ms: Annotated[int, Word("STOP", _part_ms, "{}ms".format, ("50ms", "200ms", "1s"))]
    """How long it stands still each time."""


class PowerLoss(
    Fault,
    verb="power-loss",
    help="Kill nodes; their files keep what was durable, and what else the disk may have by then.",
    swarm=0.3,
    excuses=True,
):
    """SIGKILL, then the node's files are as its disk has them: what was durable, and what else it may have."""

    deed = Deed("you cut the power of {n}", "{n} lost power", glyph=CROSS)

    at: Nodes
    """All at the same time."""
    keep: Annotated[str, key("keep", "|".join(KEEPS), one_of(*KEEPS), *KEEPS[1:])] = DURABLE
    """What else is left: durable (nothing else), prefix, writes, sectors. See cluster.storage.power_loss."""
    pick: Annotated[int, key("pick", "0", whole(0, 999_999))] = 0
    """Which of the ways in which that can turn out."""

    @property
    def arguments(self) -> str:
        """What is durable can turn out in one way alone."""
        return super().arguments if self.keep != DURABLE else ",".join(map(str, self.at))


class CrashPoint(
    OfNode,
    verb="crash",
    help="Have a process die right there, the next time it comes there; simulated only.",
    only_simulated="real processes can only be killed from outside; when EVENT then kill N comes close",
):
    """A process dies at a named place of its own code, the next time it comes there."""

    deed = Deed("you set a trap: {what}", "a trap is set: {what}", glyph=CROSS)

    point: Annotated[str, Word("before|after " + "|".join(CRASH_PLACES), _point, label="place", is_rest=True)]

    @classmethod
    def offers(cls, words: list[str], known: Known) -> list[str]:
        """The place is two words."""
        following = {1: ["before", "after"], 2: list(CRASH_PLACES)}
        return following.get(len(words), []) if words else known.names


class Freeze(Fault, verb="freeze", help="Pause every node.", swarm=0.06):
    """Pause all nodes that run."""

    deed = Deed("you froze every node", "every node was frozen", over="every node goes on", glyph=STILL)


class Thaw(Command, verb="thaw", help="Let every node go on."):
    """Undo of Freeze."""


DOWN = (Kill, Stop, PowerLoss)
"""Faults that end a process."""
