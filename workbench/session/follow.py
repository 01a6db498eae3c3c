"""Polls the trace files of a run and hands entries on in order of time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from cluster.trace.entry import Entry
from cluster.trace.reader import TraceFolder

POLL_S = 0.025
HOLD_BACK_NS = 40_000_000
"""Entries this young wait, so that a slower writer's older entry still goes first."""
FOLDER_WAIT_S = 0.1


class Follower:
    """Live entries of one run folder, in time order across files up to the hold-back."""

    def __init__(self, run_folder: Path, take: Callable[[list[Entry]], object]) -> None:
        self.folder = run_folder / "trace"
        self.take = take
        self.error = ""
        self._waiting: list[Entry] = []
        self._reader: TraceFolder | None = None

    def follow(self, run_folder: Path) -> None:
        """Another run from now on."""
        if self._reader is not None:
            self._reader.close()
        self.folder, self._reader, self._waiting, self.error = run_folder / "trace", None, [], ""

    def poll(self, now_ns: int | None = None) -> int:
        """Read what is new and hand on what is old enough; returns how many. None hands on everything."""
        if self._reader is None:
            if not self.folder.is_dir():
                return 0
            self._reader = TraceFolder(self.folder)
        fresh = self._reader.poll()
        if fresh:
            self._waiting.extend(fresh)
            self._waiting.sort(key=lambda entry: (entry.t_ns, entry.node, entry.seq))
        ready = len(self._waiting)
        if now_ns is not None:
            limit = now_ns - HOLD_BACK_NS
            while ready and self._waiting[ready - 1].t_ns > limit:
                ready -= 1
        if ready:
            self.take(self._waiting[:ready])
            del self._waiting[:ready]
        return ready

    async def run(self) -> None:
        """Poll until cancelled; a damaged file stops it and says so in `error`."""
        while True:
            try:
                self.poll(time.monotonic_ns())
            except Exception as error:  # a damaged trace must not take the screen down
                self.error = f"trace: {error}"
                return
            await asyncio.sleep(POLL_S)
