"""Polls the trace files of a run and hands entries on in order of time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

from cluster.model.entry import Entry
from cluster.runtime.run.folder import clock_shift_ns
from cluster.trace.reader import TraceFolder

POLL_S = 0.01
HOLD_BACK_NS = 5_000_000
"""Entries younger than this at the newest look at the files wait: a slower writer's older entry still goes first."""
HOLD_BACK_MOST_NS = 100_000_000
"""The wait after a writer was slower than that; it shrinks again while all are in time."""
SHRINK = 0.99
BEHIND = 5000
"""Entries read and not yet handed on that are more than the hold-back leaves waiting: who shows them is behind."""
SLICE = 1000
"""Entries handed on before keys and frames get their turn: about 4 ms of folding."""


class Follower:
    """Live entries of one run folder, in time order across files up to the hold-back."""

    def __init__(self, run_folder: Path, take: Callable[[list[Entry]], object]) -> None:
        self.folder = run_folder / "trace"
        self.take = take
        self.error = ""
        self._waiting: list[Entry] = []
        self._fresh: list[Entry] = []
        self._reading = threading.Lock()
        self._reader: TraceFolder | None = None
        self._newest_ns = 0
        self._hold_ns = HOLD_BACK_NS
        self._shift_ns = 0

    def follow(self, run_folder: Path) -> None:
        """Another run from now on; none while the folder has no name, whatever lies where we stand."""
        self.folder, self._reader, self._waiting, self.error = run_folder / "trace", None, [], ""
        self._fresh = []
        self._newest_ns, self._hold_ns = 0, HOLD_BACK_NS

    @property
    def behind(self) -> int:
        """How many entries are read and not yet handed on; 0 while these are no more than usual."""
        count = len(self._waiting) + len(self._fresh)
        return count if count > BEHIND else 0

    def poll(self, looked_ns: int | None = None) -> int:
        """Read what is new and hand on what is old enough at that time; returns how many. None hands on everything."""
        reader = self._open()
        if reader is None:
            return 0
        self._read(reader, self._fresh)
        self._add_fresh()
        return self._hand_on(looked_ns, len(self._waiting))

    def _open(self) -> TraceFolder | None:
        if self._reader is None and self.folder.parent.name and self.folder.is_dir():
            self._reader = TraceFolder(self.folder)
            self._shift_ns = clock_shift_ns(self.folder.parent)
        return self._reader

    def _read(self, reader: TraceFolder, fresh: list[Entry]) -> None:
        """Also in a thread that nobody waits for any more, as when a screen closes: what it read is kept, not lost."""
        with self._reading:
            fresh.extend(reader.poll())

    def _add_fresh(self) -> None:
        with self._reading:
            fresh = self._fresh[:]
            self._fresh.clear()
        if fresh:
            self._waiting.extend(fresh)
            self._waiting.sort(key=lambda entry: (entry.t_ns, entry.node, entry.seq))
            late_ns = self._newest_ns - self._waiting[0].t_ns
            if late_ns > 0:
                self._hold_ns = max(self._hold_ns, min(HOLD_BACK_MOST_NS, HOLD_BACK_NS + late_ns))
            else:
                self._hold_ns = max(HOLD_BACK_NS, int(self._hold_ns * SHRINK))

    def _hand_on(self, looked_ns: int | None, most: int) -> int:
        """looked_ns: when the newest look at the files began. What was written before was read from all of them."""
        ready = len(self._waiting)
        if looked_ns is not None:
            limit = looked_ns - self._hold_ns
            while ready and self._waiting[ready - 1].t_ns > limit:
                ready -= 1
        ready = min(ready, most)
        if ready:
            self._newest_ns = self._waiting[ready - 1].t_ns
            self.take(self._waiting[:ready])
            del self._waiting[:ready]
        return ready

    async def run(self) -> None:
        """Poll until cancelled, reading in a thread and folding in slices; a damaged file is told in `error`."""
        while True:
            reader = self._open()
            if reader is not None:
                await self._round(reader)
            await asyncio.sleep(POLL_S)

    async def _round(self, reader: TraceFolder) -> None:
        looked_ns = time.monotonic_ns() + self._shift_ns
        try:
            await asyncio.to_thread(self._read, reader, self._fresh)
        except Exception as error:  # a damaged trace must not take the screen down
            if reader is self._reader:
                self.error = f"trace: {error}"
            return
        if reader is not self._reader:
            reader.close()
            return
        self._add_fresh()
        while reader is self._reader and self._hand_on(looked_ns, SLICE):  # noqa: ASYNC110  # keys come in between slices
            await asyncio.sleep(0)
