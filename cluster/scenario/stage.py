"""The lab a script plays on: its clock, what its trace has gained, and where the script's own events go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Protocol

from cluster.lab import SCRIPT, Lab, TimedLab
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.model.identifiers import SCRIPT_ID
from cluster.trace.reader import TraceFolder
from cluster.trace.writer import TraceWriter

WATCH_SECONDS = 0.005


class Stage(Protocol):
    """One lab as a script sees it."""

    def now_s(self) -> float:
        """The clock that deadlines are measured by."""

    async def pass_time(self, seconds: float) -> None:
        """Wait."""

    async def pass_until(self, elapsed_ns: int) -> None:
        """Wait until so long after the lab began; not at all when that is over."""

    def poll(self) -> list[Entry]:
        """Events since the last poll, in order."""

    def note(self, event: Event, trigger: str) -> None:
        """Write an event of the script or its learner."""

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Send this command to the lab as soon as such an event comes, once."""

    def close(self) -> None:
        """Let go of it; the lab itself is closed by whoever launched it."""


def stage_of(lab: Lab) -> Stage:
    """A lab with a clock of its own, or one that lives in real time and is seen through its trace files."""
    return VirtualStage(lab) if isinstance(lab, TimedLab) else LivingStage(lab)


class LivingStage:
    """Real time, trace files. Implements Stage."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._began_s = monotonic()
        self._armed: list[tuple[Callable[[Entry], bool], str]] = []
        self._watching: asyncio.Task[None] | None = None
        self._sending: set[asyncio.Task[None]] = set()
        self._read: list[Entry] = []
        folder = lab.run_folder / "trace"
        self._folder = TraceFolder(folder)
        self._trace = TraceWriter(folder / f"{SCRIPT_ID}-0.trace", lab.run_folder.name, SCRIPT_ID, 0)

    def now_s(self) -> float:
        """The machine's monotonic clock."""
        return monotonic()

    async def pass_time(self, seconds: float) -> None:
        """Sleep."""
        await asyncio.sleep(seconds)

    async def pass_until(self, elapsed_ns: int) -> None:
        """Sleep; the lab began when this stage was made, or a moment before."""
        await asyncio.sleep(max(0.0, self._began_s + elapsed_ns / 1e9 - monotonic()))

    def poll(self) -> list[Entry]:
        """What the files have gained."""
        self._look()
        entries, self._read = self._read, []
        return entries

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """As soon as the trace shows it, which is a moment later: frames may have left meanwhile."""
        self._armed.append((matches, command))
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    def _look(self) -> None:
        """Read on, and send what waited for an event."""
        gained = self._folder.poll(until_ns=self._trace.now_ns())
        self._read += gained
        for armed in list(self._armed):
            if any(map(armed[0], gained)):
                self._armed.remove(armed)
                sending = asyncio.get_running_loop().create_task(self._send(armed[1]))
                self._sending.add(sending)
                sending.add_done_callback(self._sending.discard)

    async def _send(self, command: str) -> None:
        """What became of it stands in the trace; a lab that has gone in the meantime needs no commands."""
        with suppress(OSError, EOFError):
            await self._lab.send(command, SCRIPT)

    async def _watch(self) -> None:
        while self._armed:
            self._look()
            await asyncio.sleep(WATCH_SECONDS)
        self._watching = None

    def note(self, event: Event, trigger: str) -> None:
        """Into a trace file of the script."""
        self._trace.write(event, trigger=trigger)

    def close(self) -> None:
        """Let go of all files, and forget what did not come."""
        if self._watching is not None:
            self._watching.cancel()
        self._trace.close()
        self._folder.close()


class VirtualStage:
    """Virtual time: it passes only while the script waits. Implements Stage."""

    def __init__(self, lab: TimedLab) -> None:
        self._lab = lab

    def now_s(self) -> float:
        """The lab's own clock."""
        return self._lab.now_s()

    async def pass_time(self, seconds: float) -> None:
        """Let the cluster go on; others on this event loop get their turn, and ctrl-C its chance."""
        await self._lab.pass_time(seconds)
        await asyncio.sleep(0)

    async def pass_until(self, elapsed_ns: int) -> None:
        """Let the cluster go on."""
        await self._lab.pass_until(elapsed_ns)
        await asyncio.sleep(0)

    def poll(self) -> list[Entry]:
        """What the lab has told."""
        return self._lab.poll()

    def note(self, event: Event, trigger: str) -> None:
        """Into the lab's trace."""
        self._lab.note(event, trigger)

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """At the very moment; a node that is to be killed by its own event sends nothing after it."""
        self._lab.when(matches, command)

    def close(self) -> None:
        """Nothing is held."""
