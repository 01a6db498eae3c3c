"""A lab that only writes a trace, for who plays scripts and lessons."""

from __future__ import annotations

from pathlib import Path

from cluster.lab import LEARNER, Answer
from cluster.model.events import LeaderElected, ProcessReady, ProcessStarted
from cluster.scenario.script import ClusterPlan
from cluster.trace.writer import TraceWriter


class PaperLab:
    """Says that every process runs; each kill makes the next controller the leader. Refuses to pause."""

    def __init__(self, folder: Path, plan: ClusterPlan) -> None:
        self.run_folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.commands: list[str] = []
        self.closed = False
        self._epoch = 0
        self._trace = TraceWriter(folder / "trace" / "0-0.trace", folder.name, 0, 0)
        self._leaders = [
            TraceWriter(folder / "trace" / f"{node}-0.trace", folder.name, node, 0)
            for node in sorted(plan.spec("Paper").nodes)
            if node > 100
        ]
        for node in sorted(plan.spec("Paper").nodes):
            self._trace.write(ProcessStarted(node_id=node, roles=("broker",), incarnation_number=0, pid=1))
            self._trace.write(ProcessReady(node_id=node, port=1))
        self.elect()

    def elect(self) -> None:
        writer = self._leaders[self._epoch]
        self._epoch += 1
        writer.write(LeaderElected(epoch=self._epoch, epoch_start_offset=0, votes=()))

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        self.commands.append(text)
        if text.startswith("kill"):
            self.elect()
        return Answer(not text.startswith("pause"), "as you say")

    async def close(self) -> None:
        self.closed = True


class Labs:
    """Launches paper labs below a folder and keeps them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.made: list[PaperLab] = []

    async def __call__(self, plan: ClusterPlan, title: str) -> PaperLab:
        self.made.append(PaperLab(self.home / f"run{len(self.made)}", plan))
        return self.made[-1]
