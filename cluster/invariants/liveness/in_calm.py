"""What rules share that are judged while a run is calm, or when its calm ends."""

from __future__ import annotations

from abc import ABC, abstractmethod

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.liveness.calm import Calm
from cluster.invariants.liveness.deadlines import Deadlines
from cluster.invariants.verdicts.report import Report
from cluster.model.entry import Entry


class JudgedInCalm(ABC):
    """Follows calm, and has what is open judged when it ends: with a fault, with a process, or with the trace."""

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._deadlines = Deadlines(ghost)
        self._calm = Calm()
        self._now_ns = 0
        """Of the newest entry that was looked at."""

    def before(self) -> Handlers:
        """Calm begins and ends while the ghost knows the state it ends in."""
        return dict.fromkeys(self._calm.folds(), self._turn)

    def finish(self) -> None:
        """The trace may stop in the middle of calm."""
        if self._calm.is_calm:
            self._close()

    def _turn(self, entry: Entry, event: object) -> None:
        was_calm = self._calm.is_calm
        self._now_ns = max(self._now_ns, entry.t_ns)
        self._calm.folds()[type(event)](entry, event)
        if was_calm and not self._calm.is_calm:
            self._close()
        elif self._calm.is_calm and not was_calm:
            self._begin(entry)

    def _begin(self, entry: Entry) -> None:  # noqa: B027  # most have nothing to do then
        """A stretch of calm begins."""

    @abstractmethod
    def _close(self) -> None:
        """It is over: what had its time and did not come is late."""
