"""When frames of a delayed or slow link leave."""

from __future__ import annotations

from cluster.faults.judge import Delay

BURST_BYTES = 64 << 10
"""What a slow link takes at once before its rate counts."""


class Pace:
    """When the next frame of one direction may leave: a token bucket, a delay, and never before the frame ahead."""

    __slots__ = ("_filled_s", "_last_s", "_tokens")

    def __init__(self) -> None:
        self._last_s = 0.0
        self._filled_s = 0.0
        self._tokens = float(BURST_BYTES)

    def leave_at(self, now_s: float, size: int, delay: Delay | None, rate: int | None, draw: float) -> float:
        """Loop time in seconds; draw is in [0, 1)."""
        leave_s = max(now_s, self._last_s) if rate else now_s
        if rate:
            self._tokens = min(float(BURST_BYTES), self._tokens + (leave_s - self._filled_s) * rate)
            self._filled_s = leave_s
            self._tokens -= size
            if self._tokens < 0:
                leave_s += -self._tokens / rate
                self._tokens, self._filled_s = 0.0, leave_s
        if delay is not None:
            leave_s += (delay.delay_ms + draw * delay.jitter_ms) / 1000
        self._last_s = max(self._last_s, leave_s)
        return self._last_s
