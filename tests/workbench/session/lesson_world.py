"""A lesson folder, and a lab that only writes a trace: each kill makes the next controller the leader."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cluster.model.events import LeaderElected, ProcessReady, ProcessStarted
from cluster.scenario.script import ClusterPlan
from cluster.trace.writer import TraceWriter
from workbench.course.lesson import Lesson, read_lesson
from workbench.session.lesson.player import LessonPlayer

LESSON = """+++
schema = 1
title = "{title}"
minutes = 5
needs = []
sources = ["KIP-595", "An article"]
+++

## Three voters
{prose}

```do
begin
```

## The leader dies
It is killed.

```predict who
Who leads afterwards?
a. The one that was killed :: leader of quorum = first
b. Another one :: leader of quorum != first
```

```do
kill
```

```reveal
A dead node hears no vote request.
```

```notes
Wait for the class.
```

## What now?
Nothing to do here.
"""
SCRIPT = """[begin]
cluster controllers=3 brokers=1 timing=classroom
wait leader of quorum within 20s
remember first = leader of quorum

[kill]
kill $first
{expectation}
"""
OTHER_LEADS = "expect leader of quorum != first within 20s"


class Answer(NamedTuple):
    ok: bool
    text: str


class PaperLab:
    def __init__(self, folder: Path, plan: ClusterPlan) -> None:
        self.run_folder = folder
        self.commands: list[str] = []
        self.closed = False
        self._epoch = 0
        self._trace = TraceWriter(folder / "trace" / "0-0.trace", folder.name, 0, 0)
        self._leaders = [
            TraceWriter(folder / "trace" / f"{node}-0.trace", folder.name, node, 0) for node in plan.nodes if node > 100
        ]
        for node in plan.nodes:
            self._trace.write(ProcessStarted(node_id=node, roles=("broker",), incarnation_number=0, pid=1))
            self._trace.write(ProcessReady(node_id=node, port=1))
        self.elect()

    def elect(self) -> None:
        writer = self._leaders[self._epoch]
        self._epoch += 1
        writer.write(LeaderElected(epoch=self._epoch, epoch_start_offset=0, votes=()))

    async def send(self, text: str) -> Answer:
        self.commands.append(text)
        if text.startswith("kill"):
            self.elect()
        return Answer(True, "as you say")

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


def write_lesson(
    folder: Path, *, title: str = "A small lesson", prose: str = "They vote.", expectation: str = OTHER_LEADS
) -> Lesson:
    folder = folder / "01_small"
    folder.mkdir(parents=True)
    (folder / "lesson.md").write_text(LESSON.format(title=title, prose=prose))
    (folder / "scenario.txt").write_text(SCRIPT.format(expectation=expectation))
    return read_lesson(folder)


def player_of(tmp_path: Path, lesson: Lesson) -> tuple[LessonPlayer, Labs]:
    labs = Labs(tmp_path / "runs")
    return LessonPlayer(lesson, labs, lambda _lab: None, progress_folder=tmp_path / "state"), labs
