"""A simulated cluster that lives at the pace of somebody who watches it. Implements Lab and TimedLab."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter_ns

from cluster.lab import LEARNER, Answer
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.runtime.run.folder import read_facts, update_facts
from cluster.simulation.lab.journal import FILE, Journal, Outside
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.lab.stepper import NEVER_NS, Running, Stepper
from cluster.simulation.world.kernel import NS_PER_S, START_NS
from workbench.session.beside import BesideWorld
from workbench.session.pace import LATE_NS, Pace

MOVES_BETWEEN_LOOKS = 8
"""Moves made before the real clock is looked at again: about 0.2 ms."""
ENDED = "the lab has ended"


class PacedLab:
    """One run. Time passes only in `live`, which never takes longer than it may."""

    def __init__(self, lab: SimulatedLab, pace: Pace) -> None:
        self.spec = lab.cluster.config
        self.facts = read_facts(lab.run_folder)
        """As in run.json."""
        self.run_folder: Path = lab.run_folder
        """Where its trace grows."""
        self.pace = pace
        """How fast, chosen by whoever watches."""
        self.has_script = False
        """Whether a script reads the events too, with poll."""
        self.target_events = 0
        """Events up to which the past is made anew; 0 when there is no past to make."""
        self.beside: BesideWorld | None = None
        """A second cluster that gets what this one gets; None for none."""
        self._lab = lab
        self.stepper = Stepper(lab, Journal(lab.run_folder / FILE))
        """Makes every move."""
        self._kernel = lab.cluster.kernel
        self.on_move: Callable[[], None] | None = None
        """Called after each move, for who halts time at the very event; None while nobody does."""
        self._for_script: list[Entry] = []
        self._fresh: list[Entry] = []
        """Told and not handed out yet."""
        self._alarms: list[tuple[int, asyncio.Future[None]]] = []
        self._waiting: set[asyncio.Future[None]] = set()
        self.has_rung = False
        """Whether somebody who waited is to go on before time does."""
        self._looked_ns = perf_counter_ns()
        self._until_ns = self._kernel.now_ns
        self._is_late = False
        self._is_closed = False
        self._has_arrived = asyncio.Event()
        self._has_ended = asyncio.Event()

    @property
    def is_retracing(self) -> bool:
        """Whether it is on its way to the event from which it branches."""
        return self.stepper.events < self.target_events and not self._is_closed

    def retrace(self, past: Sequence[Outside], events: int) -> None:
        """Go the way of an earlier run, as fast as it goes, until so many events were told."""
        self.target_events = events
        self.stepper.retrace(past, events)

    async def arrived(self) -> None:
        """Wait until it is where it branches."""
        await self._has_arrived.wait()

    @property
    def is_behind(self) -> bool:
        """Whether the pace asks for more than was done so far."""
        return (
            self.is_retracing
            or not self.pace.is_halted
            and (self._is_late or self._until_ns > self._kernel.now_ns or self.pace.due_ns(1) is None)
        )

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        """Carry out one command; what it waits for comes with virtual time. EOFError when the run has ended."""
        if self._is_closed:
            raise EOFError(ENDED)
        if self.is_retracing:
            return Answer(False, "the run is not yet where it branches")
        if self.beside is not None:
            self.beside.give(text, by, self._kernel.now_ns)
        running = self.stepper.begin(text, by)
        if not running.is_done:
            await self._end_of(running)
        self._lab.flush()
        if running.failure is not None:
            raise running.failure
        assert running.answer is not None
        return running.answer

    async def _end_of(self, running: Running) -> None:
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def tell() -> None:
            self.has_rung = True
            if not waiting.done():
                waiting.set_result(None)

        running.on_end = tell
        self._waiting.add(waiting)
        try:
            await waiting
        finally:
            self._waiting.discard(waiting)

    def live(self, budget_ns: int, is_enough: Callable[[list[Entry]], bool] | None = None) -> list[Entry]:
        """Let time pass as far as the pace allows and the budget of real time lasts; the events told meanwhile.

        With is_enough the clock is run free, past a halt too, until a move after which it says so of the move's events.
        """
        self.has_rung = False
        began_ns, passed_ns = perf_counter_ns(), perf_counter_ns() - self._looked_ns
        self._looked_ns = began_ns
        if self._is_closed:
            return self._told()
        if is_enough is not None:
            return self._live_until(began_ns + budget_ns, is_enough)
        if self.is_retracing:
            if self._make_moves(NEVER_NS, began_ns + budget_ns, lambda: not self.is_retracing):
                raise RuntimeError("the run came to its end before the event it was to branch from")
            self._until_ns = self._kernel.now_ns
            if not self.is_retracing:
                self.facts = update_facts(self.run_folder, branch_events=self.stepper.events)
                self.stepper.arrive()
                self._has_arrived.set()
        elif not self.pace.is_halted:
            due_ns = self.pace.due_ns(passed_ns)
            self._until_ns = NEVER_NS if due_ns is None else max(self._until_ns, self._kernel.now_ns) + due_ns
            self._live_at_pace(began_ns + budget_ns)
        return self._told()

    def _live_at_pace(self, stop_ns: int) -> None:
        ring_ns = min((time_ns for time_ns, _ in self._alarms), default=NEVER_NS)
        limit_ns = min(self._until_ns, ring_ns)
        in_time = self._make_moves(limit_ns, stop_ns, lambda: self.has_rung or self.pace.is_halted)
        if in_time and limit_ns < NEVER_NS:
            self.stepper.stand_at(limit_ns)
            self._ring()
        # A machine that is too slow for the pace does not run after it: what it missed is let go.
        self._is_late = not in_time and not self.has_rung
        most_ns = (self.pace.due_ns(LATE_NS) or 0) if in_time or self.has_rung else 0
        self._until_ns = min(self._until_ns, self._kernel.now_ns + most_ns)

    def _live_until(self, stop_ns: int, is_enough: Callable[[list[Entry]], bool]) -> list[Entry]:
        entries: list[Entry] = []
        while perf_counter_ns() < stop_ns and self.stepper.move():
            self._ring()
            fresh = self._told()
            entries += fresh
            if fresh and is_enough(fresh):
                break
        self._until_ns = self._kernel.now_ns
        return entries

    def _make_moves(self, limit_ns: int, stop_ns: int, is_enough: Callable[[], bool]) -> bool:
        """Whether no move is left before limit_ns."""
        move = self.stepper.move
        while perf_counter_ns() < stop_ns:
            for _ in range(MOVES_BETWEEN_LOOKS):
                self._tell_move()
                if is_enough():
                    return False
                if not move(limit_ns):
                    return True
        return False

    def _tell_move(self) -> None:
        if self.on_move is not None:
            self._gather()
            self.on_move()

    def _ring(self) -> None:
        """Those who waited for this time go on before the next move."""
        due = [alarm for alarm in self._alarms if alarm[0] <= self._kernel.now_ns]
        self.has_rung = self.has_rung or bool(due)
        for alarm in due:
            self._alarms.remove(alarm)
            if not alarm[1].done():
                alarm[1].set_result(None)

    def _told(self) -> list[Entry]:
        self._gather()
        if self.beside is not None:
            self.beside.follow(self._fresh, self._kernel.now_ns)
        # Folded now, slice by slice: a command that asks for the state must not have to fold minutes of it at once.
        self._lab.cluster.cluster()
        entries, self._fresh = self._fresh, []
        return entries

    def _gather(self) -> None:
        entries = self._lab.poll()
        self._fresh += entries
        if self.has_script:
            self._for_script += entries

    def now_s(self) -> float:
        """The virtual clock."""
        return self._lab.now_s()

    async def pass_time(self, seconds: float) -> None:
        """Wait until so much virtual time has gone by. EOFError when the run ends before."""
        if self._is_closed:
            raise EOFError(ENDED)
        rung: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._alarms.append((self._kernel.now_ns + round(seconds * NS_PER_S), rung))
        await rung

    async def pass_until(self, elapsed_ns: int) -> None:
        """Wait until so long after the beginning."""
        left_ns = START_NS + elapsed_ns - self._kernel.now_ns
        if left_ns > 0:
            await self.pass_time(left_ns / NS_PER_S)

    def poll(self) -> list[Entry]:
        """Events since the script last asked, in order; those of a command that was just answered too."""
        self._gather()
        entries, self._for_script = self._for_script, []
        return entries

    def note(self, event: Event, trigger: str) -> None:
        """Write an event of a script or its learner into the trace."""
        self.stepper.note(event, trigger)

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Carry out a command at the moment of the first such event from now on, once."""
        self.stepper.when(matches, command)

    def flush(self) -> None:
        """Have everything in the trace files."""
        if not self._is_closed:
            self._lab.flush()
            if self.beside is not None:
                self.beside.flush()

    async def ended(self) -> None:
        """Wait until the run is over."""
        await self._has_ended.wait()

    async def leave(self, *, in_order: bool) -> None:
        """End the run; a simulated node has nothing to hand over, the order of leaving is the same each time."""
        await self.close()

    async def close(self) -> None:
        """End every node and complete the trace."""
        if self._is_closed:
            return
        self._is_closed = True
        self.stepper.drop()
        await self._lab.close()
        if self.beside is not None:
            await self.beside.close()
        futures = [*self._waiting, *(rung for _, rung in self._alarms)]
        for future in futures:
            if not future.done():
                future.set_exception(EOFError(ENDED))
        self._alarms.clear()
        self._has_ended.set()
