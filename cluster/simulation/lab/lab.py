"""A simulated cluster behind the same door as one of processes. Implements Lab and TimedLab."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cluster.cluster_spec import ClusterSpec
from cluster.commands.carry_out import carry_out, carry_out_at_once
from cluster.lab import LEARNER, Answer
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.model.identifiers import SCRIPT_ID
from cluster.simulation.lab.triggers import Triggers
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import START_NS
from cluster.simulation.world.recording import Reader, TraceFiles


class SimulatedLab:
    """One run. The cluster stands still between calls: send, step, advance and pass_time let time pass."""

    def __init__(
        self,
        config: ClusterSpec,
        folder: Path,
        on_close: Callable[[], None] = lambda: None,
        *,
        observes: bool = True,
    ) -> None:
        """The trace grows in folder/trace, which must not hold one already; on_close is called once it is complete."""
        self.run_folder = folder
        """Where the trace grows."""
        self.cluster = SimulatedCluster(config, observes=observes)
        """The world itself, for looking."""
        self._on_close = on_close
        self._is_closed = False
        self._files = TraceFiles(folder / "trace")
        self._unread: list[Entry] = []
        self._triggers: Triggers | None = None
        self.cluster.recording.readers += [self._files, self._unread.extend]
        self._script = self.cluster.recording.writer(SCRIPT_ID, 0)
        self.cluster.begin()
        self.flush()

    def begin_with(self, fault: str) -> None:
        """Have a fault in force before any node runs. ValueError when it is refused; no time has passed yet."""
        answer = carry_out_at_once(self.cluster.desk, fault, _nothing)
        if not answer.ok:
            raise ValueError(answer.text)
        self.flush()

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        """Carry out one command; time passes until its effect is in force."""
        answer = await carry_out(self.cluster.desk, text, self.cluster.ready, by)
        self.flush()
        return answer

    def step(self) -> bool:
        """Take the next thing that happens; False when nothing will."""
        return self.cluster.kernel.step()

    def advance(self, seconds: float) -> None:
        """Let so much time pass."""
        self.cluster.advance(seconds)
        self.flush()

    def flush(self) -> None:
        """Have everything that was told in the trace files."""
        self.cluster.recording.catch_up()
        self._files.flush()

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass."""
        self.cluster.advance(seconds)

    async def pass_until(self, elapsed_ns: int) -> None:
        """Let time pass until so long after the beginning."""
        self.cluster.kernel.advance(START_NS + elapsed_ns)

    def now_s(self) -> float:
        """The virtual clock."""
        return self.cluster.now_s()

    def attend(self, reader: Reader) -> None:
        """Give a reader all entries, those included that nobody has polled so far."""
        self.cluster.recording.catch_up()
        reader(self._unread)
        self.cluster.recording.readers.append(reader)

    def poll(self) -> list[Entry]:
        """Events since the last poll, in order."""
        self.cluster.recording.catch_up()
        found = list(self._unread)
        self._unread.clear()
        return found

    def note(self, event: Event, trigger: str) -> None:
        """Write an event of a script or its learner into the trace."""
        self._script.write(event, trigger=trigger)

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Carry out a command at the moment of the first such event from now on, once."""
        if self._triggers is None:
            self._triggers = Triggers(self.cluster)
            self.cluster.recording.listeners.append(self._triggers)
        self._triggers.add(matches, command)

    async def close(self) -> None:
        """End every node and complete the trace."""
        if self._is_closed:
            return
        self._is_closed = True
        self.cluster.finish()
        self._files.close()
        self._write_logs()
        self._on_close()

    def _write_logs(self) -> None:
        """What nodes said before they ended, as processes leave it in logs/N.log."""
        with suppress(FileExistsError):
            (self.run_folder / "logs").mkdir(mode=0o700)
        for node, text in self.cluster.logs:
            with (self.run_folder / "logs" / f"{node}.log").open("a", encoding="utf-8") as log:
                log.write(text.rstrip() + "\n")


async def _nothing() -> None:
    """What is in force from the beginning on waits for no node."""
