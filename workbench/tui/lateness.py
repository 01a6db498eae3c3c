"""Whether the terminal takes what is written for it, or so slowly that what it shows is old."""

from __future__ import annotations

UNREAD_MAX = 3
"""Writes that may wait for the terminal: one that reads leaves none. While there are more, no frame is drawn."""
LATE_S = 2.0
"""So long it may take none of them."""
LOOK_MAX_S = 0.25
"""What one look counts for at most: a process that was stopped meanwhile has waited for nobody."""
CALM_S, CALM_MAX_S = 1.0, 30.0
"""So long everything has to be taken at once before keys act again; twice as long after each relapse, up to a limit."""
RELAPSE_S = 20.0
"""A terminal that is late again within that time was not fast enough for whole frames."""


class Lateness:
    """Of one terminal."""

    def __init__(self) -> None:
        self.is_late = False
        self._unread = 0
        self._looked_s = 0.0
        self._waited_s = self._calm_s = 0.0
        self._needed_s, self._well_s = CALM_S, RELAPSE_S

    def look(self, unread: int, now_s: float) -> bool:
        """Whether it is late. unread: writes that it has not taken yet."""
        passed_s = min(now_s - self._looked_s, LOOK_MAX_S)
        has_moved = unread <= UNREAD_MAX or unread < self._unread
        self._looked_s, self._unread = now_s, unread
        self._waited_s = 0.0 if has_moved else self._waited_s + passed_s
        self._calm_s = 0.0 if unread else self._calm_s + passed_s
        if self.is_late:
            self._look_for_end()
        elif self._waited_s >= LATE_S:
            self.is_late = True
            again = self._well_s < RELAPSE_S
            self._needed_s = min(2 * self._needed_s, CALM_MAX_S) if again else CALM_S
        else:
            self._well_s += passed_s
        return self.is_late

    def _look_for_end(self) -> None:
        if self._calm_s >= self._needed_s:
            self.is_late, self._well_s = False, 0.0
