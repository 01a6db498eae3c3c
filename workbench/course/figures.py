"""Times as a lesson tells them."""

from __future__ import annotations

SECOND_MS, MINUTE_MS = 1000, 60_000
MINUTES_FROM_MS = 2 * MINUTE_MS


def duration(milliseconds: int) -> str:
    """A time as people say it: 333 ms, 1.5 s, 20 min."""
    if milliseconds < SECOND_MS:
        return f"{milliseconds} ms"
    if milliseconds >= MINUTES_FROM_MS and milliseconds % MINUTE_MS == 0:
        return f"{milliseconds // MINUTE_MS} min"
    return f"{milliseconds / SECOND_MS:.3f}".rstrip("0").rstrip(".") + " s"
