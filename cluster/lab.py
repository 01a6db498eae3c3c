"""A cluster to watch and to break, whichever world it lives in: commands go in, the trace comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.picture.cluster_state import ClusterState

SCRIPT, LEARNER, LECTURER = COMMANDERS = "script", "learner", "lecturer"
"""Who gives a command; the events of what it asks for name them in their trigger."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a command."""

    ok: bool
    """Whether it was carried out."""
    text: str
    """One line for people."""


class Lab(Protocol):
    """A running cluster. Everything it does is in the trace below its run folder."""

    @property
    def run_folder(self) -> Path:
        """Where its trace grows."""

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        """Carry out one command of the grammar in cluster.faults.grammar; done when its effect is in force."""

    async def close(self) -> None:
        """Let go of the cluster; the owner's lab ends every node."""


@runtime_checkable
class TimedLab(Lab, Protocol):
    """A lab whose time passes only when somebody asks for it, and who tells its events without files."""

    def now_s(self) -> float:
        """Its clock, in seconds."""

    async def pass_time(self, seconds: float) -> None:
        """Let the cluster go on for so long."""

    async def pass_until(self, elapsed_ns: int) -> None:
        """Let the cluster go on until so long after its beginning; not at all when that is over."""

    def poll(self) -> list[Entry]:
        """Events since the last poll, in order."""

    def note(self, event: Event, trigger: str) -> None:
        """Write an event of a script or its learner into the trace."""

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Carry out a command at the moment of the first such event from now on, once.

        A node that is to be killed by an event of its own ends at that instruction: nothing after it is sent.
        """


@runtime_checkable
class PicturedLab(TimedLab, Protocol):
    """One that folds its events itself, so that whoever looks at it need not do so again."""

    def cluster(self) -> ClusterState:
        """The cluster as all events tell it that came until now; the same object each time."""
