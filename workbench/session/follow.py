"""Polls the trace files of a run and hands entries on in order of time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

from cluster.model.entry import Entry
from cluster.runtime.run.folder import clock_shift_ns
from cluster.trace.places import Origin
from cluster.trace.reader import ENDING, Place, TraceError, TraceFolder, TraceStream, in_order
from workbench.support.platform import in_background

POLL_S, CALM_POLL_S = 0.01, 0.03
HOLD_BACK_NS = 5_000_000
"""Entries younger than this at the newest look at the files wait: a slower writer's older entry still goes first."""
HOLD_BACK_MOST_NS = 100_000_000
"""The wait after a writer was slower than that; it shrinks again while all are in time."""
SHRINK = 0.99
BEHIND = 5000
"""Entries read and not yet handed on that are more than the hold-back leaves waiting: who shows them is behind."""
SLICE = 1000
"""Entries handed on before keys and frames get their turn: about 4 ms of folding."""
AT_ONCE_BYTES = 48 << 10
"""So much is read without a thread: about 450 entries, 1.1 ms. The way to a thread and back costs more than a look."""


class Past:
    """What is in the files when reading begins, however much: read piece by piece, in order of time."""

    def __init__(self, folder: Path, until_ns: int | None, starts: Mapping[Origin, Place]) -> None:
        self._stream = TraceStream(folder, until_ns, starts=starts)
        self._entries = iter(self._stream)
        self._size = sum(path.stat().st_size for path in folder.glob(f"*{ENDING}"))
        self.error: TraceError | OSError | None = None
        """Why the rest cannot be read."""
        self.is_over = False

    @property
    def reached(self) -> Mapping[Origin, Place]:
        """For each file, what would be given of it next."""
        return self._stream.reached

    @property
    def progress(self) -> float:
        """Share of the bytes, from 0 to 1."""
        return sum(place.position for place in list(self.reached.values())) / max(1, self._size)

    def take(self, count: int) -> list[Entry]:
        """The next so many entries; fewer before the end, or before what cannot be read."""
        entries: list[Entry] = []
        try:
            entries.extend(islice(self._entries, count))
        except (TraceError, OSError) as error:
            self.error = error
        self.is_over = len(entries) < count
        return entries


