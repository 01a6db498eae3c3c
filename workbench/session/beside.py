"""A second simulated cluster beside one: the same commands at the same virtual time, but for some changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from cluster.model.entry import Entry
from cluster.model.events import FaultInjected
from cluster.simulation.lab.journal import FILE, Journal
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.lab.stepper import Stepper
from workbench.session.changes import Changes
from workbench.session.deeds import HEAL, Deed, edited
from workbench.session.recording import Recording


class BesideWorld:
    """Its time is that of the cluster it stands beside, never ahead of it."""

    def __init__(self, lab: SimulatedLab, changes: Changes) -> None:
        self.changes = changes
        """What is another here."""
        self.run_folder: Path = lab.run_folder
        """A run of its own."""
        self.recording = Recording()
        """All that happened so far."""
        self.recording.keep_in(lab.run_folder)
        self._lab = lab
        self._stepper = Stepper(lab, Journal(lab.run_folder / FILE))
        self._waiting: deque[Deed] = deque()
        self._their_faults: dict[int, str] = {}
        """Number to command, in the first world."""
        self._own_faults: dict[str, int] = {}
        """Command to number, in this one."""
        self._is_closed = False

    def give(self, command: str, by: str, now_ns: int) -> None:
        """The first world gets this command now."""
        healed = HEAL.fullmatch(command)
        heals = self._their_faults.get(int(healed[1]), "") if healed else ""
        self._waiting.append(Deed(now_ns, command, by, heals))

    def follow(self, fresh: Sequence[Entry], now_ns: int) -> None:
        """Let time pass up to the first world's, commands in their places.

        Args:
            fresh: what the first world told since the last time.
        """
        if self._is_closed:
            return
        for entry in fresh:
            if isinstance(entry.event, FaultInjected):
                self._their_faults[entry.event.fault_id] = entry.event.command
        while self._waiting and self._waiting[0].at_ns <= now_ns:
            deed = self._waiting.popleft()
            self._pass_to(deed.at_ns)
            if command := edited(deed, self.changes, self._own_faults):
                self._stepper.begin(command, deed.by)
        self._pass_to(now_ns)

    def _pass_to(self, now_ns: int) -> None:
        if now_ns > self._lab.cluster.kernel.now_ns:
            self._stepper.pass_to(now_ns)
        fresh = self._lab.poll()
        for entry in fresh:
            if isinstance(entry.event, FaultInjected):
                self._own_faults[entry.event.command] = entry.event.fault_id
        if fresh:
            self.recording.extend(fresh)

    def flush(self) -> None:
        """Have everything in the trace files."""
        if not self._is_closed:
            self._lab.flush()

    async def close(self) -> None:
        """End every node and complete the trace; what was told stays readable."""
        if self._is_closed:
            return
        self._is_closed = True
        self._stepper.drop()
        await self._lab.close()
        fresh = self._lab.poll()
        if fresh:
            self.recording.extend(fresh)
