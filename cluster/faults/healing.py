"""Commands that take faults back, and that say which are in force."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Self

from cluster.faults.fault import DiskFault, Fault, LinkFault
from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.words import CommandError, Known, Word

FAMILIES: dict[str, type[Fault]] = {"links": LinkFault, "disks": DiskFault}
"""What can be healed by itself."""


def _nothing(_text: str, _where: str) -> None:
    return None


class Heal(
    Command,
    verb="heal",
    help="Undo one fault, by its number or its words, all of the links, all of the disks, or all there are: "
    "nodes that were paused go on too; a node that is down stays down.",
):
    """Undo one fault, or all that can be undone."""

    fault_id: Annotated[int | None, Word("ID", _nothing)] = None
    """None for all, unless one is described."""
    described: Annotated[Command | None, Word("FAULT", _nothing)] = None
    """The newest in force that was injected with these words."""
    family: Annotated[str, Word("links | disks", w.one_of(*FAMILIES))] = ""
    """links or disks: all faults of these and no other; empty for one fault, or for all of any family."""

    @classmethod
    def usage(cls) -> str:
        """One of several forms."""
        return "heal [ID | FAULT | links | disks]"

    @classmethod
    def read(cls, words: list[str], parse: Callable[[list[str]], Command]) -> Self:
        """A family, a number, or a command."""
        if len(words) == 1 and words[0] in FAMILIES:
            return cls(family=words[0])
        if len(words) > 1:
            described = parse(words)
            if isinstance(described, Heal):
                raise CommandError("no fault", "heal: fault", " ".join(words), "kill 2, cut 1>2, ...")
            return cls(None, described)
        return cls(w.number(words[0], "heal: fault id", 1, 999_999_999) if words else None)

    @classmethod
    def offers(cls, words: list[str], known: Known) -> list[str]:  # noqa: ARG003
        """The families that can be healed as a whole."""
        return [] if words else list(FAMILIES)

    @property
    def arguments(self) -> str:
        """One of several forms."""
        return self.family or str(self.described or "" if self.fault_id is None else self.fault_id)


class Undo(Command, verb="undo", help="Undo the newest fault."):
    """Undo the newest fault in force."""


class Status(Command, verb="status", help="Say what runs and which faults are in force."):
    """Say what runs and which faults are in force."""
