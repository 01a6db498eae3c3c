"""Faults of single messages; only a simulated network has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Annotated, Any, ClassVar

from cluster.faults.effects_on_links import LinkFault as LinkRule
from cluster.faults.effects_on_links import UnkindLink
from cluster.faults.fault import MESSAGE, Deed, LinkFault
from cluster.language import words as w
from cluster.language.words import LinkOrAll, Word, duration
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId

REORDER_MS = 200
"""Latest that an overtaken message comes, unless the command says otherwise."""


class UnkindFault(LinkFault, ABC, family=MESSAGE):
    """Some messages of a link, or of every link and of the clients, have a hard time."""

    is_drawn: ClassVar[bool] = False

    link: LinkOrAll
    """None for everybody, the clients too."""
    percent: Annotated[int, Word("10%", w.share, "{}%".format, ("2%", "10%", "50%"), label="share")]
    """Share of the messages, 1 to 100."""

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:
        """Between two nodes, or between all of them and the clients."""
        ways: Iterable[tuple[NodeId, NodeId]] = permutations((*sorted(nodes), FIRST_CLIENT_ID), 2)
        if self.link is not None:
            ways = self.link.ways()
        return tuple(UnkindLink(source=a, target=b, fault_id=fault_id, **self.shares()) for a, b in ways)

    @abstractmethod
    def shares(self) -> dict[str, Any]:
        """What befalls them."""


class LoseMessages(
    UnkindFault,
    verb="lose",
    help="Lose single messages; simulated only, TCP never does.",
    only_simulated="TCP delivers late or resets, but never loses one message of a connection that lives on",
    swarm=0.3,
):
    """Single messages vanish. No TCP connection does that."""

    deed = Deed("you had messages get lost: {what}", "messages get lost: {what}")

    def shares(self) -> dict[str, Any]:
        """Percent of the messages that vanish."""
        return {"lost": self.percent}


class DuplicateMessages(
    UnkindFault,
    verb="duplicate",
    help="Deliver single messages twice; simulated only, TCP never does.",
    only_simulated="TCP never delivers a message twice",
    swarm=0.3,
):
    """Single messages arrive twice. No TCP connection does that."""

    deed = Deed("you had messages come twice: {what}", "messages come twice: {what}")

    def shares(self) -> dict[str, Any]:
        """They come twice."""
        return {"doubled": self.percent}


class ReorderMessages(
    UnkindFault,
    verb="reorder",
    help="Let single messages be overtaken; simulated only, TCP never does.",
    only_simulated="TCP never lets a message overtake another of its connection",
    swarm=0.3,
):
    """Single messages come late and are overtaken by those behind them. No TCP connection does that."""

    deed = Deed("you had messages overtake each other: {what}", "messages overtake each other: {what}")

    late_ms: Annotated[int, duration("200ms", "50ms", "200ms")] = REORDER_MS
    """Latest that such a message comes."""

    def shares(self) -> dict[str, Any]:
        """They come late."""
        return {"overtaken": self.percent, "late_ms": self.late_ms}
