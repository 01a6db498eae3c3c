"""A simulated lab that nobody watches: time passes as fast as it goes, its journal is kept. Implements PicturedLab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cluster.lab import LEARNER, SCRIPT, Answer
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.picture.cluster_state import ClusterState
from cluster.simulation.lab.journal import FILE, Journal
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.lab.stepper import Stepper
from cluster.simulation.world.kernel import NS_PER_S, START_NS


class HeadlessLab:
    """One run, made of the same moves as one that is watched: so it can be rewound and branched like that."""

    def __init__(self, lab: SimulatedLab) -> None:
        self._lab = lab
        self._stepper = Stepper(lab, Journal(lab.run_folder / FILE))
        self._is_closed = False

    @property
    def run_folder(self) -> Path:
        """Where its trace and its journal grow."""
        return self._lab.run_folder

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        """Carry out one command; time passes until its effect is in force."""
        return self.carry_out(text, by)

    def carry_out(self, text: str, by: str = SCRIPT) -> Answer:
        """As send, for whoever has all commands beforehand."""
        running = self._stepper.begin(text, by)
        while not running.is_done:
            self._stepper.move()
        self._lab.flush()
        if running.failure is not None:
            raise running.failure
        assert running.answer is not None
        return running.answer

    def now_s(self) -> float:
        """The virtual clock."""
        return self._lab.now_s()

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass."""
        self._stepper.pass_to(self._lab.cluster.kernel.now_ns + round(seconds * NS_PER_S))

    async def pass_until(self, elapsed_ns: int) -> None:
        """Let time pass until so long after the beginning."""
        self.let_pass(elapsed_ns)

    def let_pass(self, elapsed_ns: int) -> None:
        """As pass_until."""
        self._stepper.pass_to(START_NS + elapsed_ns)

    def cluster(self) -> ClusterState:
        """The picture that its commands ask, too."""
        return self._lab.cluster.cluster()

    def poll(self) -> list[Entry]:
        """Events since the last poll, in order."""
        return self._lab.poll()

    def note(self, event: Event, trigger: str) -> None:
        """Write an event of a script or its learner into the trace."""
        self._stepper.note(event, trigger)

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Carry out a command at the moment of the first such event from now on, once."""
        self._stepper.when(matches, command)

    async def close(self) -> None:
        """End every node and complete the trace."""
        if not self._is_closed:
            self._is_closed = True
            self._stepper.drop()
            await self._lab.close()
