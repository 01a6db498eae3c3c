"""How fast virtual time goes beside real time, and whether it goes at all."""

from __future__ import annotations

import re
from math import inf

SPEEDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, inf)
"""Virtual seconds in a real one; the last is as fast as it goes."""
STEADY = 1.0
NEARLY = 0.9
"""Share of a speed that passes for it."""
LATE_NS = 100_000_000
"""Real time that is made up for; what the machine was slower than that is let go."""


class Pace:
    """Chosen by the learner, kept from one cluster of a lesson to the next."""

    __slots__ = ("is_halted", "reached", "runs_to", "speed")

    def __init__(self) -> None:
        self.speed = STEADY
        """One of SPEEDS, or anything between."""
        self.is_halted = False
        """The cluster stands still, all of it: no timer runs down, no frame arrives."""
        self.runs_to = ""
        """Where halted time is run on to, as fast as it goes; empty while it stands, or goes at its speed."""
        self.reached = 0.0
        """Virtual seconds in a real one as measured last; 0 when not known."""

    def change(self, direction: int) -> None:
        """The next speed that is slower (-1) or faster (1)."""
        if direction > 0:
            self.speed = next((speed for speed in SPEEDS if speed > self.speed), SPEEDS[-1])
        else:
            self.speed = next((speed for speed in reversed(SPEEDS) if speed < self.speed), SPEEDS[0])

    def set(self, text: str) -> bool:
        """A speed as somebody writes it: 0.05, x0.05 or max. False when it is none from 0.01 up to 50, nor max."""
        if text == "max":
            self.speed = inf
            return True
        number = re.fullmatch(r"x?([0-9]{1,4}(?:\.[0-9]{1,6})?)", text)
        if number is None or not SPEEDS[0] <= float(number[1]) <= SPEEDS[-2]:
            return False
        self.speed = float(number[1])
        return True

    @property
    def text(self) -> str:
        """As shown: x0.05, or max."""
        return "max" if self.speed == inf else f"x{self.speed:g}"

    @property
    def shown(self) -> str:
        """The same, with what is reached where that is something else."""
        if self.reached and (self.speed == inf or self.reached < self.speed * NEARLY):
            return f"{self.text}: x{self.reached:.3g}"
        return self.text

    def due_ns(self, real_ns: int) -> int | None:
        """Virtual time that goes by in so much real time; None for all there is."""
        return None if self.speed == inf else int(min(real_ns, LATE_NS) * self.speed)