class Follower:
    """Live entries of one run folder, in time order across files up to the hold-back."""

    def __init__(
        self,
        run_folder: Path,
        take: Callable[[list[Entry]], object],
        starts: Callable[[], Mapping[Origin, Place]] = dict,
    ) -> None:
        """`starts`: asked once for each run before it is read: what of each file is not known yet."""
        self.folder = run_folder / "trace"
        self.take = take
        self.error = ""
        self.is_calm = False
        """Nobody waits for the next entry within a frame: the files are looked at less often."""
        self._starts = starts
        self._past: Past | None = None
        """What was there when reading began, until it is handed on."""
        self._has_read_all = False
        """Whether all that was in the files at some look since reading began is handed on."""
        self._waiting: list[Entry] = []
        self._fresh: list[Entry] = []
        self._reading = threading.Lock()
        self._reader: TraceFolder | None = None
        self._newest_ns = 0
        self._hold_ns = HOLD_BACK_NS
        self._shift_ns = 0

    def follow(self, run_folder: Path) -> None:
        """Another run from now on; none while the folder has no name, whatever lies where we stand."""
        reader, self._reader = self._reader, None
        if reader is not None:
            with self._reading:
                reader.close()
        self.folder, self._waiting, self.error = run_folder / "trace", [], ""
        self._fresh, self._past, self._has_read_all = [], None, False
        self._newest_ns, self._hold_ns = 0, HOLD_BACK_NS

    @property
    def behind(self) -> int:
        """How many entries are read and not yet handed on; 0 while these are no more than usual."""
        count = len(self._waiting) + len(self._fresh)
        return count if count > BEHIND else 0

    @property
    def share_read(self) -> float | None:
        """From 0 to 1, of what the files held when reading began, until it and what came meanwhile is handed on: what
        is shown before that is past. None then, and while there is no run.
        """
        if self._has_read_all or not self._is_there():
            return None
        return self._past.progress if self._past is not None else float(self._reader is not None)

    def poll(self, looked_ns: int | None = None) -> int:
        """Read what is new and hand on what is old enough at that time; returns how many. None hands on everything."""
        count = 0
        if looked_ns is None:
            while (past := self._begin_past(None)) is not None:
                count += self._hand_on_past(past, past.take(SLICE))
                if past.error is not None:
                    raise past.error
        reader = self._open()
        if reader is None:
            return count
        self._read(reader, self._fresh)
        self._add_fresh()
        self._has_read_all = True
        return count + self._hand_on(looked_ns, len(self._waiting))

    async def read_past(self, until_ns: int | None = None, tell: Callable[[float], None] = lambda _: None) -> None:
        """Hand on what is there by now, up to an instant, in slices; the reading is done in a thread.

        tell hears after each slice what share is handed on. TraceError or OSError when a file is damaged; what comes
        before that is handed on.
        """
        while (past := self._begin_past(until_ns)) is not None:
            batch = await in_background(past.take, SLICE)
            if past is not self._past:
                return
            self._hand_on_past(past, batch)
            if past.error is not None:
                raise past.error
            tell(past.progress)
            await asyncio.sleep(0)

    def _begin_past(self, until_ns: int | None) -> Past | None:
        """What is not handed on yet of what was there when reading began; None once that is all."""
        if self._past is None and self._reader is None and self._is_there():
            self._past = Past(self.folder, until_ns, self._starts())
        return self._past

    def _hand_on_past(self, past: Past, batch: list[Entry]) -> int:
        if past.is_over:
            self._reader, self._past = TraceFolder(self.folder, past.reached), None
        if batch:
            self._newest_ns = batch[-1].t_ns
            self.take(batch)
        return len(batch)

    def _is_there(self) -> bool:
        return bool(self.folder.parent.name) and self.folder.is_dir()

    def _open(self) -> TraceFolder | None:
        if self._reader is None and self._is_there():
            self._reader = TraceFolder(self.folder, self._starts())
            self._shift_ns = clock_shift_ns(self.folder.parent)
        return self._reader

    def _read(self, reader: TraceFolder, fresh: list[Entry]) -> None:
        """Also in a thread that nobody waits for any more, as when a screen closes: what it read is kept, not lost."""
        with self._reading:
            fresh.extend(reader.poll())
            if reader is not self._reader:  # another run is followed by now; the files were opened once more
                reader.close()

    def _add_fresh(self) -> None:
        with self._reading:
            fresh = self._fresh[:]
            self._fresh.clear()
        if fresh:
            self._waiting.extend(fresh)
            self._waiting.sort(key=in_order)
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
        """Poll until cancelled, reading much in a thread and folding in slices; a damaged file is told in `error`."""
        while True:
            if self._reader is None and self._is_there():
                self._shift_ns = clock_shift_ns(self.folder.parent)
                try:
                    await self.read_past(time.monotonic_ns() + self._shift_ns - HOLD_BACK_NS)
                except (TraceError, OSError) as error:
                    self.error = f"trace: {error}"
            reader = self._open()
            if reader is not None:
                await self._round(reader)
            await asyncio.sleep(CALM_POLL_S if self.is_calm else POLL_S)

    async def _round(self, reader: TraceFolder) -> None:
        looked_ns = time.monotonic_ns() + self._shift_ns
        try:
            if reader.fresh_bytes() > AT_ONCE_BYTES:
                await in_background(self._read, reader, self._fresh)
            else:
                self._read(reader, self._fresh)
        except Exception as error:  # a damaged trace must not take the screen down
            if reader is self._reader:
                self.error = f"trace: {error}"
            return
        if reader is not self._reader:
            return
        self._add_fresh()
        while reader is self._reader and self._hand_on(looked_ns, SLICE) == SLICE:  # noqa: ASYNC110  # keys come between
            await asyncio.sleep(0)
        self._has_read_all = True
