"""Faults of clocks; only a simulated world has clocks of its own."""

from __future__ import annotations

from typing import Annotated

from cluster.faults.fault import ClockFault, Deed
from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.words import Node, Word

TOGETHER = {"clock": "Set a node's wall clock off, or let its clocks drift; simulated only."}


def _drift(text: str, where: str) -> int:
    return w.share(text, where, -50, 100)


class SkewClock(ClockFault, verb="clock skew", swarm=0.3):
    """A node's wall clock is off. Its timers go by the monotonic clock and do not notice."""

    deed = Deed("you put the clock of {n} wrong", "the clock of {n} is wrong")

    offset_ms: Annotated[int, Word("+2s", w.signed_ms, "{:+d}ms".format, ("+2s", "-2s", "+60s"))]
    """Fast when positive."""

    def off(self) -> tuple[int, int]:
        """The wall clock alone."""
        return self.offset_ms, 0


class DriftClock(ClockFault, verb="clock drift", swarm=0.3):
    """A node's clocks run too fast or too slow, the monotonic one too: every timer comes early or late."""

    deed = Deed("you made the clock of {n} drift", "the clock of {n} drifts")

    percent: Annotated[
        int,
        Word("-20%", _drift, "{:+d}%".format, ("+10%", "-10%"), "drift"),
    ]
    """Fast when positive; -50 to 100."""

    def off(self) -> tuple[int, int]:
        """Nothing is off but how fast all clocks run."""
        return 0, self.percent


class ClockOk(Command, verb="clock ok", only_simulated=ClockFault.only_simulated):
    """A node's clocks are right again; its monotonic clock goes on from where it is."""

    node: Node
