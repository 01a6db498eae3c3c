"""Takes a simulated run forward one move at a time, commands on their way included, and makes it anew up to an event.

A move is one action of the heap, or one command that goes on because what it waited for is so or its time is up. Which
move comes next follows from the state alone; so the number of moves made names a moment of a run exactly, whatever the
pace at which somebody watched it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import Any

from cluster.commands.carry_out import carry_out
from cluster.lab import LEARNER, SCRIPT, Answer
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.simulation.lab.journal import Journal, Outside
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.lab.triggers import Triggers
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import NS_PER_S

NEVER_NS = 1 << 62


class AnotherWay(Exception):
    """The run does otherwise than the past that it is to have."""


class _Waiting:
    """What a command waits for. Awaited, it hands itself to the stepper and comes back with whether it is so."""

    __slots__ = ("deadline_ns", "is_reached")

    def __init__(self, is_reached: Callable[[], bool], deadline_ns: int) -> None:
        self.is_reached = is_reached
        self.deadline_ns = deadline_ns

    def __await__(self) -> Generator[_Waiting, bool, bool]:
        return (yield self)


class Running:
    """A command on its way."""

    __slots__ = ("_coroutine", "answer", "failure", "on_end", "waiting")

    def __init__(self, coroutine: Coroutine[Any, Any, Answer]) -> None:
        self._coroutine = coroutine
        self.waiting = _Waiting(lambda: True, NEVER_NS)
        self.answer: Answer | None = None
        """What became of it, once it is done."""
        self.failure: Exception | None = None
        """A mistake of ours that ended it."""
        self.on_end: Callable[[], None] = lambda: None
        """Called once it is done or has failed."""

    @property
    def is_done(self) -> bool:
        """Whether it will not go on."""
        return self.answer is not None or self.failure is not None

    def go_on(self, is_reached: bool) -> None:  # noqa: FBT001
        """On to the next thing it waits for, or to its end."""
        try:
            wanted = self._coroutine.send(is_reached if self.waiting.deadline_ns != NEVER_NS else None)
        except StopIteration as end:
            self.answer = end.value
        except Exception as error:  # whoever sent the command is told
            self.failure = error
        else:
            # Only the lock of the desk waits for something else: a future that another command fulfils.
            assert isinstance(wanted, _Waiting | asyncio.Future), f"a command waits for {wanted}"
            self.waiting = wanted if isinstance(wanted, _Waiting) else _Waiting(wanted.done, NEVER_NS)
        if self.is_done:
            self.on_end()

    def drop(self) -> None:
        """The run is over."""
        self._coroutine.close()


class _Triggers(Triggers):
    """Commands that wait for an event and then go on with the moves to come."""

    __slots__ = ("_take_on",)

    def __init__(self, cluster: SimulatedCluster, take_on: Callable[[str], Running]) -> None:
        super().__init__(cluster)
        self._take_on = take_on

    def _begin(self, text: str) -> None:
        self._take_on(text)

    def forget(self) -> None:
        """Wait for nothing any more."""
        self._armed.clear()


class Stepper:
    """Owns the time of one simulated lab; nothing else may step its kernel or send it commands."""

    def __init__(self, lab: SimulatedLab, journal: Journal) -> None:
        self.lab = lab
        self.journal = journal
        """What came from outside."""
        self.moves = 0
        self._cluster, self._kernel = lab.cluster, lab.cluster.kernel
        self._running: list[Running] = []
        self._past: deque[Outside] = deque()
        self._triggers: _Triggers | None = None
        self._cluster.wait = self._wait

    @property
    def events(self) -> int:
        """Told so far."""
        return self._cluster.recording.count

    async def _wait(self, is_reached: Callable[[], bool], limit_s: float) -> bool:
        return is_reached() or await _Waiting(is_reached, self._kernel.now_ns + round(limit_s * NS_PER_S))

    def retrace(self, past: Sequence[Outside], events: int) -> None:
        """Have everything that came from outside before so many events were told come again, each at its moment."""
        self._past = deque(item for item in past if item.events < events and not item.is_end and not item.is_armed)
        for item in past:
            if item.is_armed:
                self.when(lambda _, told=item.events: self.events == told, item.command)  # type: ignore[misc]

    def is_next(self, moves: int, now_ns: int) -> bool:
        """Whether something of the past comes before any other move, at the latest then."""
        return bool(self._past) and self._past[0].moves == moves == self.moves and self._past[0].now_ns <= now_ns

    def arrive(self) -> None:
        """The past is made: what else had waited for events in there is not waited for any more."""
        if self._triggers is not None:
            self._triggers.forget()

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Carry out a command at the moment of the first such event from now on, once."""

        def noted(entry: Entry) -> bool:
            found = matches(entry)
            if found:
                self._keep(command=command, is_armed=True)
            return found

        if self._triggers is None:
            self._triggers = _Triggers(self._cluster, self._take_on)
            self._cluster.recording.listeners.append(self._triggers)
        self._triggers.add(noted, command)

    def begin(self, command: str, by: str = LEARNER) -> Running:
        """Carry out a command: at once as far as it goes, the rest with the moves to come."""
        self._keep(command=command, by=by)
        return self._take_on(command, by)

    def _take_on(self, command: str, by: str = SCRIPT) -> Running:
        running = Running(carry_out(self._cluster.desk, command, self._cluster.ready, by))
        running.go_on(is_reached=True)
        if not running.is_done:
            self._running.append(running)
        return running

    def note(self, event: Event, trigger: str) -> None:
        """Write an event of a script or its learner into the trace."""
        self._keep(note=event, trigger=trigger)
        self.lab.note(event, trigger)

    def _keep(
        self, *, command: str = "", by: str = "", note: Event | None = None, trigger: str = "", is_armed: bool = False
    ) -> None:
        self.journal.add(
            Outside(
                moves=self.moves,
                now_ns=self._kernel.now_ns,
                events=self.events,
                command=command,
                by=by,
                note=note,
                trigger=trigger,
                is_armed=is_armed,
            )
        )

    def move(self, limit_ns: int = NEVER_NS) -> bool:
        """Make the next move; False when it lies beyond limit_ns."""
        if self._past and self._past[0].moves == self.moves:
            return self._again(limit_ns)
        due_ns = self._kernel.next_ns
        first_ns, first = NEVER_NS, None
        for running in self._running:
            if running.waiting.is_reached():
                return self._go_on(running, is_reached=True)
            if running.waiting.deadline_ns < first_ns:
                first_ns, first = running.waiting.deadline_ns, running
        if first is not None and (due_ns is None or due_ns > first_ns):
            if first_ns > limit_ns:
                return False
            self._kernel.now_ns = max(self._kernel.now_ns, first_ns)
            return self._go_on(first, is_reached=False)
        if due_ns is None or due_ns > limit_ns:
            return False
        self.moves += 1
        return self._kernel.step()

    def pass_to(self, limit_ns: int) -> None:
        """Make every move up to that time (inclusive), then stand there."""
        while self._running or self._past or self._triggers is not None:
            if not self.move(limit_ns):
                self.stand_at(limit_ns)
                return
        before = self._kernel.steps
        self._kernel.advance(limit_ns)
        self.moves += self._kernel.steps - before

    def _go_on(self, running: Running, *, is_reached: bool) -> bool:
        self.moves += 1
        running.go_on(is_reached)
        if running.is_done:
            self._running.remove(running)
        return True

    def _again(self, limit_ns: int) -> bool:
        item = self._past[0]
        if item.now_ns > limit_ns:
            return False
        if item.now_ns < self._kernel.now_ns or item.events != self.events:
            raise AnotherWay("the run went another way than the one before")
        self._past.popleft()
        self._kernel.now_ns = item.now_ns
        if item.note is not None:
            self.note(item.note, item.trigger)
        else:
            self.begin(item.command, item.by)
        return True

    def stand_at(self, now_ns: int) -> None:
        """Let the clock show this, once no move is left before it."""
        self._kernel.now_ns = max(self._kernel.now_ns, now_ns)

    def drop(self) -> None:
        """The run is over: commands on their way get no answer."""
        self._keep()
        self.journal.close()
        for running in self._running:
            running.drop()
        self._running.clear()
