"""What a fault is: a command that stays in force until it is healed, or is done at once and for good."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar, Final, NamedTuple, cast

from cluster.faults.effects_on_links import LinkFault as LinkRule
from cluster.language.command import Command, names_in
from cluster.language.words import Node
from cluster.model.identifiers import NodeId

LINK, MESSAGE, DISK, CLIENT, CLOCK, PROCESS = "link", "message", "disk", "client", "clock", "process"
"""Families: what a fault is about."""
CROSS, STILL, APART, SLOW, OTHER = "\u2717", "\u2016", "\u2573", "\u2248", "!"
"""Marks of faults: something ends, stands still, is cut apart, or gets slow; and any other. Each is one column wide."""


class Deed(NamedTuple):
    """How the story tells of a fault.

    `{n}` are its nodes with what they lead, `{links}` the two ends, `{cut}` who cannot reach whom, `{message}` is the
    one message that it is about, `{what}` the command.
    """

    yours: str
    """Done by the one who looks on."""
    others: str
    """Done by somebody else."""
    over: str = ""
    """How it is when it is over; empty to name the command instead."""
    glyph: str = OTHER
    """Its mark: one of what ends, stands still or is apart says that it is grave."""


UNTOLD: Final = Deed("you did {what}", "a fault: {what}")
"""Of a fault that says nothing of itself, or that a trace of another version has."""


class Fault(Command):
    """The base of all faults."""

    family: ClassVar[str] = PROCESS
    """What it is about."""
    swarm: ClassVar[float] = 0.0
    """Share of the swarm's seeds in which it may strike; 0 when the swarm has its own way with it."""
    deed: ClassVar[Deed] = UNTOLD
    lasts: ClassVar[bool] = True
    """Whether it stays in force; else it is done at once and for good."""
    is_drawn: ClassVar[bool] = False
    """Whether the map draws it on its links."""
    excuses: ClassVar[bool] = False
    """Whether promises may be excused from then on, because a disk loses what it should keep."""

    def __init_subclass__(cls, family: str = "", swarm: float = 0.0, *, excuses: bool = False, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.family = family or cls.family
        cls.swarm, cls.excuses = swarm, excuses or cls.excuses

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        """The names under which traces tell of it."""
        return (cls.__name__,)

    @property
    def nodes(self) -> tuple[NodeId, ...]:
        """Whose process, disk, clock or clients it is about."""
        if self.family in (LINK, MESSAGE):
            return ()
        return tuple(name.node_id for name in names_in(self))

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:  # noqa: ARG002
        """What it does to links. `nodes` are all of the run."""
        return ()

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Every field that names no node, as it is in an event."""
        given = ((item.name, getattr(self, item.name)) for item in fields(cast(Any, self)))
        return tuple((name, str(value)) for name, value in given if not names_in(value))


class OfNode(Fault):
    """A fault of one node."""

    node: Node


class DiskFault(OfNode, family=DISK):
    """A disk works on, and not as it should."""

    state: ClassVar[str] = ""
    """What a script calls a disk in this state."""
    mark: ClassVar[str] = ""
    """What the screen says of it."""
    flag: ClassVar[str] = ""
    """What a disk is told to be, where the fault has no more to say."""

    def __init_subclass__(cls, state: str = "", mark: str = "", flag: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.state, cls.mark, cls.flag = state, mark or state.upper(), flag

    def add_to(self, told: dict[str, Any]) -> None:
        """Add what the disk is told to what other faults have it told."""
        told[self.flag] = True


class LinkFault(Fault, family=LINK):
    """Frames between nodes are held, late, or lost."""

    is_drawn: ClassVar[bool] = True


class ClockFault(OfNode, ABC, family=CLOCK, only_simulated="processes of one machine share its clock"):
    """The clocks of a node are off."""

    @abstractmethod
    def off(self) -> tuple[int, int]:
        """Milliseconds by which the wall clock is off, and percent by which all clocks are too fast."""


class ClientFault(OfNode, ABC, family=CLIENT):
    """Something stands between a broker and its Kafka clients."""

    mark: ClassVar[str] = ""
    """What the screen says of it."""

    @property
    def lasts_ms(self) -> int:
        """After that the lab takes it back; 0 until it is healed."""
        return 0

    def replaces(self, older: Fault) -> bool:
        """Whether it takes the place of another fault of the same broker."""
        return type(older) is type(self)

    def __init_subclass__(cls, mark: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.mark = mark

    @abstractmethod
    def add_to(self, told: dict[str, Any]) -> None:
        """Add what the broker is told to what other faults have it told."""
