"""What rules share that are judged while a run is calm, or when its calm ends."""

from __future__ import annotations

from cluster.invariants.ghost.calm import Turn
from cluster.invariants.group import Group, before
from cluster.invariants.liveness.deadlines import Deadlines
from cluster.model.entry import Entry


class Timed(Group):
    """Judges by the clock of the run: when things came to pass, and within which deadlines."""

    def begin(self) -> None:
        self.deadlines = Deadlines(self.ghost)
        self.now_ns = 0
        """Of the newest entry that was looked at."""


class JudgedBetweenTurns(Timed):
    """Has what is open judged with each fault, with each start and end of a process, and with the trace."""

    def finish(self) -> None:
        """The trace may stop in between."""
        self._close()

    @before
    def _turn(self, entry: Entry, event: Turn) -> None:
        """Faults and processes, while the ghost knows the state before them."""
        self.now_ns = max(self.now_ns, entry.t_ns)
        self._close()
        self._begin(entry, event)

    def _begin(self, entry: Entry, event: Turn) -> None:
        """What is so from now on."""

    def _close(self) -> None:
        """It is over: what had its time and did not come is late."""


class JudgedInCalm(Timed):
    """Has what is open judged when calm ends: with a fault, with a process, or with the trace."""

    def finish(self) -> None:
        """The trace may stop in the middle of calm."""
        if self.ghost.calm.is_calm:
            self._close()

    @before
    def _turn(self, entry: Entry, _event: Turn) -> None:
        """Calm begins and ends while the ghost knows the state it ends in."""
        calm = self.ghost.calm
        self.now_ns = max(self.now_ns, entry.t_ns)
        if calm.was_calm and not calm.is_calm:
            self._close()
        elif calm.is_calm and not calm.was_calm:
            self._begin(entry)

    def _begin(self, entry: Entry) -> None:
        """A stretch of calm begins."""

    def _close(self) -> None:
        """It is over: what had its time and did not come is late."""
