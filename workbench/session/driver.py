"""Drives a simulated run beside the screen: short slices of work, so that keys and frames get their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from cluster.model.entry import Entry
from workbench.session.pace import Pace
from workbench.session.recording import Recording

if TYPE_CHECKING:
    from workbench.session.paced_lab import PacedLab

SLICE_NS = 3_000_000
"""Longest stretch of simulating before others get their turn; folding what it told takes about as long again."""
REST_S = 0.004
"""Between two slices, when the pace asks for no more."""
SECOND_S = 1.0
TURNS_OF_OTHERS = 3
"""Rounds of the event loop in which a script that has waited for its moment acts before time goes on."""
EVENTS_MAX = 500_000
"""After each so many events the clock halts: what the simulated nodes wrote is in memory, about 200 bytes an event."""
HUNT_S = 60.0
"""Virtual time within which the next mark must come."""


class Driver:
    """Owns the time of the present lab of a session."""

    def __init__(self, recording: Recording, pace: Pace) -> None:
        self.recording = recording
        """Told everything that happens."""
        self.pace = pace
        self.error = ""
        """Why the simulation cannot go on; empty while it can."""
        self.say: Callable[[str], None] = lambda _: None
        """Told one line when the clock halts by itself."""
        self.lab: PacedLab | None = None
        self._wanted = ""
        self._hunt_until_s = 0.0
        self._halt_at = EVENTS_MAX
        self._flushed_s = 0.0
        self._mark: tuple[float, float, float] | None = None
        """Speed, real and virtual time since when the speed is measured."""

    def take(self, lab: PacedLab) -> None:
        """Another run from now on."""
        self.lab, self._wanted, self.error, self._halt_at = lab, "", "", EVENTS_MAX
        self.pace.runs_to = ""
        self._mark = None

    def want(self, what: str) -> None:
        """Halt after the next "event" or the next "mark"; at once where it is empty."""
        self.pace.is_halted = True
        self._wanted = what
        if self.lab is not None:
            self._hunt_until_s = self.lab.now_s() + HUNT_S

    async def run(self) -> None:
        """Until cancelled; a mistake of the simulation is told in `error` and ends it."""
        while True:
            lab = self.lab
            is_busy = False
            if lab is not None and not self.error:
                try:
                    is_busy = self.turn(lab)
                except Exception as error:  # the screen stays, with what was told up to here
                    self.error = f"the simulation cannot go on: {type(error).__name__}: {error}"
            await asyncio.sleep(0 if is_busy else REST_S)
            # A script that waited for this moment is woken in the slice and runs only now, a few tasks deep. If the
            # next slice began at once, its command would come a slice later, and how much virtual time that is depends
            # on the machine: the same script would make another run each time.
            for _ in range(TURNS_OF_OTHERS if lab is not None and lab.has_rung else 0):
                await asyncio.sleep(0)

    def turn(self, lab: PacedLab) -> bool:
        """One slice; whether there is more to do at once."""
        on_to = f"the next {self._wanted}" if self._wanted else ""
        self.pace.runs_to = "the event to go on from" if lab.is_retracing else on_to
        if self._wanted and not lab.is_retracing:
            lab.live(SLICE_NS, self._is_found)
            if self._wanted == "mark" and lab.now_s() > self._hunt_until_s:
                self._wanted = ""
                self.say(f"no mark within {HUNT_S:g} s of virtual time")
        else:
            self._extend(lab.live(SLICE_NS))
        if len(self.recording.entries) >= self._halt_at and not lab.is_retracing:
            self._halt_at = len(self.recording.entries) + EVENTS_MAX
            self.pace.is_halted, self._wanted = True, ""
            count = len(self.recording.entries)
            self.say(f"the clock halts: {count} events are much to keep in memory; the command go lets it go on")
        self._once_a_second(lab)
        return bool(self._wanted) or lab.is_behind

    def _once_a_second(self, lab: PacedLab) -> None:
        """Have the trace in its files, and measure what speed is reached."""
        real_s, virtual_s, speed = monotonic(), lab.now_s(), self.pace.speed
        if self._mark is None or self._mark[0] != speed or self.pace.is_halted or lab.is_retracing:
            self._mark, self.pace.reached = (speed, real_s, virtual_s), 0.0
        elif real_s - self._mark[1] > SECOND_S:
            self.pace.reached = (virtual_s - self._mark[2]) / (real_s - self._mark[1])
            self._mark = (speed, real_s, virtual_s)
        if real_s - self._flushed_s > SECOND_S:
            self._flushed_s = real_s
            lab.flush()

    def _is_found(self, fresh: list[Entry]) -> bool:
        marks = len(self.recording.timeline.marks)
        self._extend(fresh)
        if self._wanted == "event" or len(self.recording.timeline.marks) > marks:
            if self._wanted == "mark":
                self.say(self.recording.timeline.marks[-1].text)
            self._wanted = ""
            return True
        return False

    def _extend(self, fresh: list[Entry]) -> None:
        if fresh:
            self.recording.extend(fresh)

    def collect(self) -> None:
        """Take what was told as the run ended."""
        if self.lab is not None:
            self._extend(self.lab.live(0))
