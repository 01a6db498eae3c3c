"""Until when a run lived: its nodes are ended with it, and that is no part of what it went through."""

from __future__ import annotations

from cluster.model.events import ProcessExited, RunEnded
from workbench.session.recording import Recording

NEWEST = 50
"""Events among which the end of a run stands."""
ENDING_NS = 2_000_000_000
"""So long its processes take to leave, at most."""
AT_ONCE_NS = 1_000_000
"""Within this the nodes of a simulation are taken away."""


def lived_until_ns(recording: Recording) -> int:
    """The last instant before its nodes were ended in order with it; of any other run that of its newest event."""
    newest = recording.entries[-NEWEST:]
    ended = next((entry for entry in reversed(newest) if isinstance(entry.event, RunEnded)), None)
    if ended is None:
        return recording.timeline.end_ns
    exits = ((entry.t_ns, entry.event) for entry in newest if isinstance(entry.event, ProcessExited))
    left = [t_ns for t_ns, one in exits if ended.t_ns - t_ns < (AT_ONCE_NS if one.exit_code else ENDING_NS)]
    return min(left, default=recording.timeline.end_ns + 1) - 1
