"""How long nothing was heard from the lab on screen. Knows no screen; a lab without beats is never called silent."""

from __future__ import annotations

SILENT_S = 2.0
"""Silence that is worth a word: four beats in a row did not come."""
AWAY_S = 1.0
"""Between two looks: after more than that it was we who stood still, and what the lab said meanwhile is yet unread."""


class Hearing:
    """Looked at again and again, by whoever shows the lab."""

    def __init__(self) -> None:
        self._looked_s = 0.0
        self._awake_s = 0.0
        """Since when we look without a break."""

    def silence_s(self, lab: object, now_s: float) -> int:
        """Whole seconds since the lab was heard last; 0 while that is nothing out of the way.

        lab: what the session talks to, with `heard_s` when it is one that beats. now_s: the monotonic clock.
        """
        if now_s - self._looked_s > AWAY_S:
            self._awake_s = now_s
        self._looked_s = now_s
        heard_s = getattr(lab, "heard_s", None)
        if heard_s is None:
            return 0
        silent_s = now_s - max(heard_s, self._awake_s)
        return int(silent_s) if silent_s >= SILENT_S else 0


def silent_words(silent_s: int) -> str:
    """What is to be said of it, for people."""
    return (
        f"nothing heard from the lab for {silent_s} s: its process hangs or is stopped. What nodes report "
        "is shown all the same, commands wait until it goes on"
    )
