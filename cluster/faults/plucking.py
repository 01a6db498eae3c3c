"""One message between two nodes is taken out of its stream: dropped, held, delayed, or let through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from cluster.faults.effects_on_links import NEXT, PluckedMessage
from cluster.faults.effects_on_links import LinkFault as LinkRule
from cluster.faults.fault import CROSS, MESSAGE, Deed, LinkFault
from cluster.faults.links import kinds_of_messages
from cluster.language import words as w
from cluster.language.words import CommandError, Link, Word
from cluster.model.events.lab import DELAY, DROP, HOLD, PASS
from cluster.model.identifiers import NodeId
from cluster.model.messages import MESSAGES

LATE_MS = 200


def _one_way(text: str, where: str) -> Link:
    link = w.link(text, where)
    if link.both_ways:
        raise CommandError("a message goes one way", where, text, "1>2")
    return link


def _one_kind(text: str, where: str) -> str:
    found = kinds_of_messages(text, where)
    if len(found) > 1:
        raise CommandError("one kind of message", where, text, " or ".join(found))
    return found[0]


def _fate(text: str, where: str) -> str | int:
    """drop, hold and pass, or how late it is in milliseconds."""
    if text in (DROP, HOLD, PASS):
        return text
    if text[:1].isdigit():
        return w.duration_ms(text, where)
    raise CommandError("no fate of a message", where, text, f"{DROP}, {HOLD}, {PASS}, or how late, as {LATE_MS}ms")


def _fate_text(fate: str | int) -> str:
    return f"{fate}ms" if isinstance(fate, int) else fate


class Pluck(
    LinkFault,
    verb="pluck",
    family=MESSAGE,
    help="Drop, hold, delay or let through one message: the next of its kind; simulated, any on its way.",
):
    """One message has a fate of its own. By its number it is one that is on its way, in a simulation alone.

    Dropped, delayed or let through, it is over as soon as that is done; a message that is held waits for heal.
    """

    deed = Deed("you plucked {message}", "{message} was plucked", over="the message goes on", glyph=CROSS)

    is_drawn: ClassVar[bool] = False

    link: Annotated[Link, Word("1>2", _one_way, offers=lambda known: known.pairs(">"), label="link")]
    message: Annotated[str, Word("VoteResponse", _one_kind, str, sorted(MESSAGES))]
    fate: Annotated[
        str | int, Word("drop|hold|pass|200ms", _fate, _fate_text, (DROP, HOLD, PASS, f"{LATE_MS}ms"), label="fate")
    ]
    """drop, hold, pass, or milliseconds by which it is late."""
    number: Annotated[
        int, w.key("number", "17", w.whole(0, 999_999_999_999), is_always_written=False)
    ] = NEXT  # fmt: skip
    """Its correlation; NEXT for the next one that is sent."""

    @property
    def late_ms(self) -> int:
        """How much later it goes on; 0 unless it is to be late."""
        return self.fate if isinstance(self.fate, int) else 0

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:  # noqa: ARG002
        """For one direction."""
        ((source, target),) = self.link.ways()
        return (
            PluckedMessage(
                source=source,
                target=target,
                message=self.message,
                fate=DELAY if self.late_ms else str(self.fate),
                delay_ms=self.late_ms,
                number=self.number,
                fault_id=fault_id,
            ),
        )
