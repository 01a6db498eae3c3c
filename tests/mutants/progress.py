"""What a long pass says while it goes on."""

from __future__ import annotations

import sys
import time

from tests.mutants.swarm_judge import Death


class Progress:
    """A line now and then: how many, how many are seen, how long still."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self._done = self._dead = 0
        self._began = self._told = time.monotonic()

    def note(self, death: Death | None) -> None:
        """One more is judged."""
        self._done += 1
        self._dead += death is not None
        now = time.monotonic()
        if now - self._told > 10 or self._done == self._total:
            self._told = now
            left_s = (now - self._began) / self._done * (self._total - self._done)
            told = f"{self._what}: {self._done}/{self._total}, {self._dead} seen, {left_s:.0f} s left\n"
            sys.stderr.write(told)
